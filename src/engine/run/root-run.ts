/** The state that all scopes of one root run share: its log writer, its session, the changes for the next commit, and its stop signal. */

import type { CommitOutcome, Ending, RunWriter } from "../../events/run-writer.ts";
import { abortable } from "../../model/abortable.ts";
import { frameOverhead, type UnnumberedEvent } from "../../model/frame.ts";
import type { Principal } from "../../model/principal.ts";
import type { ModelUsage } from "../../model/run/message.ts";
import type { RunOutput } from "../../model/run/record.ts";
import { recordedRequests } from "../../model/run/recorded-request.ts";
import { isTerminal, type TerminalStatus } from "../../model/run/run.ts";
import { type DeliveredRun, type RunWebhook, runDeliveries } from "../../model/webhook.ts";
import type {
  CountedUsage,
  Mark,
  MemberCreation,
  MemberEnd,
  MessageWrite,
  RunChanges,
  StatePatch,
  SummaryWrite,
} from "../../store/contract/store.ts";
import type { MeterParts } from "../limits/meter.ts";
import { RunUsage } from "../limits/run-usage.ts";
import { RunFailure, RunStopped, type StopReason } from "../loops/contract.ts";
import { modelMetrics, toModelUsage, usageInDetails } from "../model-call/usage.ts";
import type { EngineParts } from "../parts.ts";
import type { HeldMemory } from "../process/run-memory.ts";
import type { Inbox } from "./inbox.ts";
import type { EarlierMember, Recovery } from "./recovery.ts";
import type { TracedRoot } from "./run-spans.ts";
import type { SessionState } from "./session-state.ts";

/** The session of a root run. */
export interface RunSession {
  readonly key: number;
  readonly seq: number;
  readonly id: string;
  readonly state: SessionState;
}

/** The run as webhooks name it, with its own webhooks. */
export interface NotifiedRun extends DeliveredRun {
  readonly webhooks: readonly Pick<RunWebhook, "events">[];
}

/** Constructor parameters of a root run. */
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
  | "traced"
  | "notified"
  | "inbox"
> & {
  /** Stops the run, and everything under it. */
  readonly stop: (reason: StopReason) => void;
};

/** A run under the root, with the fields that records show. */
export type BegunMember = Pick<
  MemberCreation,
  "runId" | "kind" | "componentId" | "componentName" | "input" | "model" | "modelProvider" | "createdAt" | "toolCallId"
> & { readonly parentKey: number | null };

/** A run under the root that has ended or waits for a person. */
export interface EndedMember {
  readonly member: BegunMember;
  readonly status: TerminalStatus | "PAUSED";
  readonly output: RunOutput;
}

/**
 * Approximate bytes that an answer's characters hold until the run's end: the text twice, because its message and its deltas exist at the same
 * time, and the objects of a delta.
 */
function bytesHeld(characters: number): number {
  return 2 * characters + 96;
}

/** Usage in the stored rows of a run whose component this process may not have. */
function requestsIn({ row, messages, marks }: EarlierMember): readonly ModelUsage[] {
  const names = { id: row.model ?? "", provider: row.modelProvider ?? "" };
  const turns = messages.flatMap(({ message }) =>
    message.role === "assistant" && message.metrics
      ? (toModelUsage(message.metrics, message.model ?? names) ?? [])
      : [],
  );
  return [...turns, ...recordedRequests(marks).flatMap((one) => toModelUsage(one.metrics, one.model) ?? [])];
}

