/** Slack: the Events API, buttons of Block Kit, and the Web API. */
import type { KnownBlock } from "@slack/web-api";
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
  type ChatPlatform,
  ChatRejected,
  RateLimited,
} from "./platform.ts";
import { isSignedBySlack } from "./secrets.ts";

/** Options of `slack`. */
export interface SlackOptions extends ChannelOptions {
  /** The bot's token, `xoxb-…`. */
  readonly botToken: string;
  /** The app's signing secret. */
  readonly signingSecret: string;
  /** The path of the routes: `<path>/events` and `<path>/interactions`. Default `/slack`. */
  readonly path?: string | undefined;
  /** Address of Slack's Web API. Default `https://slack.com/api/`. */
  readonly apiUrl?: string | undefined;
}

const defaultApi = "https://slack.com/api/";

/**
 * Opens a component to Slack. Direct messages, mentions, and replies in a thread start runs; a thread is a session. It needs the package `@slack/web-api`. See
 * docs/channels.md.
 *
 * @example
 * ```ts
 * import { slack } from "troupe/channels";
 *
 * const { SLACK_BOT_TOKEN = "", SLACK_SIGNING_SECRET = "" } = process.env;
 * const channel = slack({ component: "agent:guide", botToken: SLACK_BOT_TOKEN, signingSecret: SLACK_SIGNING_SECRET });
 * await createServer(platform, { interfaces: [channel] });
 * ```
 */
export function slack(options: SlackOptions): OpenInterface {
  const { path = "/slack" } = options;
  const open = async (services: InterfaceServices): Promise<Interface> => {
    const platform = await slackPlatform(options);
    return new SlackChannel(new Channel({ name: "slack", platform, options, services }), options, services);
  };
  return Object.assign(open, { webhooks: [`${path}/events`, `${path}/interactions`] });
}

class SlackChannel implements Interface {
  readonly #channel: Channel;
  readonly #options: SlackOptions;
  readonly #services: InterfaceServices;

  constructor(channel: Channel, options: SlackOptions, services: InterfaceServices) {
    this.#channel = channel;
    this.#options = options;
    this.#services = services;
  }

  close(): Promise<void> {
    return this.#channel.close();
  }

