/** Telegram: webhooks and methods of the Bot API. */
import type { InlineKeyboardMarkup } from "grammy/types";
import type {
  Interface,
  InterfaceServices,
  OpenInterface,
  WebhookAnswer,
  WebhookRequest,
} from "../../http/transport/services.ts";
import { Channel } from "./channel.ts";
import { download } from "./download.ts";
import { objectOf, objectsOf, parsed, textIn } from "./json.ts";
import type { ChannelOptions } from "./options.ts";
import {
  type ChatButton,
  type ChatClick,
  type ChatMessage,
  type ChatPlace,
  type ChatPlatform,
  ChatRejected,
  RateLimited,
} from "./platform.ts";
import { isEqual } from "./secrets.ts";

/** Options of `telegram`. */
export interface TelegramOptions extends ChannelOptions {
  /** The bot's token, from BotFather. */
  readonly botToken: string;
  /** The `secret_token` of `setWebhook`, which Telegram sends with each update. */
  readonly secretToken: string;
  /** The path of the webhook. Default `/telegram/webhook`. */
  readonly path?: string | undefined;
  /** Address of the Bot API. Default `https://api.telegram.org`. */
  readonly apiUrl?: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;
type BotApi = InstanceType<typeof import("grammy").Api>;

/**
 * Opens a component to Telegram. Messages in private chats, and in groups those that mention the bot or reply to it, start runs; a chat, or a topic in it, is a
 * session. It needs the package `grammy`. See docs/channels.md.
 *
 * @example
 * ```ts
 * import { telegram } from "troupe/channels";
 *
 * const { TELEGRAM_BOT_TOKEN = "", TELEGRAM_SECRET = "" } = process.env;
 * const channel = telegram({ component: "agent:guide", botToken: TELEGRAM_BOT_TOKEN, secretToken: TELEGRAM_SECRET });
 * await createServer(platform, { interfaces: [channel] });
 * ```
 */
export function telegram(options: TelegramOptions): OpenInterface {
  const { path = "/telegram/webhook", botToken, apiUrl } = options;
  const open = async (services: InterfaceServices): Promise<Interface> => {
    const { Api } = await import("grammy");
    const api = new Api(botToken, { ...(apiUrl && { apiRoot: apiUrl }), timeoutSeconds: 30 });
    const platform = await telegramPlatform(api);
    return new TelegramChannel(new Channel({ name: "telegram", platform, options, services }), api, options, services);
  };
  return Object.assign(open, { webhooks: [path] });
}

class TelegramChannel implements Interface {
  readonly #channel: Channel;
  readonly #api: BotApi;
  readonly #options: TelegramOptions;
  readonly #services: InterfaceServices;
  /** The bot's name, which groups mention. Read once. */
  #username: string | undefined;

