/** What all scopes of one root run share: its log's writing end, its session, what waits for the next commit, and whether it must stop. */

import type { Changes, CommitOutcome, Ending, RunWriter } from "../../events/run-writer.ts";
import { frameOverhead, type UnnumberedEvent } from "../../model/frame.ts";
import type { ModelUsage } from "../../model/message.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunOutput } from "../../model/record.ts";
import { isTerminal, type TerminalStatus } from "../../model/run.ts";
import type { Mark, MemberCreation, MemberEnd, MessageWrite, StatePatch } from "../../store/contract/store.ts";
import { abortable } from "../abortable.ts";
import { RunFailure, RunStopped, type StopReason } from "../loops/contract.ts";
import type { EngineParts } from "../parts.ts";
import type { HeldMemory } from "../process/run-memory.ts";
import type { Recovery } from "./recovery.ts";
import type { SessionState } from "./session-state.ts";

/** The session a root run is in. */
export interface RunSession {
  readonly key: number;
  readonly seq: number;
  readonly id: string;
  readonly state: SessionState;
}

/** What a root run is made of. */
export type RootRunParts = Pick<
  RootRun,
  | "parts"
  | "runId"
  | "writer"
  | "session"
  | "principal"
  | "userId"
  | "createdAt"
  | "bearer"
  | "recovery"
  | "signal"
  | "memory"
> & {
  /** Stops the run, and everything under it. */
  readonly stop: (reason: StopReason) => void;
};

/** A run under the root, as far as it is shown. */
export type BegunMember = Pick<
  MemberCreation,
  "runId" | "kind" | "componentId" | "componentName" | "input" | "model" | "modelProvider" | "createdAt" | "toolCallId"
> & { readonly parentKey: number | null };

/** One that has ended, or waits for somebody. */
export interface EndedMember {
  readonly member: BegunMember;
  readonly status: TerminalStatus | "PAUSED";
  readonly output: RunOutput;
}

/**
 * Bytes that an answer's characters hold until the run's end, about: the text twice, for its message is put together while its deltas are kept,
 * and the objects of a delta.
 */
function bytesHeld(characters: number): number {
  return 2 * characters + 96;
}

export class RootRun {
  readonly parts: EngineParts;
  readonly runId: string;
  readonly writer: RunWriter;
  readonly session: RunSession;
  readonly principal: Principal;
  readonly userId: string | null;
  readonly createdAt: number;
  /** The token of its caller, for servers that are sent it. */
  readonly bearer: string | undefined;
  /** What an earlier attempt left, for a run that is taken up. */
  readonly recovery: Recovery | undefined;
  /** Aborts with a `RunStopped` as its reason. */
  readonly signal: AbortSignal;
  /** What the run holds in memory until its end. */
  readonly memory: HeldMemory;
  readonly #stop: RootRunParts["stop"];
  /** Characters that the run and those under it have answered, and characters of the log. */
  #outputBytes: number;
  #logBytes: number;
  #messages: MessageWrite[] = [];
  #marks: Mark[] = [];
  #members: MemberCreation[] = [];
  #memberEnds: MemberEnd[] = [];
  /** Tokens of members that have ended. */
  readonly #usage: ModelUsage[] = [];
  /** Runs under it, by key, and those of them that have ended. */
  readonly #begun = new Map<number, BegunMember>();
  readonly #ends: EndedMember[] = [];
  /** Those that wait for somebody since this attempt began, by key. */
  readonly #pauses = new Map<number, EndedMember>();
  /** Finished tool calls of runs under it, by the id of the run. */
  readonly #calls = new Map<string, RunOutput["tools"]>();
  #hasRows = false;
  #ended = false;

  constructor({
    parts,
    runId,
    writer,
    session,
    principal,
    userId,
    createdAt,
    bearer,
    recovery,
    signal,
    ...rest
  }: RootRunParts) {
    this.parts = parts;
    this.runId = runId;
    this.writer = writer;
    this.session = session;
    this.principal = principal;
    this.userId = userId;
    this.createdAt = createdAt;
    this.bearer = bearer;
    this.recovery = recovery;
    this.signal = signal;
    this.memory = rest.memory;
    this.#stop = rest.stop;
    this.#outputBytes = recovery?.outputBytes ?? 0;
    this.#logBytes = recovery?.logBytes ?? 0;
    for (const { row } of recovery?.members ?? []) {
      this.#begun.set(row.key, row);
      if (row.output === null) continue;
      const output = JSON.parse(row.output) as RunOutput;
      if (isTerminal(row.status)) this.#noteEnd(row.key, row.status, output);
      else this.#noteCalls(row.key, output);
    }
  }

