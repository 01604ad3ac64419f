/** The contract of chat platforms: Slack and Telegram implement it, and everything else about channels is common. */
import type { Media } from "../../model/run/message.ts";

/** A person of a chat platform. */
export interface ChatUser {
  /** The platform's id of the user, like `U02AB` or `4711`. */
  readonly id: string;
}

/** Where answers go: a channel or a chat, and the thread in it. */
export interface ChatPlace {
  readonly channel: string;
  readonly thread?: string | undefined;
}

/** A message that a person sent. */
export interface ChatMessage {
  /** Unique for the message: a repeated delivery of the platform has the same id. */
  readonly id: string;
  readonly user: ChatUser;
  readonly place: ChatPlace;
  /** The session that the thread stands for. */
  readonly sessionId: string;
  readonly text: string;
  /** Reads the files of the message. */
  readonly files: readonly (() => Promise<Media>)[];
  /** Whether the message counts only if the thread has a session: replies without a mention. */
  readonly isReply: boolean;
}

/** A click on a button. */
export interface ChatClick {
  /** Unique for the click. */
  readonly id: string;
  readonly user: ChatUser;
  readonly place: ChatPlace;
  /** The value of the button. */
  readonly value: string;
  /** The message with the buttons. */
  readonly messageId: string;
  /** Shows a text to the person alone. */
  readonly tell: (text: string) => Promise<void>;
}

/** A button under a message. */
export interface ChatButton {
  readonly label: string;
  /** At most 64 bytes: Telegram stores no more. */
  readonly value: string;
  readonly style: "primary" | "danger";
}

/** A chat platform. */
export interface ChatPlatform {
  /** Maximum length of a message, in characters. */
  readonly maxTextLength: number;
  /** Milliseconds between two edits of a message. */
  editInterval(place: ChatPlace): number;
  /** The text that names a user. */
  mention(userId: string): string;
  /** Posts a message and returns its id. @throws RateLimited */
  post(place: ChatPlace, text: string, buttons?: readonly ChatButton[]): Promise<string>;
  /** Replaces the text of a message; buttons that are not given disappear. @throws RateLimited */
  edit(place: ChatPlace, messageId: string, text: string, buttons?: readonly ChatButton[]): Promise<void>;
  /** Posts a file. @throws RateLimited */
  upload(place: ChatPlace, file: ChatFile): Promise<void>;
}

/** A file that a run made. */
export interface ChatFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** The platform accepts no more calls for a while. */
export class RateLimited extends Error {
  override readonly name = "RateLimited";
  /** Milliseconds to wait. */
  readonly delay: number;

  constructor(delay: number) {
    super(`The platform accepts no calls for ${delay / 1000} s.`);
    this.delay = delay;
  }
}

/** The platform rejects a call for good: the bot was removed, the chat is gone, or the token is invalid. */
export class ChatRejected extends Error {
  override readonly name = "ChatRejected";
}
