/** The durable steps at which a process is killed, and how each is told from the others. Nothing of it is in the product. */
import type { Message } from "../../../src/model/message.ts";
import type { RunWrite } from "../../../src/store/contract/store.ts";

/** When in a step: its statements are made and its commit is not answered, or it is committed and nobody has been told. */
export type Moment = "within" | "after";

/** Where a process is to die: at a step of the runs of one session. */
export interface CrashPoint {
  readonly session: string;
  readonly step: string;
  readonly moment: Moment;
}

/** Steps that are flushes: what one of a run holds. */
export const flushes = {
  "run started": (write) => tells(write, "TeamRunStarted"),
  "first words": (write) => tells(write, "TeamRunContent"),
  "leader's turn": (write) => says(write, "root", (message) => message.role === "assistant" && !!message.toolCalls),
  "member created": ({ members = [] }) => members.length > 0,
  "member's turn": (write) => says(write, "member", (message) => message.role === "assistant" && !!message.toolCalls),
  "tool announced": (write) => tells(write, "ToolCallStarted"),
  "tool's result": (write) => says(write, "member", (message) => message.role === "tool"),
  "member ended": ({ memberEnds = [] }) => memberEnds.length > 0,
  "delegation's result": (write) => says(write, "root", (message) => message.role === "tool"),
  "last turn": (write) => says(write, "root", (message) => message.role === "assistant" && !message.toolCalls),
  "recovery told": (write) => tells(write, "TeamRunRecovered"),
  "run paused": (write) => write.transition?.to === "PAUSED",
  "run completed": (write) => write.transition?.to === "COMPLETED",
  "run cancelled": (write) => write.transition?.to === "CANCELLED",
} satisfies Record<string, (write: RunWrite) => boolean>;

/** Steps that are calls of the store of their own, and those that the app's tools tell of. */
export type OtherStep =
  | "run created"
  | "run taken over"
  | "cancel requested"
  | "run continued"
  | "run handed over"
  | "lease ended"
  | "log compacted"
  | `${"note" | "pay"} ${"begun" | "done"}`;

export type Step = keyof typeof flushes | OtherStep;

function tells({ segment }: RunWrite, event: string): boolean {
  return segment?.frames.includes(`event: ${event}\n`) ?? false;
}

function says(
  { key, messages = [] }: RunWrite,
  whose: "root" | "member",
  fits: (message: Message) => boolean,
): boolean {
  return messages.some(
    ({ runKey, body }) => (runKey === key) === (whose === "root") && fits(JSON.parse(body) as Message),
  );
}
