/** Decides a flush from the facts read under the database's locks. No I/O: both databases share it. */

import type { ModelUsage } from "../../model/run/message.ts";
import type { RunStatus } from "../../model/run/run.ts";
import { isTerminal, isTransition } from "../../model/run/run.ts";
import { addCosts } from "../../model/usage/cost.ts";
import type {
  CountedUsage,
  Outcome,
  Refusal,
  RunCreation,
  RunTransition,
  RunWrite,
  StatePatch,
  Write,
} from "../contract/store.ts";
import { counterName } from "../contract/usage.ts";
import { clearText } from "../encryption/encryption.ts";
import { toNewJobRow, toRunDelivery } from "../queries/jobs/new-delivery.ts";
import { toPushRow } from "../queries/push-targets.ts";
import { toApprovalRow } from "../rows/approvals.ts";
import { briefOfInput } from "../rows/brief.ts";
import type { Facts, FlushChanges, KnownHead, KnownRun, KnownSession, NewRun, SessionChange } from "./facts.ts";
import { memberEndsOf, statusUnder } from "./member-ends.ts";

/** Outcomes and changes of a flush. */
export interface Decision {
  readonly outcomes: readonly Outcome[];
  readonly changes: FlushChanges;
}

/** Whether a write needs its session's row locked: it ends a run's turn, or changes the session's state or summary. */
export function locksSession(write: RunWrite): boolean {
  return Boolean(write.transition ?? write.statePatch ?? write.summary);
}

/** Whether a write changes the status that push notifications report: the run starts, continues, pauses or ends. */
export function changesReportedStatus({ transition, begins }: RunWrite): boolean {
  return Boolean(transition) || begins === true;
}

/**
 * Decides a flush: creations first, then the writes of runs, each group in its order.
 * @param mayHaveCommitted whether an earlier try of these writes may have been committed
 */
export function decide(writes: readonly Write[], facts: Facts, mayHaveCommitted: boolean): Decision {
  const flush = new Flush(facts, mayHaveCommitted);
  const outcomes = new Array<Outcome>(writes.length);
  for (const [index, write] of writes.entries()) {
    if (write.kind === "create") outcomes[index] = flush.create(write.key, write.run);
  }
  for (const [index, write] of writes.entries()) {
    if (write.kind === "run") outcomes[index] = flush.write(write);
  }
  return { outcomes, changes: flush.changes };
}

interface HeadDraft extends KnownHead {
  status: RunStatus;
  /** Set when this flush creates the run. */
  readonly row?: NewRun;
}

class Flush {
  readonly changes: FlushChanges = {
    runs: [],
    segments: [],
    messages: [],
    marks: [],
    pushTargets: [],
    duePushTargets: [],
    heads: [],
    members: [],
    memberCancellations: [],
    sessions: new Map(),
    summaries: [],
    promotions: new Set(),
    progress: [],
    replacements: [],
    approvals: [],
    answerDeadlines: [],
    approvalEnds: [],
    deliveries: [],
    jobs: [],
    usage: new Map(),
  };
  readonly #facts: Facts;
  readonly #mayHaveCommitted: boolean;
  readonly #heads = new Map<number, HeadDraft>();
  readonly #created = new Map<string, KnownRun>();
  readonly #rows = new Map<number, NewRun>();
  readonly #busy = new Set<number>();
  readonly #pendingSessions = new Set<number>();
  /** Waiting runs by session, including runs of this flush. */
  readonly #pendingCounts = new Map<number, number>();
  readonly #replaced = new Set<number>();

  constructor(facts: Facts, mayHaveCommitted: boolean) {
    this.#facts = facts;
    this.#mayHaveCommitted = mayHaveCommitted;
  }

