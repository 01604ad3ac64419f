/** The part of a conversation that a prompt contains, after compactions. It is stored with the run, so that every later request starts from it. */
import type { Message } from "../../model/run/message.ts";

/** The body of a compaction's mark. */
export interface PromptView {
  /** Number of the run's messages when it was made. */
  readonly at: number;
  /** Messages in place of the session's earlier runs: what is left of them, and notes or a summary. */
  readonly earlier: readonly Message[];
  /** Positions of the run's own messages before `from` that stay. */
  readonly kept: readonly number[];
  /** Position of the run's first message that stays together with all messages after it. */
  readonly from: number;
  /** Contents in place of own messages' contents, by position. Media of these messages are left out. */
  readonly contents: Readonly<Record<string, string>>;
  /** Tokens that the provider counted for one estimated token, before it was made. */
  readonly factor: number;
}

/** The messages of a prompt: of earlier runs, then of this run. */
export interface PromptMessages {
  readonly history: readonly Message[];
  readonly messages: readonly Message[];
}

/** A message of a prompt. */
export interface Entry {
  readonly message: Message;
  /** Estimated tokens. */
  readonly tokens: number;
  /** Its position in the run; undefined for a message that is not the run's own. */
  readonly position: number | undefined;
  readonly isReplaced: boolean;
}

/** Returns the messages that a request sends. */
export function applyView(view: PromptView | undefined, { history, messages }: PromptMessages): PromptMessages {
  if (!view) return { history, messages };
  const own = positionsIn(view, messages.length).map((position) => ownMessage(view, messages, position));
  return { history: view.earlier, messages: own };
}

/** Returns the same messages with their positions. */
export function entriesOf(
  view: PromptView | undefined,
  { history, messages }: PromptMessages,
  tokensOf: (message: Message) => number,
): readonly Entry[] {
  const earlier = (view?.earlier ?? history).map((message) => ({
    ...{ message, tokens: tokensOf(message), position: undefined, isReplaced: false },
  }));
  const positions = view ? positionsIn(view, messages.length) : [...messages.keys()];
  const own = positions.map((position) => {
    const message = view ? ownMessage(view, messages, position) : (messages[position] as Message);
    const isReplaced = view?.contents[position] !== undefined;
    return { message, tokens: tokensOf(message), position, isReplaced };
  });
  return [...earlier, ...own];
}

/** Returns the view that shows these entries. Messages without a position come first. */
export function viewOf(entries: readonly Entry[], at: number, factor: number): PromptView {
  const positions = entries.flatMap(({ position }) => position ?? []);
  let from = at;
  while (positions.includes(from - 1)) from--;
  const replaced = entries.filter((entry) => entry.isReplaced && entry.position !== undefined);
  return {
    at,
    earlier: entries.filter(({ position }) => position === undefined).map(({ message }) => message),
    kept: positions.filter((position) => position < from),
    from,
    contents: Object.fromEntries(replaced.map(({ message, position }) => [position, message.content])),
    factor,
  };
}

function positionsIn({ kept, from }: PromptView, count: number): number[] {
  return [...kept, ...Array.from({ length: Math.max(0, count - from) }, (_, place) => from + place)];
}

function ownMessage({ contents }: PromptView, messages: readonly Message[], position: number): Message {
  const message = messages[position] as Message;
  const content = contents[position];
  return content === undefined ? message : withContent(message, content);
}

/** Returns the message with another content, and without media. */
export function withContent(message: Message, content: string): Message {
  if (message.role === "assistant") return { ...message, content };
  const { media: _, ...rest } = message;
  return { ...rest, content };
}
