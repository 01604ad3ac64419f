/** The durable steps at which a process is killed, and how to recognize each. The product contains none of this code. */
import type { Message } from "../../../src/model/run/message.ts";
import type { RunWrite } from "../../../src/store/contract/store.ts";

/** The moment in a step: `within`, before the response to its commit (of `answer stored`: before the store receives the answer); `after`, when it is committed and no client has received it. */
export type Moment = "within" | "after";

/** The point at which a process dies: a step of the runs of one session. */
export interface CrashPoint {
  readonly session: string;
  readonly step: string;
  readonly moment: Moment;
}

/** Steps that are flushes, recognized by the content of a run's write. */
export const flushes = {
  "run started": (write) => tells(write, "TeamRunStarted"),
  "first content": (write) => tells(write, "TeamRunContent"),
  "leader's turn": (write) => says(write, "root", (message) => message.role === "assistant" && !!message.toolCalls),
  "member created": ({ members = [] }) => members.length > 0,
  "member's turn": (write) => says(write, "member", (message) => message.role === "assistant" && !!message.toolCalls),
  "tool call started": (write) => tells(write, "ToolCallStarted"),
  "tool's result": (write) => says(write, "member", (message) => message.role === "tool"),
  "member ended": ({ memberEnds = [] }) => memberEnds.length > 0,
  "delegation's result": (write) => says(write, "root", (message) => message.role === "tool"),
  "task created": (write) => tells(write, "TeamTaskCreated"),
  "task updated": (write) => tells(write, "TeamTaskUpdated"),
  "task list reported": (write) => tells(write, "TeamTaskStateUpdated"),
  "last turn": (write) => says(write, "root", (message) => message.role === "assistant" && !message.toolCalls),
  reasoned: (write) => recorded(write, "request/reasoning/"),
  drafted: (write) => says(write, "root", (message) => message.role === "assistant" && !message.purpose),
  written: (write) => says(write, "root", (message) => message.role === "assistant" && !!message.purpose),
  parsed: (write) => recorded(write, "request/parser_model/"),
  "parser reported": (write) => tells(write, "ParserModelResponseCompleted"),
  suggested: (write) => recorded(write, "request/followups/"),
  "recovery event": (write) => tells(write, "TeamRunRecovered"),
  "run paused": (write) => write.transition?.to === "PAUSED",
  "run completed": (write) => write.transition?.to === "COMPLETED",
  "run cancelled": (write) => write.transition?.to === "CANCELLED",
} satisfies Record<string, (write: RunWrite) => boolean>;

/** Steps that are separate calls of the store, and steps that the app's tools report. */
export type OtherStep =
  | "run created"
  | "run taken over"
  | "cancel requested"
  | "run continued"
  | "run handed over"
  | "lease ended"
  | "log compacted"
  | "answer stored"
  | `${"note" | "pay"} ${"begun" | "done"}`;

export type Step = keyof typeof flushes | OtherStep;

function tells({ segment }: RunWrite, event: string): boolean {
  return segment?.frames.includes(`event: ${event}\n`) ?? false;
}

function recorded({ marks = [] }: RunWrite, prefix: string): boolean {
  return marks.some(({ name }) => name.startsWith(prefix));
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
