/** The state that an earlier attempt left, read from the run's rows and its log, so that a recovered run continues exactly there. */

import { storedFrames } from "../../events/stored-frames.ts";
import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import type { Message, PlacedMessage } from "../../model/run/message.ts";
import { attemptAnswered, pausePrefix } from "../../model/run/run-marks.ts";
import type { Mark, MessageRow, RunRow, Store } from "../../store/contract/store.ts";
import { RelayedLog, relayOriginOf } from "./relayed-log.ts";

/** The logged state of one run of the tree, the root or a member. */
export interface Checkpoint {
  /** Index of the first event after its last durable step: events from there on are void. */
  readonly discardFrom: number;
  /** Tool calls that were announced after that step: it is unknown whether they took effect. */
  readonly startedCalls: ReadonlySet<string>;
}

/** A member's run as an earlier attempt left it. */
export interface EarlierMember {
  readonly row: RunRow;
  readonly messages: readonly PlacedMessage[];
  readonly marks: ReadonlyMap<string, unknown>;
}

/** When a run paused, and when its questions were answered, in milliseconds since the epoch. */
export interface AnsweredPauseTime {
  readonly from: number;
  readonly until: number;
}

/** The whole state of a root run that an earlier attempt left. */
export interface Recovery {
  readonly attempt: number;
  readonly messages: readonly PlacedMessage[];
  /** The values that the root run has recorded. */
  readonly marks: ReadonlyMap<string, unknown>;
  readonly members: readonly EarlierMember[];
  /** Characters of the answers of the run and the runs under it, of all their stored rows, and of the log. */
  readonly outputBytes: number;
  readonly storedBytes: number;
  readonly logBytes: number;
  /** The pauses of the root run that are answered. */
  readonly pauses: readonly AnsweredPauseTime[];
  /** Whether the run was paused, so that it is continued and none of its events are void. */
  readonly wasPaused: boolean;
  /** By run id. A run without an entry has no event yet. */
  readonly checkpoints: ReadonlyMap<string, Checkpoint>;
  /** Relayed events of the parts of this run that other servers execute, by run id. */
  readonly relayed: ReadonlyMap<string, RelayedLog>;
}

/** Events that become durable together with a row; each ends a step. `RunRecovered` itself states which events before it are void. */
const steps =
  /^(?:(?:Team)?(?:Run(?:Started|Completed|Error|Recovered|Continued|Message)|PreHookCompleted|ModelRequestCompleted|ToolCallCompleted|(?:Parser|Output)ModelResponseCompleted|FollowupsCompleted|ReasoningStep|CompressionCompleted|SessionSummary(?:Started|Completed)|KnowledgeSearchCompleted|Task(?:IterationStarted|IterationCompleted|StateUpdated|Created|Updated))|Workflow(?:Started|Completed|Error|Recovered)|Step(?:Completed|Continued)|StepOutputReview|(?:Parallel|Condition|Loop|Router|Steps)Execution(?:Started|Completed)|LoopIteration(?:Started|Completed))$/;

/** Whether an event ends a step of its run. */
export function endsStep(name: string): boolean {
  return steps.test(name);
}

const paused = /^(?:(?:Team)?Run|Workflow)Paused$|^WorkflowRunOutput$/;
const callStarted = /^(?:Team)?ToolCallStarted$/;
const reasoned = /^(?:Team)?ReasoningCompleted$/;