  constructor(channel: Channel, api: BotApi, options: TelegramOptions, services: InterfaceServices) {
    this.#channel = channel;
    this.#api = api;
    this.#options = options;
    this.#services = services;
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  async receive({ headers, body }: WebhookRequest): Promise<WebhookAnswer> {
    if (!isEqual(headers["x-telegram-bot-api-secret-token"] ?? "", this.#options.secretToken)) {
      return { status: 401, json: { detail: "The secret token does not match." } };
    }
    const update = objectOf(parsed(body.toString("utf8")));
    const id = textIn(update.update_id);
    if (!id) return { status: 200 };
    if (update.callback_query) {
      const click = this.#clickIn(id, objectOf(update.callback_query));
      if (click) await this.#channel.click(click);
      await click?.tell("");
    } else if (update.message) {
      const message = await this.#messageIn(id, objectOf(update.message));
      if (message) await this.#channel.receive(message);
    }
    return { status: 200 };
  }

  async #messageIn(updateId: string, message: Json): Promise<ChatMessage | undefined> {
    const chat = objectOf(message.chat);
    const from = objectOf(message.from);
    const [chatId, user] = [textIn(chat.id), textIn(from.id)];
    if (!chatId || !user || from.is_bot === true) return undefined;
    const given = textIn(message.text) ?? textIn(message.caption) ?? "";
    const text = chat.type === "private" ? given : await this.#addressed(message, given);
    const files = filesIn(message);
    if (text === undefined || (text === "" && files.length === 0)) return undefined;
    const topic = message.is_topic_message === true ? textIn(message.message_thread_id) : undefined;
    return {
      id: `${this.#botId}:${updateId}`,
      user: { id: user },
      place: { channel: chatId, ...(topic && { thread: topic }) },
      sessionId: ["telegram", this.#botId, chatId, ...(topic ? [topic] : [])].join(":"),
      text,
      files: files.map((file) => () => this.#read(file)),
      isReply: false,
    };
  }

  get #botId(): string {
    return this.#options.botToken.split(":", 1)[0] ?? "";
  }

  /** The text of a group's message without the mention; undefined if the message is not for the bot. */
  async #addressed(message: Json, text: string): Promise<string | undefined> {
    const repliedTo = textIn(objectOf(objectOf(message.reply_to_message).from).id);
    if (repliedTo === this.#botId) return text;
    this.#username ??= (await this.#api.getMe()).username;
    const mention = `@${this.#username}`;
    const place = text.toLowerCase().indexOf(mention.toLowerCase());
    if (place === -1) return undefined;
    return `${text.slice(0, place)}${text.slice(place + mention.length)}`.trim();
  }

  async #read({ id, name, mediaType }: TelegramFile): Promise<Awaited<ReturnType<typeof download>>> {
    const { file_path: path } = await this.#api.getFile(id);
    const { apiUrl = "https://api.telegram.org", botToken } = this.#options;
    const url = `${apiUrl}/file/bot${botToken}/${path}`;
    return await download({ url, name, mediaType }, this.#services.platform.settings.maxUploadBytes);
  }

  #clickIn(updateId: string, query: Json): ChatClick | undefined {
    const message = objectOf(query.message);
    const [user, channel] = [textIn(objectOf(query.from).id), textIn(objectOf(message.chat).id)];
    const [messageId, value, queryId] = [textIn(message.message_id), textIn(query.data), textIn(query.id)];
    if (!user || !channel || !messageId || !value || !queryId) return undefined;
    let isTold = false;
    return {
      id: `${this.#botId}:${updateId}`,
      user: { id: user },
      place: { channel },
      value,
      messageId,
      // Telegram shows a spinner until the query is answered, once. A late answer is an error that changes nothing.
      tell: async (text) => {
        if (isTold) return;
        isTold = true;
        await this.#api.answerCallbackQuery(queryId, { text: text.slice(0, 200) }).then(done, done);
      },
    };
  }
}

function done(): void {}

interface TelegramFile {
  readonly id: string;
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
}

/** The files of a message. Of a photo's sizes, the largest. */
function filesIn(message: Json): readonly TelegramFile[] {
  const kinds = ["document", "voice", "audio", "video"].map((kind) => objectOf(message[kind]));
  const photo = objectsOf(message.photo).at(-1);
  const all = [...kinds, ...(photo ? [{ ...photo, mime_type: "image/jpeg" }] : [])];
  return all.flatMap((file: Json) => {
    const id = textIn(file.file_id);
    return id ? [{ id, name: textIn(file.file_name), mediaType: textIn(file.mime_type) }] : [];
  });
}

async function telegramPlatform(api: BotApi): Promise<ChatPlatform> {
  const { GrammyError, InputFile } = await import("grammy");
  const call = async <Value>(work: Promise<Value>): Promise<Value | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof GrammyError)) throw error;
      if (error.parameters.retry_after !== undefined) throw new RateLimited(error.parameters.retry_after * 1_000);
      if (error.description.includes("message is not modified")) return undefined;
      if (error.error_code >= 400 && error.error_code < 500)
        throw new ChatRejected(error.description, { cause: error });
      throw error;
    }
  };
  return {
    maxTextLength: 4_096,
    // Telegram accepts about one message a second in a chat, and twenty a minute in a group. Ids of groups are negative.
    editInterval: ({ channel }) => (channel.startsWith("-") ? 3_100 : 1_100),
    mention: (user) => `user ${user}`,
    async post(place, text, buttons) {
      const sent = await call(
        api.sendMessage(place.channel, text, { ...threadOf(place), ...keyboardOf(buttons), ...withoutPreview }),
      );
      return String(sent?.message_id);
    },
    async edit({ channel }, messageId, text, buttons) {
      await call(api.editMessageText(channel, Number(messageId), text, { ...keyboardOf(buttons), ...withoutPreview }));
    },
    async upload(place, { name, mediaType, bytes }) {
      const file = new InputFile(bytes, name);
      const thread = threadOf(place);
      if (/^image\/(png|jpeg)$/.test(mediaType)) await call(api.sendPhoto(place.channel, file, thread));
      else await call(api.sendDocument(place.channel, file, thread));
    },
  };
}

/** Telegram would request the addresses in an answer, and a manipulated model could put secrets into an address. */
const withoutPreview = { link_preview_options: { is_disabled: true } } as const;

function threadOf({ thread }: ChatPlace): { message_thread_id?: number } {
  return thread === undefined ? {} : { message_thread_id: Number(thread) };
}

function keyboardOf(buttons: readonly ChatButton[] = []): { reply_markup?: InlineKeyboardMarkup } {
  if (buttons.length === 0) return {};
  return {
    reply_markup: { inline_keyboard: [buttons.map(({ label, value }) => ({ text: label, callback_data: value }))] },
  };
}