  create(key: number, run: RunCreation): Outcome {
    const known = this.#created.get(run.runId) ?? this.#facts.run(run.runId);
    if (known !== undefined) {
      if (known.key !== key) return { kind: "exists", key: known.key };
      // An earlier try of this same creation was committed.
      const isMine = known.attempt === 1 && run.startBy !== null && known.owner === run.startBy;
      const { sessionKey, sessionSeq, sessionState } = known;
      return { kind: "created", status: isMine ? "RUNNING" : "PENDING", sessionKey, sessionSeq, sessionState };
    }
    const reason = this.#refusal(key, run);
    if (reason !== undefined) return { kind: "refused", reason };
    const stored = this.#facts.session(run);
    const isBusy = this.#busy.has(stored.key) || this.#facts.isBusy(stored.key);
    const starts = run.startBy !== null && (run.policy === "parallel" || !isBusy);
    if (!starts && !this.#mayQueue(stored.key, run)) return { kind: "refused", reason: "full" };
    const session = this.#session(stored);
    this.#busy.add(session.key);

    const sessionSeq = session.nextSeq;
    const row: NewRun = {
      key,
      run_id: run.runId,
      root_key: key,
      parent_key: null,
      kind: run.kind,
      component_id: run.componentId,
      component_name: run.componentName,
      session_key: session.key,
      session_seq: sessionSeq,
      user_id: run.userId,
      brief: briefOfInput(run.input),
      input: run.input,
      options: run.options,
      output: null,
      definition_hash: run.definitionHash,
      model: run.model,
      model_provider: run.modelProvider,
      tool_call_id: null,
      created_at: run.createdAt,
      policy: run.policy,
      status: starts ? "RUNNING" : "PENDING",
      attempt: starts ? 1 : 0,
      owner: starts ? run.startBy : null,
      ready: run.policy === "parallel" || !isBusy ? 1 : 0,
      background: run.background ? 1 : 0,
    };
    session.nextSeq += 1;
    session.updatedAt = Math.max(session.updatedAt, run.createdAt);
    if (stored.isUntitled) session.title ??= clearText(run.sessionTitle);
    this.changes.runs.push(row);
    for (const message of run.messages ?? []) this.changes.messages.push({ runKey: key, ...message });
    if (run.replaces !== undefined) {
      this.#replaced.add(run.replaces);
      this.changes.replacements.push({ key: run.replaces, runId: run.runId });
    }
    for (const target of run.pushTargets ?? []) {
      this.changes.pushTargets.push(toPushRow(key, target, run));
    }
    const index = { sessionKey: session.key, sessionSeq, sessionState: stored.state };
    this.#created.set(run.runId, { key, attempt: row.attempt, owner: row.owner, ...index });
    if (!starts) this.#pendingSessions.add(session.key);
    this.#heads.set(key, {
      status: row.status,
      attempt: row.attempt,
      cancelRequested: false,
      stalledTakeovers: 0,
      sessionKey: session.key,
      watched: false,
      steered: 0,
      row,
    });
    return { kind: "created", status: starts ? "RUNNING" : "PENDING", ...index };
  }

  #refusal(key: number, { runId, replaces, reservation, isWithdrawn }: RunCreation): Refusal | undefined {
    // If an earlier try may have been committed, the run is created and then cancelled. If the creation were refused instead, the committed run would remain, and no process would execute it.
    if (isWithdrawn?.() && !this.#mayHaveCommitted) return "withdrawn";
    // An earlier try of this same creation was committed, and its run was deleted since.
    if (this.#mayHaveCommitted && this.#facts.isDeleted(key)) return "deleted";
    if (reservation !== undefined && !this.#facts.isReserved(reservation, runId)) return "unreserved";
    if (replaces === undefined) return undefined;
    return this.#replaced.has(replaces) || !this.#facts.isReplaceable(replaces) ? "replaced" : undefined;
  }

  /** Whether a run that does not start at once may wait in its session. Only a run that waits for its turn is rejected. */
  #mayQueue(sessionKey: number, { policy, maxWaiting }: RunCreation): boolean {
    const pending = this.#pendingCounts.get(sessionKey) ?? this.#facts.countPending(sessionKey, maxWaiting);
    if (policy === "queue" && pending >= maxWaiting) return false;
    this.#pendingCounts.set(sessionKey, pending + 1);
    return true;
  }

  write(write: RunWrite): Outcome {
    const head = this.#head(write.key);
    if (head === undefined) return { kind: "lost" };
    if (this.#mayHaveCommitted && this.#hasCommitted(write, head))
      return { kind: "committed", waiting: this.#hasPending(write, head), watched: head.watched };
    if (head.attempt !== write.attempt) return { kind: "lost" };
    const { transition, statePatch } = write;
    const isHeld = transition && transition.to !== "CANCELLED" && head.cancelRequested;
    // A message that the run has not taken must not be lost with its end.
    const isSteered = transition?.to === "COMPLETED" && head.steered > (transition.steered ?? 0);
    if (head.status !== "RUNNING" || isHeld || isSteered || (transition && !isTransition(head.status, transition.to))) {
      const { status, cancelRequested } = head;
      return { kind: "state", status, cancelRequested, ...(isSteered && { isSteered }) };
    }
    if (statePatch) {
      try {
        this.#patch(head.sessionKey, statePatch);
      } catch (error) {
        return { kind: "failed", error: error as Error };
      }
    }

    if (write.segment !== null) {
      const { firstIndex, lastIndex, frames } = write.segment;
      this.changes.segments.push({ key: write.key, attempt: write.attempt, firstIndex, lastIndex, frames });
    }
    for (const message of write.messages ?? []) this.changes.messages.push(message);
    for (const mark of write.marks ?? []) this.changes.marks.push(mark);
    if (write.summary) this.changes.summaries.push({ key: head.sessionKey, ...write.summary });
    for (const amount of write.usage ?? []) this.#count(amount);
    const isProgress = Boolean(write.messages?.length || write.marks?.length);
    if (isProgress && head.stalledTakeovers > 0) this.changes.progress.push(write.key);
    this.#addMembers(write, head);
    for (const end of memberEndsOf(write)) {
      this.#endRow(this.#rows.get(end.key), end.status, end.output);
      this.changes.members.push({ key: end.key, rootKey: write.key, status: end.status, output: end.output });
    }
    if (transition) this.#transit(write.key, head, transition);
    if (changesReportedStatus(write)) this.changes.duePushTargets.push(write.key);
    return { kind: "committed", waiting: this.#hasPending(write, head), watched: head.watched };
  }

  #count(amount: CountedUsage): void {
    const name = counterName(amount);
    const sum = this.changes.usage.get(name);
    this.changes.usage.set(name, {
      ...amount,
      tokens: amount.tokens + (sum?.tokens ?? 0),
      nanos: amount.nanos + (sum?.nanos ?? 0),
      modelRequests: amount.modelRequests + (sum?.modelRequests ?? 0),
      toolCalls: amount.toolCalls + (sum?.toolCalls ?? 0),
    });
  }

  /** Whether the write ends its run's turn while another run of the session waits for its own. */
  #hasPending(write: RunWrite, head: HeadDraft): boolean {
    if (!write.transition || write.transition.to === "PENDING") return false;
    return this.#pendingSessions.has(head.sessionKey) || this.#facts.hasPending(head.sessionKey);
  }

  #addMembers(write: RunWrite, head: HeadDraft): void {
    for (const member of write.members ?? []) {
      const row: NewRun = {
        key: member.key,
        run_id: member.runId,
        root_key: write.key,
        parent_key: member.parentKey,
        kind: member.kind,
        component_id: member.componentId,
        component_name: member.componentName,
        session_key: head.sessionKey,
        session_seq: null,
        user_id: member.userId,
        brief: briefOfInput(member.input),
        input: member.input,
        options: "{}",
        output: null,
        definition_hash: null,
        model: member.model,
        model_provider: member.modelProvider,
        tool_call_id: member.toolCallId,
        created_at: member.createdAt,
        policy: "queue",
        status: "RUNNING",
        attempt: 0,
        owner: null,
        ready: 0,
        background: 0,
      };
      this.#rows.set(member.key, row);
      this.changes.runs.push(row);
    }
  }

  #transit(key: number, head: HeadDraft, transition: RunTransition): void {
    const { to, output, at, usage, approvals = [], answerBy, endsApprovals, deliveries = [], jobs = [] } = transition;
    head.status = to;
    for (const approval of approvals) this.changes.approvals.push(toApprovalRow(key, approval));
    for (const delivery of deliveries) this.changes.deliveries.push(toRunDelivery(key, delivery, at));
    for (const job of jobs) this.changes.jobs.push(toNewJobRow(job, at));
    if (answerBy !== undefined)
      this.changes.answerDeadlines.push({ run_key: key, attempt: head.attempt, due_at: answerBy });
    if (head.row === undefined) {
      this.changes.heads.push({ key, status: to, output, at });
    } else {
      head.row.status = to;
      head.row.owner = null;
      head.row.ready = 1;
      head.row.output = output;
    }
    const stored = this.#facts.sessionByKey(head.sessionKey);
    if (stored !== undefined) {
      const session = this.#session(stored);
      session.updatedAt = Math.max(session.updatedAt, at);
      if (isTerminal(to) && usage?.length) session.usage = addUsage(session.usage ?? stored.usage, usage);
    }
    if (this.#pendingSessions.has(head.sessionKey) || this.#facts.hasPending(head.sessionKey)) {
      this.changes.promotions.add(head.sessionKey);
    }
    if (!isTerminal(to)) return;
    if (endsApprovals)
      this.changes.approvalEnds.push({ key, status: to === "CANCELLED" ? "cancelled" : "expired", at });
    const status = statusUnder(to);
    for (const row of this.#rows.values()) if (row.root_key === key) this.#endRow(row, status, row.output);
    this.changes.memberCancellations.push({ rootKey: key, status, at });
  }

  /** A row that this flush inserts cannot be updated yet: it is inserted in its final state. */
  #endRow(row: NewRun | undefined, status: RunStatus, output: string | null): void {
    if (row === undefined || isTerminal(row.status)) return;
    row.status = status;
    row.output = output;
  }

  #patch(sessionKey: number, patch: StatePatch): void {
    const stored = this.#facts.sessionByKey(sessionKey);
    if (stored === undefined) return;
    const session = this.#session(stored);
    const state = new Map(Object.entries(JSON.parse(session.state ?? stored.state) as Record<string, unknown>));
    for (const name of patch.remove) state.delete(name);
    for (const [name, value] of Object.entries(patch.set)) state.set(name, value);
    session.state = JSON.stringify(Object.fromEntries(state));
  }

  #hasCommitted(write: RunWrite, head: HeadDraft): boolean {
    if (write.segment !== null) return this.#facts.hasSegment(write.key, write.segment.lastIndex, write.attempt);
    return head.attempt === write.attempt && head.status === write.transition?.to;
  }

  #head(key: number): HeadDraft | undefined {
    const draft = this.#heads.get(key);
    if (draft !== undefined) return draft;
    const known = this.#facts.head(key);
    if (known === undefined) return undefined;
    const made: HeadDraft = { ...known };
    this.#heads.set(key, made);
    return made;
  }

  #session(known: KnownSession): SessionChange {
    let change = this.changes.sessions.get(known.key);
    if (change === undefined) {
      change = { key: known.key, nextSeq: known.nextSeq, state: null, title: null, usage: null, updatedAt: 0 };
      this.changes.sessions.set(known.key, change);
    }
    return change;
  }
}

/** Adds usage to the stored tokens by model, as JSON text. */
function addUsage(stored: string | null, added: readonly ModelUsage[]): string {
  const sums = new Map<string, ModelUsage>();
  for (const usage of [...(stored === null ? [] : (JSON.parse(stored) as ModelUsage[])), ...added]) {
    const name = JSON.stringify([usage.id, usage.provider]);
    const sum = sums.get(name);
    const cost = addCosts(sum?.cost, usage.cost);
    sums.set(name, {
      id: usage.id,
      provider: usage.provider,
      input_tokens: (sum?.input_tokens ?? 0) + usage.input_tokens,
      output_tokens: (sum?.output_tokens ?? 0) + usage.output_tokens,
      total_tokens: (sum?.total_tokens ?? 0) + usage.total_tokens,
      ...(cost !== undefined && { cost }),
    });
  }
  return JSON.stringify([...sums.values()]);
}