/** Reads the state that an earlier attempt left. This process owns the run, so nothing changes meanwhile. */
export async function readRecovery(
  store: Store,
  run: { key: number; attempt: number; nextIndex: number },
): Promise<Recovery> {
  const rows = await store.memberRuns([run.key]);
  const stored = await store.messages([run.key, ...rows.map(({ key }) => key)]);
  const marks = await store.marks([run.key, ...rows.map(({ key }) => key)]);
  const messages = stored.map((row) => ({ runKey: row.runKey, bytes: row.body.length, placed: toPlaced(row) }));
  const marksOf = (key: number): ReadonlyMap<string, unknown> =>
    new Map(marks.filter(({ runKey }) => runKey === key).map(({ name, body }) => [name, JSON.parse(body)]));
  const messagesOf = (key: number): PlacedMessage[] =>
    messages.filter(({ runKey }) => runKey === key).map(({ placed }) => placed);
  const storedBytes = sum(messages) + sum(marks.map(({ body }) => ({ bytes: body.length })));
  return {
    attempt: run.attempt,
    outputBytes: sum(messages.filter(({ placed }) => placed.message.role !== "user")),
    storedBytes,
    messages: messagesOf(run.key),
    marks: marksOf(run.key),
    pauses: answeredPauses(marks.filter(({ runKey }) => runKey === run.key)),
    members: rows.map((row) => ({ row, messages: messagesOf(row.key), marks: marksOf(row.key) })),
    ...(await readCheckpoints(store, run.key, run.nextIndex)),
  };
}

/** Times of each pause and its answers; both marks contain the attempt that paused. */
function answeredPauses(marks: readonly Mark[]): readonly AnsweredPauseTime[] {
  const paused = new Map<string, number>();
  for (const { name, createdAt } of marks)
    if (name.startsWith(pausePrefix)) paused.set(name.slice(pausePrefix.length).split("/")[0] ?? "", createdAt);
  return marks.flatMap(({ name, createdAt }) => {
    const from = paused.get(attemptAnswered(name) ?? "");
    return from === undefined ? [] : [{ from, until: createdAt }];
  });
}

function sum(rows: readonly { readonly bytes: number }[]): number {
  return rows.reduce((total, { bytes }) => total + bytes, 0);
}

/** Converts a message row to the form that loops use. */
export function toPlaced({ id, position, createdAt, body }: MessageRow): PlacedMessage {
  return { id, position, createdAt, message: JSON.parse(body) as Message };
}

async function readCheckpoints(
  store: Store,
  key: number,
  nextIndex: number,
): Promise<Pick<Recovery, "checkpoints" | "wasPaused" | "relayed" | "logBytes">> {
  let wasPaused = false;
  let logBytes = 0;
  const relayed = new Map<string, RelayedLog>();
  const found = new Map<string, { discardFrom: number; startedCalls: Set<string> }>();
  for await (const frames of storedFrames(store, key, nextIndex)) {
    logBytes += frames.length;
    for (const frame of eachFrame(frames)) {
      const name = frameName(frame);
      const mark = relayOriginOf(frame);
      if (mark) {
        // An event of another server ends no step of this server's runs.
        takeRelayed(relayed, mark, endsStep(name));
        continue;
      }
      wasPaused = paused.test(name);
      // Other events, mostly deltas, are not parsed.
      if (steps.test(name) || callStarted.test(name) || reasoned.test(name))
        take(found, JSON.parse(frameData(frame)) as StepEvent);
    }
  }
  return { checkpoints: found, wasPaused, relayed, logBytes };
}

function takeRelayed(
  found: Map<string, RelayedLog>,
  { runId, index, here }: NonNullable<ReturnType<typeof relayOriginOf>>,
  isStep: boolean,
): void {
  const log = found.get(runId) ?? new RelayedLog();
  found.set(runId, log);
  if (index !== undefined) log.take(index, here, isStep);
}

interface StepEvent {
  readonly event: string;
  readonly run_id: string;
  readonly event_index: number;
  readonly tool?: { readonly tool_call_id: string };
  readonly content_type?: string;
}

function take(found: Map<string, { discardFrom: number; startedCalls: Set<string> }>, event: StepEvent): void {
  // The end of reasoning within a turn ends no step; the end of reasoning before the first turn does.
  if (reasoned.test(event.event) && event.content_type !== "ReasoningSteps") return;
  if (callStarted.test(event.event)) {
    if (event.tool) found.get(event.run_id)?.startedCalls.add(event.tool.tool_call_id);
    return;
  }
  // A call that was announced before a takeover remains announced until it has a result.
  const before = found.get(event.run_id)?.startedCalls ?? new Set();
  if (event.tool) before.delete(event.tool.tool_call_id);
  found.set(event.run_id, { discardFrom: event.event_index + 1, startedCalls: before });
}