export class RootRun {
  readonly parts: EngineParts;
  readonly runId: string;
  readonly writer: RunWriter;
  readonly session: RunSession;
  readonly principal: Principal;
  readonly userId: string | null;
  readonly createdAt: number;
  /** The caller's token for other servers. */
  readonly bearer: string | undefined;
  /** The state that an earlier attempt left; undefined for a new run. */
  readonly recovery: Recovery | undefined;
  /** Aborts with a `RunStopped` as its reason. */
  readonly signal: AbortSignal;
  /** The memory that the run holds until its end. */
  readonly memory: HeldMemory;
  readonly traced: TracedRoot;
  readonly notified: NotifiedRun;
  readonly inbox: Inbox;
  /** Ids of the run and the runs under it whose cancellation was sent to the server that executes them. */
  readonly cancelledRemotes: Set<string> = new Set();
  #metering: MeterParts | undefined;
  readonly #stop: RootRunParts["stop"];
  /** Characters of the answers of the run and the runs under it, and of the log. */
  #outputBytes: number;
  #stateEvent: ((fields: Readonly<Record<string, unknown>>) => UnnumberedEvent) | undefined;
  #isStateDue = false;
  #logBytes: number;
  #messages: MessageWrite[] = [];
  #marks: Mark[] = [];
  #summary: SummaryWrite | undefined;
  #members: MemberCreation[] = [];
  #memberEnds: MemberEnd[] = [];
  /** Usage to add to shared counters. */
  #counted: CountedUsage[] = [];
  /** Usage of members that have ended, as their metrics show it. */
  readonly #usage: ModelUsage[] = [];
  /** Usage of the model requests of the other runs, the root run included, by run key. Their messages contain the same. */
  readonly #requests = new Map<number, ModelUsage[]>();
  /** Runs under the root by key, and the ended runs among them. */
  readonly #begun = new Map<number, BegunMember>();
  readonly #ends: EndedMember[] = [];
  /** Runs that have paused in this attempt, by key. */
  readonly #pauses = new Map<number, EndedMember>();
  /** Finished tool calls of runs under the root, by the id of the run. */
  readonly #calls = new Map<string, RunOutput["tools"]>();
  /** The run's messages so far, if its start waits for the answer. */
  readonly #answered: MessageWrite[] | undefined;
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
    this.traced = rest.traced;
    this.notified = rest.notified;
    this.inbox = rest.inbox;
    this.#stop = rest.stop;
    this.#answered = !recovery && parts.answered.isExpected(writer.key) ? [] : undefined;
    this.#outputBytes = recovery?.outputBytes ?? 0;
    this.#logBytes = recovery?.logBytes ?? 0;
    for (const member of recovery?.members ?? []) {
      const { row } = member;
      this.#begun.set(row.key, row);
      if (!isTerminal(row.status)) this.setRequests(row.key, requestsIn(member));
      if (row.output === null) continue;
      const output = JSON.parse(row.output) as RunOutput;
      if (isTerminal(row.status)) this.#noteEnd(row.key, row.status, output);
      else this.#noteCalls(row.key, output);
    }
  }

  /** The parts that meters need; only runs with limits have meters. */
  get metering(): MeterParts {
    this.#metering ??= this.#openMetering();
    return this.#metering;
  }

  #openMetering(): MeterParts {
    const { parts, recovery, signal, session, writer } = this;
    const usage = new RunUsage(recovery);
    writer.onUsage = (totals) => usage.takeTotals(totals);
    return {
      ...{ parts, usage, signal, sessionKey: session.key },
      commit: () => this.commit(),
      fail: (failure) => this.#fail(failure),
    };
  }

  /** Throws when the run must write nothing more. */
  check(): void {
    if (this.signal.aborted) throw this.signal.reason;
    if (this.#ended || this.writer.closed) throw new RunStopped({ kind: "lost" });
  }

  /** From now on, the log contains the session's state after the next event, and each change of it when it is stored. */
  reportState(make: (fields: Readonly<Record<string, unknown>>) => UnnumberedEvent): void {
    this.#stateEvent = make;
    this.#isStateDue = true;
  }

  /** Appends an event. Rows added since the previous event become durable with it: a stored event is never without the rows that it reports. */
  append(event: UnnumberedEvent): void {
    this.check();
    this.#logBytes += event.members.length + frameOverhead;
    const { maxLogBytes } = this.parts.settings;
    if (this.#logBytes > maxLogBytes) {
      const message = `The run's log became larger than ${maxLogBytes} bytes, which is the most (maxLogBytes).`;
      this.#fail(new RunFailure("log_too_large", message));
    }
    // A step's changes of the session's state become durable with it, because a finished step is not repeated after a crash.
    const changes = this.#hasRows ? this.#takeChanges({ whole: false }) : undefined;
    this.writer.append(event, changes);
    this.#appendState(changes?.statePatch);
  }

  /** Appends the session's state if it is due, or else its changes. It follows the event whose flush stores the changes. */
  #appendState(patch: StatePatch | null | undefined): void {
    if (!this.#stateEvent || !(this.#isStateDue || patch)) return;
    const fields = this.#isStateDue ? { session_state: this.session.state.value } : { ...patch };
    this.#isStateDue = false;
    const event = this.#stateEvent(fields);
    this.#logBytes += event.members.length + frameOverhead;
    this.writer.append(event);
  }

  /** Counts the characters of an answer by this run or by one of the runs under it. @throws RunStopped when the limit is exceeded */
  count(characters: number): void {
    this.check();
    this.memory.add(bytesHeld(characters));
    this.#outputBytes += characters;
    if (this.#outputBytes > this.parts.settings.maxOutputBytes) this.#fail(this.#tooLarge);
  }

  /** Returns the failure of a run whose output, or whose session's state, exceeds the limit. */
  sizeFailure(json: string): RunFailure | undefined {
    const { maxOutputBytes } = this.parts.settings;
    if (json.length > maxOutputBytes || this.session.state.size > maxOutputBytes) return this.#tooLarge;
    return undefined;
  }

  /** Whether the partial output is too large to be stored with the failure. */
  isTooLarge(output: Partial<RunOutput>): boolean {
    return JSON.stringify(output).length > this.parts.settings.maxOutputBytes;
  }

  get #tooLarge(): RunFailure {
    const { maxOutputBytes } = this.parts.settings;
    const message = `The run's output became larger than ${maxOutputBytes} bytes, which is the most (maxOutputBytes).`;
    return new RunFailure("output_too_large", message);
  }

  /** Ends the run with everything under it. A thrown failure alone would end only a member. */
  #fail(failure: RunFailure): never {
    this.#stop({ kind: "failed", failure });
    throw this.signal.reason;
  }

  /** Resolves when the journal accepts more. */
  async waitForRoom(): Promise<void> {
    const { journal } = this.parts;
    for (let room = journal.room(this.writer); room; room = journal.room(this.writer))
      await abortable(room, this.signal);
  }

  /** @param usage what the message's flush adds to shared counters */
  addMessage(message: MessageWrite, usage: readonly CountedUsage[]): void {
    this.#messages.push(message);
    if (usage.length > 0) this.#counted.push(...usage);
    this.#answered?.push(message);
    this.#hasRows = true;
  }

  /** @param usage what the mark's flush adds to shared counters */
  addMark(mark: Mark, usage: readonly CountedUsage[] = []): void {
    this.#marks.push(mark);
    if (usage.length > 0) this.#counted.push(...usage);
    this.#hasRows = true;
  }

  /** Adds a part of a long tool result, of the run or of a run under it. */
  addResult(name: string, text: string): void {
    this.check();
    const body = JSON.stringify(text);
    this.memory.add(2 * body.length);
    this.addMark({ runKey: this.writer.key, name, createdAt: this.parts.runtime.clock.now(), body });
  }

  addSummary(summary: SummaryWrite): void {
    this.check();
    this.#summary = summary;
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

  /** Ended runs directly under a run, in the order of their ends, followed by the paused ones. */
  endedChildren(parentKey: number): readonly EndedMember[] {
    return [...this.#ends, ...this.#pauses.values()].filter(({ member }) => member.parentKey === parentKey);
  }

  /** Finished tool calls of a run under the root that has ended or paused. */
  callsOf(runId: string): RunOutput["tools"] {
    return this.#calls.get(runId);
  }

  /** Sets the usage of a run's model requests to the usage of its stored messages. */
  setRequests(key: number, requests: readonly ModelUsage[]): void {
    this.#requests.set(key, [...requests]);
  }

  addRequest(key: number, usage: ModelUsage): void {
    const known = this.#requests.get(key);
    if (known) known.push(usage);
    else this.#requests.set(key, [usage]);
  }

  /** Usage of the run and of the runs under it so far. A run without metrics counts by its model requests. */
  usageWith({ metrics }: Partial<RunOutput>): readonly ModelUsage[] {
    const root = this.writer.key;
    const others = [...this.#requests].flatMap(([key, requests]) => (key === root ? [] : requests));
    return [...(usageInDetails(metrics?.details) ?? this.#requests.get(root) ?? []), ...this.#usage, ...others];
  }

  /** Metrics of the run's model requests, for an output without metrics; undefined if it made none. */
  get requestMetrics(): RunOutput["metrics"] {
    return modelMetrics(this.#requests.get(this.writer.key) ?? []);
  }

  /** Stores the metrics of unfinished runs under the root, which end with it. */
  endMembersWithUsage(status: TerminalStatus): void {
    for (const [key, requests] of this.#requests) {
      const metrics = modelMetrics(requests);
      if (key === this.writer.key || !metrics || !this.#begun.has(key)) continue;
      const row = this.recovery?.members.find((member) => member.row.key === key)?.row;
      const output = this.#pauses.get(key)?.output ?? (row?.output ? (JSON.parse(row.output) as RunOutput) : {});
      this.#memberEnds.push({ key, status, output: JSON.stringify({ contentType: "str", ...output, metrics }) });
    }
  }

  /** Makes everything written so far durable, and confirms the lease so that no tool starts shortly before it expires. @throws RunStopped */
  async commit(): Promise<void> {
    this.check();
    const changes = this.#takeChanges();
    if (!this.#isStateDue) this.#appendState(changes.statePatch);
    const outcome = await this.writer.commit(changes);
    if (outcome.kind === "failed")
      throw new RunFailure("storage_error", "The run's data could not be stored.", outcome.error);
    if (outcome.kind !== "committed") throw new RunStopped({ kind: "lost" });
    if (!this.parts.lease.isFresh) await this.parts.lease.confirm();
    this.check();
  }

  /** Ends or pauses the run: nothing is written after it, unless the ending is rejected. */
  async end(ending: Ending): Promise<CommitOutcome> {
    // State that cannot be written makes the answer fail, but the ending that reports this failure is still written.
    const changes = this.#takeChanges({ whole: ending.to === "COMPLETED" });
    const { answered } = this.parts;
    const { key } = this.writer;
    if (this.#answered && this.#begun.size === 0 && isTerminal(ending.to) && typeof ending.output === "string")
      answered.end(key, ending.to, ending.output, this.#answered);
    this.#ended = true;
    const { platform = [], wake } = this.parts.webhooks ?? {};
    const moved = { to: ending.to, eventIndex: this.writer.nextIndex };
    const deliveries = runDeliveries(platform, this.notified.webhooks, this.notified, moved);
    const { taken: steered } = this.inbox;
    const isPlain = deliveries === undefined && steered === 0;
    const outcome = await this.writer.commit(changes, isPlain ? ending : { ...ending, deliveries, steered });
    if (outcome.kind !== "committed") answered.forget(key);
    // The run goes on with the messages that it has not taken.
    if (outcome.kind === "state" && outcome.isSteered && !outcome.cancelRequested) this.#ended = false;
    else if (deliveries) wake?.();
    return outcome;
  }

  #noteEnd(key: number, status: TerminalStatus, output: RunOutput): void {
    const { details } = output.metrics ?? {};
    if (details) this.#requests.delete(key);
    this.#usage.push(...(usageInDetails(details) ?? []));
    this.#noteCalls(key, output);
    this.#pauses.delete(key);
    const member = this.#begun.get(key);
    if (member) this.#ends.push({ member, status, output });
  }

  #noteCalls(key: number, { tools }: RunOutput): void {
    const member = this.#begun.get(key);
    if (member) this.#calls.set(member.runId, tools);
  }

  #takeChanges(state = { whole: true }): RunChanges {
    const statePatch = this.session.state.takePatch(state);
    return { ...this.#takeRows(), statePatch: this.#isStorable(statePatch) ? statePatch : null };
  }

  /** A state that is too large is not stored: it ends the run, and would block all later runs of the session. */
  #isStorable(patch: StatePatch | null): boolean {
    if (!patch || this.session.state.size <= this.parts.settings.maxOutputBytes) return true;
    this.#stop({ kind: "failed", failure: this.#tooLarge });
    return false;
  }

  #takeRows(): RunChanges {
    const rows = {
      ...{ messages: this.#messages, marks: this.#marks, members: this.#members, memberEnds: this.#memberEnds },
      usage: this.#counted.length > 0 ? this.#counted : undefined,
      summary: this.#summary,
    };
    this.#summary = undefined;
    this.#messages = [];
    if (rows.usage) this.#counted = [];
    this.#marks = [];
    this.#members = [];
    this.#memberEnds = [];
    this.#hasRows = false;
    return rows;
  }
}
