/** Reads runs with everything that their records show. */
import { storedFrames } from "../events/stored-frames.ts";
import { eachFrame, frameData, frameName } from "../model/frame.ts";
import { nextTurn } from "../model/next-turn.ts";
import type { Principal } from "../model/principal.ts";
import type { RunApproval } from "../model/run/approval.ts";
import type { RunStatus } from "../model/run/run.ts";
import { optionsOf } from "../model/run/stored-run.ts";
import type { MessageRow, RunRef, RunRow } from "../store/contract/store.ts";
import { approvalOf } from "./approvals.ts";
import { findRun, type RunName } from "./find.ts";
import type { RunParts } from "./parts.ts";
import type { ReadParts } from "./reading.ts";

export type { MessageRow } from "../store/contract/store.ts";

/** Messages in order, by the key of their run. */
export type MessagesByRun = ReadonlyMap<number, readonly MessageRow[]>;

/** A run with everything that its record shows. */
export interface RunFamily {
  readonly run: RunRow;
  /** Runs of members at any depth, in the order of their creation. */
  readonly members: readonly RunRow[];
  /** Messages of the run and its members, by run key. */
  readonly messages: MessagesByRun;
  /** Events of a root run that was started as a stream, as JSON texts; otherwise empty. */
  readonly events: readonly string[];
  /** The approval that was resolved last, approved or rejected. */
  readonly approval?: RunApproval | undefined;
}

/** Groups messages by run. */
export function byRun(messages: readonly MessageRow[]): MessagesByRun {
  return Map.groupBy(messages, ({ runKey }) => runKey);
}

/**
 * A run with its family; undefined if it was deleted. Yields the event loop between large reads: an in-process database answers without yielding.
 */
export async function readFamily(parts: RunParts, caller: Principal, ref: RunRef): Promise<RunFamily | undefined> {
  const { store, runtime } = parts;
  const run = await store.findRun(caller, ref.runId);
  if (!run) return undefined;
  if (isLarge(run)) await nextTurn(runtime.clock);
  const members = await store.memberRuns([ref.key]);
  const messages = byRun(await store.messages([ref.key, ...members.map(({ key }) => key)]));
  const all = [run, ...members];
  if (all.some(isLarge)) await nextTurn(runtime.clock);
  const isApproved = all.some(({ output }) => output?.includes('"approval_type":"required"'));
  const approval = isApproved ? await approvalOf(parts, caller, run.runId) : undefined;
  return { run, members, messages, events: await readEvents(parts, run), approval };
}

/** The run of a start that has just ended with this status, if this process executed it; otherwise undefined. Nothing is read. */
export function takeAnswered(
  { engine }: Pick<RunParts, "engine">,
  ref: RunRef,
  status: RunStatus,
): RunFamily | undefined {
  const answered = engine.takeAnswered(ref, status);
  return answered && { run: answered.run, members: [], messages: byRun(answered.messages), events: [] };
}

function isLarge({ input, output }: Pick<RunRow, "input" | "output">): boolean {
  return input.length + (output?.length ?? 0) > 1024 * 1024;
}

/** The messages of a run, without the bytes of their media. @throws TroupeError `notFound` */
export async function readMessages(
  parts: RunParts,
  caller: Principal,
  name: RunName,
): Promise<{ readonly run: Awaited<ReturnType<typeof findRun>>; readonly messages: MessagesByRun }> {
  const run = await findRun(parts, caller, name);
  return { run, messages: byRun(await parts.store.messages([run.key], true)) };
}

/** Bytes of a log that are read before other requests get a turn. */
const yieldBytes = 1024 * 1024;

/** Events that a run's record does not list: the answer's chunks, which the record has in full, and copies of the record. */
const unlisted: ReadonlySet<string> = new Set(["RunContent", "TeamRunContent", "WorkflowRunOutput"]);

/** Whether the run was started as a stream: only such runs list their events. */
export function listsEvents(run: RunRow): boolean {
  return run.parentKey === null && optionsOf(run).stream === true;
}

/** The events of a root run so far, as JSON texts; empty if it was not started as a stream. */
export async function readEvents(parts: Pick<ReadParts, "store" | "runtime">, run: RunRow): Promise<string[]> {
  const events: string[] = [];
  for await (const part of eventsOf(parts, run)) events.push(...part.events);
  return events;
}

/**
 * The events of a root run in parts, each with the bytes of the log that were read for it. Yields the event loop between parts: an in-process
 * database answers without yielding.
 */
export async function* eventsOf(
  { store, runtime }: Pick<ReadParts, "store" | "runtime">,
  run: RunRow,
): AsyncGenerator<{ readonly events: readonly string[]; readonly bytes: number }, void> {
  if (!listsEvents(run)) return;
  const head = await store.head(run.key);
  let unyielded = 0;
  for await (const frames of storedFrames(store, run.key, head?.nextIndex ?? 0)) {
    const events: string[] = [];
    for (const frame of eachFrame(frames)) {
      if (!unlisted.has(frameName(frame))) events.push(frameData(frame));
    }
    yield { events, bytes: frames.length };
    unyielded += frames.length;
    if (unyielded < yieldBytes) continue;
    unyielded = 0;
    await nextTurn(runtime.clock);
  }
}
