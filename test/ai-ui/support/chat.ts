/** The stock client of AI SDK UI in Node. */
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  type HttpChatTransportInitOptions,
  type UIMessage,
} from "ai";

export interface Metadata {
  readonly runId?: string;
  readonly sessionId?: string;
  readonly status?: string;
  readonly cursor?: number;
  readonly usage?: Readonly<Record<string, number>>;
}

export type Message = UIMessage<Metadata>;

/** The state of a chat without a framework: `useChat` and `Chat` of `@ai-sdk/react` differ only here. */
class PlainState implements ChatState<Message> {
  status: ChatStatus = "ready";
  error: Error | undefined = undefined;
  messages: Message[] = [];
  pushMessage = (message: Message): void => {
    this.messages = [...this.messages, message];
  };
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (place: number, message: Message): void => {
    this.messages = this.messages.with(place, structuredClone(message));
  };
  snapshot = <Value>(value: Value): Value => structuredClone(value);
}

/** The stock chat. */
export class PlainChat extends AbstractChat<Message> {
  constructor({ messages = [], ...init }: ChatInit<Message>) {
    const state = new PlainState();
    state.messages = messages;
    super({ ...init, state });
  }
}

type Init = Omit<ChatInit<Message>, "transport"> & { transport?: HttpChatTransportInitOptions<Message> };

/** A chat with a component, for instance `agents/seller`. */
export function openChat(origin: string, path: string, { transport = {}, ...init }: Init = {}): PlainChat {
  const api = `${origin}/ui/${path}`;
  return new PlainChat({ transport: new DefaultChatTransport({ api, ...transport }), ...init });
}

/** The text of a message. */
export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("|");
}

/** The types of the parts of a message; tool calls with their state. */
export function shapeOf(message: UIMessage | undefined): string[] {
  return (message?.parts ?? []).map((part) => ("toolCallId" in part ? `${part.type} ${part.state}` : part.type));
}