  async receive({ path, headers, body }: WebhookRequest): Promise<WebhookAnswer> {
    const timestamp = headers["x-slack-request-timestamp"] ?? "";
    const signature = headers["x-slack-signature"] ?? "";
    const now = this.#services.runtime.clock.now();
    if (!isSignedBySlack(this.#options.signingSecret, { timestamp, signature, body }, now)) {
      return { status: 401, json: { detail: "The signature does not match, or the request is too old." } };
    }
    const text = body.toString("utf8");
    if (path.endsWith("/interactions")) {
      const click = clickIn(parsed(new URLSearchParams(text).get("payload") ?? ""));
      if (click) await this.#channel.click(click);
      return { status: 200 };
    }
    const request = objectOf(parsed(text));
    if (request.type === "url_verification")
      return { status: 200, json: { challenge: textIn(request.challenge) ?? "" } };
    const message = this.#messageIn(request);
    if (message) await this.#channel.receive(message);
    return { status: 200 };
  }

  /** The message of an event; undefined for events of bots, edits, and everything else that starts no run. */
  #messageIn(request: Readonly<Record<string, unknown>>): ChatMessage | undefined {
    const event = objectOf(request.event);
    const isMention = event.type === "app_mention";
    if (request.type !== "event_callback" || !(isMention || event.type === "message")) return undefined;
    if (event.bot_id !== undefined || !(event.subtype === undefined || event.subtype === "file_share"))
      return undefined;
    const [channel, user, ts] = [textIn(event.channel), textIn(event.user), textIn(event.ts)];
    if (!channel || !user || !ts) return undefined;
    const isDirect = event.channel_type === "im";
    const given = textIn(event.thread_ts);
    const thread = given ?? (isDirect ? undefined : ts);
    const team = textIn(request.team_id) ?? "";
    const bots = new Set(objectsOf(request.authorizations).flatMap(({ user_id }) => textIn(user_id) ?? []));
    return {
      id: `${team}:${channel}:${ts}`,
      user: { id: user },
      place: { channel, ...(thread && { thread }) },
      sessionId: ["slack", team, channel, ...(thread ? [thread] : [])].join(":"),
      text: plainText(textIn(event.text) ?? "", bots),
      files: objectsOf(event.files).flatMap((file) => this.#fileReader(file)),
      isReply: !isMention && !isDirect,
    };
  }

  /** Only files on Slack's servers are read: the bot's token is sent with the request. */
  #fileReader(file: Readonly<Record<string, unknown>>): ChatMessage["files"] {
    const url = URL.parse(textIn(file.url_private_download) ?? textIn(file.url_private) ?? "");
    const { apiUrl, botToken } = this.#options;
    const isTrusted =
      url &&
      ((url.protocol === "https:" && /(^|\.)slack\.com$/.test(url.hostname)) ||
        url.origin === URL.parse(apiUrl ?? "")?.origin);
    if (!isTrusted) return [];
    const headers = { authorization: `Bearer ${botToken}` };
    const remote = { url: url.href, name: textIn(file.name), mediaType: textIn(file.mimetype), headers };
    return [() => download(remote, this.#services.platform.settings.maxUploadBytes)];
  }
}

/** Removes mentions of the bot, and the escapes of Slack's message format. */
function plainText(text: string, bots: ReadonlySet<string>): string {
  return text
    .replaceAll(/<@([A-Z0-9]+)(?:\|[^>]*)?>/g, (mention, user: string) => (bots.has(user) ? "" : mention))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .trim();
}

function clickIn(payload: unknown): ChatClick | undefined {
  const request = objectOf(payload);
  const [action] = objectsOf(request.actions);
  const container = objectOf(request.container);
  const [user, channel, messageId] = [
    textIn(objectOf(request.user).id),
    textIn(container.channel_id),
    textIn(container.message_ts),
  ];
  const value = textIn(action?.value);
  if (request.type !== "block_actions" || !action || !user || !channel || !messageId || !value) return undefined;
  const thread = textIn(container.thread_ts);
  const responseUrl = textIn(request.response_url);
  return {
    id: `${messageId}:${textIn(action.action_ts) ?? ""}:${user}`,
    user: { id: user },
    place: { channel, ...(thread && { thread }) },
    value,
    messageId,
    tell: (text) => tellPrivately(responseUrl, text),
  };
}

/** Shows a text to one person. The address is in a signed request; it is called only if it is Slack's. */
async function tellPrivately(responseUrl: string | undefined, text: string): Promise<void> {
  const url = URL.parse(responseUrl ?? "");
  if (url?.protocol !== "https:" || url.hostname !== "hooks.slack.com") return;
  const body = JSON.stringify({ response_type: "ephemeral", replace_original: false, text });
  const headers = { "content-type": "application/json" };
  await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
}

/** Errors after which a call is not repeated. */
const finalErrors: ReadonlySet<string> = new Set([
  ...[
    "channel_not_found",
    "is_archived",
    "not_in_channel",
    "message_not_found",
    "cant_update_message",
    "restricted_action",
  ],
  ...[
    "invalid_auth",
    "not_authed",
    "account_inactive",
    "token_revoked",
    "token_expired",
    "missing_scope",
    "no_permission",
  ],
  ...["edit_window_closed", "invalid_blocks", "msg_too_long", "ekm_access_denied", "file_uploads_disabled"],
]);

async function slackPlatform({ botToken, apiUrl = defaultApi }: SlackOptions): Promise<ChatPlatform> {
  const { LogLevel, WebAPIPlatformError, WebAPIRateLimitedError, WebClient } = await import("@slack/web-api");
  const client = new WebClient(botToken, {
    slackApiUrl: apiUrl,
    // Jobs repeat calls, and wait as long as Slack requires.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
    timeout: 30_000,
  });
  const call = async <Value>(work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof WebAPIRateLimitedError) throw new RateLimited(error.retryAfter * 1_000);
      if (error instanceof WebAPIPlatformError && finalErrors.has(error.data.error)) {
        throw new ChatRejected(error.data.error, { cause: error });
      }
      throw error;
    }
  };
  return {
    maxTextLength: 11_000,
    editInterval: () => 1_200,
    mention: (user) => `<@${user}>`,
    async post({ channel, thread }, text, buttons) {
      const place = { channel, ...(thread && { thread_ts: thread }) };
      // Slack would request the addresses in an answer, and a manipulated model could put secrets into an address.
      const message = { ...place, ...contentOf(text, buttons), unfurl_links: false, unfurl_media: false };
      return String((await call(client.chat.postMessage(message))).ts);
    },
    async edit({ channel }, ts, text, buttons) {
      await call(client.chat.update({ channel, ts, ...contentOf(text, buttons) }));
    },
    async upload({ channel, thread }, { name, bytes }) {
      const place = thread ? { channel_id: channel, thread_ts: thread } : { channel_id: channel };
      await call(client.files.uploadV2({ ...place, file: bytes, filename: name }));
    },
  };
}

/** Maximum length of the text of notifications, in characters. */
const maxNotification = 3_000;

function contentOf(text: string, buttons: readonly ChatButton[] = []): { text: string; blocks: KnownBlock[] } {
  const elements = buttons.map(({ label, value, style }, place) => ({
    type: "button" as const,
    text: { type: "plain_text" as const, text: label },
    action_id: `troupe-${place}`,
    value,
    style,
  }));
  const actions: KnownBlock[] = elements.length > 0 ? [{ type: "actions", elements }] : [];
  // An answer notifies only the people whom it mentions by name.
  const shown = text.replaceAll(/<!(?=(?:channel|here|everyone|subteam)\b)/g, "<\u200b!");
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return { text: escaped.slice(0, maxNotification), blocks: [{ type: "markdown", text: shown }, ...actions] };
}