  /** Throws when nothing may be written any more. */
  check(): void {
    if (this.signal.aborted) throw this.signal.reason;
    if (this.#ended || this.writer.closed) throw new RunStopped({ kind: "lost" });
  }

  /** Appends an event. Rows added since the last one become durable with it: what the event tells is never without them. */
  append(event: UnnumberedEvent): void {
    this.check();
    this.#logBytes += event.members.length + frameOverhead;
    const { maxLogBytes } = this.parts.settings;
    if (this.#logBytes > maxLogBytes) {
      const message = `The run's log became larger than ${maxLogBytes} bytes, which is the most (maxLogBytes).`;
      this.#fail(new RunFailure("log_too_large", message));
    }
    // A step takes with it what it changed of the session's state: after a crash it is not made again.
    this.writer.append(event, this.#hasRows ? this.#takeChanges({ whole: false }) : undefined);
  }

  /** Counts characters of what the run, or one under it, has answered. @throws RunStopped when it is too much */
  count(characters: number): void {
    this.check();
    this.memory.add(bytesHeld(characters));
    this.#outputBytes += characters;
    if (this.#outputBytes > this.parts.settings.maxOutputBytes) this.#fail(this.#tooLarge);
  }

  /** The failure of a run whose output, or whose session's state, is larger than it may be. */
  faultOf(json: string): RunFailure | undefined {
    const { maxOutputBytes } = this.parts.settings;
    if (json.length > maxOutputBytes || this.session.state.size > maxOutputBytes) return this.#tooLarge;
    return undefined;
  }

  /** Whether what the run has come to so far must not be stored with its failure. */
  isTooLarge(soFar: Partial<RunOutput>): boolean {
    return JSON.stringify(soFar).length > this.parts.settings.maxOutputBytes;
  }

  get #tooLarge(): RunFailure {
    const { maxOutputBytes } = this.parts.settings;
    const message = `The run's output became larger than ${maxOutputBytes} bytes, which is the most (maxOutputBytes).`;
    return new RunFailure("output_too_large", message);
  }

  /** Ends the run with everything under it. A failure that is only thrown would be a member's own. */
  #fail(failure: RunFailure): never {
    this.#stop({ kind: "failed", failure });
    throw this.signal.reason;
  }

  /** Resolves when the journal takes more. */
  async roomForAnswer(): Promise<void> {
    const { journal } = this.parts;
    for (let room = journal.room(this.writer); room; room = journal.room(this.writer))
      await abortable(room, this.signal);
  }

  addMessage(message: MessageWrite): void {
    this.#messages.push(message);
    this.#hasRows = true;
  }

  addMark(mark: Mark): void {
    this.#marks.push(mark);
    this.#hasRows = true;
  }

  addMember(member: MemberCreation): void {
    this.#members.push(member);
    this.#begun.set(member.key, member);
    this.#hasRows = true;
  }

  addMemberEnd(key: number, status: TerminalStatus, output: RunOutput): void {
    this.#memberEnds.push({ key, status, output: JSON.stringify(output) });
    this.#noteEnd(key, status, output);
    this.#hasRows = true;
  }

  addMemberPause(key: number, output: RunOutput): void {
    this.#memberEnds.push({ key, status: "PAUSED", output: JSON.stringify(output) });
    this.#noteCalls(key, output);
    const member = this.#begun.get(key);
    if (member) this.#pauses.set(key, { member, status: "PAUSED", output });
    this.#hasRows = true;
  }

  /** Runs right under a run that have ended, in the order of their ends; then those that wait for somebody. */
  endedUnder(parentKey: number): readonly EndedMember[] {
    return [...this.#ends, ...this.#pauses.values()].filter(({ member }) => member.parentKey === parentKey);
  }

  /** Finished tool calls of a run under it, as far as it has ended or paused. */
  callsOf(runId: string): RunOutput["tools"] {
    return this.#calls.get(runId);
  }

  /** Tokens of the run and of its members so far. */
  usageWith({ metrics }: Partial<RunOutput>): readonly ModelUsage[] {
    return [...(metrics?.details?.model ?? []), ...this.#usage];
  }

  /** Makes all that was written so far durable, and sees to it that no tool starts late in the process's lease. @throws RunStopped */
  async commit(): Promise<void> {
    this.check();
    const outcome = await this.writer.commit(this.#takeChanges());
    if (outcome.kind === "failed")
      throw new RunFailure("storage_error", "The run's data could not be stored.", outcome.error);
    if (outcome.kind !== "committed") throw new RunStopped({ kind: "lost" });
    if (!this.parts.lease.isFresh) await this.parts.lease.confirm();
    this.check();
  }

  /** Ends the run (or this part of its life): nothing is written after it, unless the ending is refused. */
  async end(ending: Ending): Promise<CommitOutcome> {
    // State that cannot be written fails the answer, but not the ending that tells of it.
    const waiting = this.writer.commit(this.#takeChanges({ whole: ending.to === "COMPLETED" }), ending);
    this.#ended = true;
    return await waiting;
  }

  #noteEnd(key: number, status: TerminalStatus, output: RunOutput): void {
    this.#usage.push(...(output.metrics?.details?.model ?? []));
    this.#noteCalls(key, output);
    this.#pauses.delete(key);
    const member = this.#begun.get(key);
    if (member) this.#ends.push({ member, status, output });
  }

  #noteCalls(key: number, { tools }: RunOutput): void {
    const member = this.#begun.get(key);
    if (member) this.#calls.set(member.runId, tools);
  }

  #takeChanges(state = { whole: true }): Changes {
    const statePatch = this.session.state.takePatch(state);
    return { ...this.#takeRows(), statePatch: this.#isStorable(statePatch) ? statePatch : null };
  }

  /** A state that is too large is not stored: it ends the run, and would be in the way of all later runs of the session. */
  #isStorable(patch: StatePatch | null): boolean {
    if (!patch || this.session.state.size <= this.parts.settings.maxOutputBytes) return true;
    this.#stop({ kind: "failed", failure: this.#tooLarge });
    return false;
  }

  #takeRows(): Changes {
    const rows = { messages: this.#messages, marks: this.#marks, members: this.#members, memberEnds: this.#memberEnds };
    this.#messages = [];
    this.#marks = [];
    this.#members = [];
    this.#memberEnds = [];
    this.#hasRows = false;
    return rows;
  }
}
