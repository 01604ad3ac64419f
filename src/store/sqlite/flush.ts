/** One try of the group commit on SQLite: row by row with prepared statements, in one immediate transaction. */
import type { Statement } from "better-sqlite3";
import type { RunStatus } from "../../model/run/run.ts";
import type { CountedUsage, Outcome, RunCreation, SummaryWrite, Write } from "../contract/store.ts";
import { sealChanges } from "../encryption/changes.ts";
import { type Encryption, sealText } from "../encryption/encryption.ts";
import { countedUsage, withTotals } from "../flush/counted-usage.ts";
import { decide } from "../flush/decide.ts";
import type { Facts, FlushChanges, KnownHead, KnownRun, KnownSession, NewRun } from "../flush/facts.ts";
import { type NewDelivery, toDeliveryRow, toJobRow } from "../queries/jobs/new-delivery.ts";
import { briefOfMessage } from "../rows/brief.ts";
import { predicateOf } from "../rows/index-predicates.ts";
import type { ApprovalsTable } from "../rows/tables.ts";
import type { SqliteConnection } from "./connection.ts";
import type { WriteBuffer } from "./write-buffer.ts";

const runColumns: readonly (keyof NewRun)[] = [
  ...(["key", "run_id", "root_key", "parent_key", "kind", "component_id", "component_name", "session_key"] as const),
  ...([
    "session_seq",
    "user_id",
    "brief",
    "input",
    "options",
    "output",
    "definition_hash",
    "model",
    "model_provider",
  ] as const),
  ...(["tool_call_id", "created_at"] as const),
];

const approvalColumns: readonly (keyof ApprovalsTable)[] = [
  ...(["id", "run_key", "status", "approval_type", "pause_type", "source_type", "source_name", "agent_id"] as const),
  ...(["team_id", "workflow_id", "tool_name", "tool_args", "requirements", "created_at", "updated_at"] as const),
];

/** Max heads in the cache. */
const maxHeads = 20_000;

/** The statements of a flush, and a try of one. */
export class SqliteFlush {
  readonly #connection: SqliteConnection;
  readonly #buffer: WriteBuffer;
  /** Heads as of the last flush. Valid because no other process writes this database, and other transactions of this process clear them. */
  readonly #heads = new Map<number, KnownHead>();
  readonly #head: Statement<[number], StoredHead>;
  readonly #run: Statement<[string], KnownRun>;
  readonly #sessionById: Statement<[string, string], KnownSession>;
  readonly #sessionByKey: Statement<[number], KnownSession>;
  readonly #insertSession: Statement<unknown[], KnownSession>;
  readonly #updateSession: Statement;
  readonly #putSummary: Statement<[SummaryWrite & { readonly key: number }]>;
  readonly #busy: Statement<[number]>;
  readonly #hasPending: Statement<[number]>;
  readonly #countPending: Statement<[number, number], { readonly waiting: number }>;
  readonly #hasSegment: Statement<[number, number, number]>;
  readonly #insertRun: Statement;
  readonly #insertHead: Statement;
  readonly #insertMessage: Statement;
  readonly #insertMark: Statement;
  readonly #updateHead: Statement;
  readonly #updateOutput: Statement;
  readonly #updateEnd: Statement;
  readonly #endMember: Statement;
  readonly #endMembers: Statement;
  readonly #resetTakeovers: Statement;
  readonly #promote: Statement<[number]>;
  readonly #replaceable: Statement<[number]>;
  readonly #deleted: Statement<[number]>;
  readonly #reserved: Statement<[string, string]>;
  readonly #replace: Statement;
  readonly #insertApproval: Statement;
  readonly #putAnswerDeadline: Statement;
  readonly #reopenFire: Statement<[number]>;
  readonly #endApprovals: Statement;
  readonly #insertPushTarget: Statement;
  readonly #makePushTargetsDue: Statement<[number]>;
  readonly #addUsage: Statement<[CountedUsage], CountedUsage>;
  readonly #insertDelivery: Statement<[ReturnType<typeof toDeliveryRow>]>;
  readonly #insertJob: Statement<[ReturnType<typeof toJobRow>]>;
  readonly #encryption: Encryption | undefined;
  /** Only with encryption: the key of the next session, which its encrypted state contains. */
  readonly #nextSession: Statement<[], { readonly key: number }>;

  constructor(connection: SqliteConnection, buffer: WriteBuffer, encryption?: Encryption) {
    this.#encryption = encryption;
    this.#connection = connection;
    this.#buffer = buffer;
    const prepare = (text: string): Statement => connection.prepare(text);
    this.#head = prepare(
      `select status, attempt, cancel_requested as cancelRequested, stalled_takeovers as stalledTakeovers,
        session_key as sessionKey, watched, steered from run_heads where run_key = ?`,
    ) as Statement<[number], StoredHead>;
    this.#run = prepare(
      `select r.key, h.attempt, h.owner, r.session_key as sessionKey, r.session_seq as sessionSeq, s.state as sessionState
        from runs r join run_heads h on h.run_key = r.key join sessions s on s.key = r.session_key where r.run_id = ?`,
    ) as Statement<[string], KnownRun>;
    const unfinished = predicateOf("heads_unfinished");
    const session = "key, next_seq as nextSeq, state, title is null as isUntitled, usage";
    this.#sessionById = prepare(`select ${session} from sessions where owner = ? and session_id = ?`) as Statement<
      [string, string],
      KnownSession
    >;
    this.#sessionByKey = prepare(`select ${session} from sessions where key = ?`) as Statement<[number], KnownSession>;
    this.#insertSession = prepare(
      `insert into sessions (key, owner, session_id, kind, component_id, user_id, state, next_seq, created_at, updated_at)
        values (?, ?, ?, ?, ?, ?, ?, 0, ?, ?) returning ${session}`,
    ) as Statement<unknown[], KnownSession>;
    this.#nextSession = prepare("select coalesce(max(key), 0) + 1 as key from sessions") as Statement<
      [],
      { readonly key: number }
    >;
    this.#updateSession = prepare(
      `update sessions set next_seq = ?, state = coalesce(?, state), title = coalesce(?, title), usage = coalesce(?, usage),
        updated_at = max(updated_at, ?) where key = ?`,
    );
    this.#putSummary = prepare(
      `update sessions set summary = @summary, summary_seq = @seq, summary_by = @by, summary_version = summary_version + 1
        where key = @key and summary_version = @version`,
    );
    this.#busy = prepare(`select 1 from run_heads where session_key = ? and ${unfinished} limit 1`) as Statement<
      [number]
    >;
    this.#hasPending = prepare(
      `select 1 from run_heads where session_key = ? and ${unfinished} and status = 'PENDING' limit 1`,
    ) as Statement<[number]>;
    this.#countPending = prepare(
      `select count(*) as waiting from (select 1 from run_heads where session_key = ? and ${unfinished} and status = 'PENDING' limit ?)`,
    ) as Statement<[number, number], { readonly waiting: number }>;
    this.#hasSegment = prepare(
      "select 1 from segments where run_key = ? and last_index = ? and attempt = ?",
    ) as Statement<[number, number, number]>;
    const values = runColumns.map((column) => `@${column}`).join(", ");
    const failedAs = "case when @session_seq is not null and @status in ('ERROR', 'CANCELLED') then @status end";
    this.#insertRun = prepare(
      `insert into runs (${runColumns.join(", ")}, failed_as) values (${values}, ${failedAs}) on conflict do nothing`,
    );
    this.#insertHead = prepare(
      `insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, owner, ready, user_id, background,
          cancel_requested, first_kept, updated_at)
        values (@key, @root_key, @session_key, @session_seq, @policy, @status, @attempt, @owner, @ready, coalesce(@user_id, ''), @background,
          0, 0, @created_at)`,
    );
    this.#insertMessage = prepare(
      "insert into messages (run_key, position, id, created_at, brief, body) values (?, ?, ?, ?, ?, ?) on conflict do nothing",
    );
    this.#insertMark = prepare(
      "insert into marks (run_key, name, created_at, body) values (?, ?, ?, ?) on conflict do nothing",
    );
    this.#updateHead = prepare(
      "update run_heads set status = ?, owner = null, ready = 1, updated_at = ? where run_key = ?",
    );
    this.#updateOutput = prepare("update runs set output = ? where key = ?");
    this.#updateEnd = prepare("update runs set output = coalesce(?, output), failed_as = ? where key = ?");
    this.#endMember = prepare(
      `update run_heads set status = ? where run_key = ? and root_key = ? and ${predicateOf("heads_members")}`,
    );
    this.#endMembers = prepare(
      `update run_heads set status = ?, updated_at = ? where root_key = ? and ${predicateOf("heads_members")}`,
    );
    this.#promote = prepare(
      `update run_heads set ready = 1 where ready = 0 and run_key = (
        select run_key from run_heads where session_key = ? and ${unfinished}
          and status = 'PENDING' order by session_seq limit 1)`,
    ) as Statement<[number]>;
    this.#replaceable = prepare("select 1 from runs where key = ? and replaced_by is null") as Statement<[number]>;
    this.#deleted = prepare("select 1 from deleted_runs where run_key = ?") as Statement<[number]>;
    this.#reserved = prepare("select 1 from starts where digest = ? and run_id = ?") as Statement<[string, string]>;
    const approvalValues = approvalColumns.map((column) => `@${column}`).join(", ");
    this.#insertApproval = prepare(
      `insert into approvals (${approvalColumns.join(", ")}) values (${approvalValues}) on conflict do nothing`,
    );
    this.#putAnswerDeadline = prepare(
      "insert or replace into answer_deadlines (run_key, attempt, due_at) values (@run_key, @attempt, @due_at)",
    );
    this.#endApprovals = prepare(
      "update approvals set status = ?, updated_at = ? where run_key = ? and status = 'pending'",
    );
    this.#reopenFire = prepare(
      `update schedule_fires set status = 'running', owner = null, completed_at = null,
        due_at = cast(unixepoch('subsec') * 1000 as integer)
        where run_id = (select run_id from runs where key = ?) and status = 'paused'`,
    ) as Statement<[number]>;
    this.#replace = prepare("update runs set replaced_by = ? where key = ?");
    this.#insertPushTarget = prepare(
      `insert into push_targets (run_key, id, url, config, version, created_at, cursor, marks, due_at, failures, owner, claims,
          user_id)
        values (@run_key, @id, @url, @config, @version, @created_at, @cursor, 0, null, 0, null, 0, @user_id) on conflict do nothing`,
    );
    this.#makePushTargetsDue = prepare(
      `update push_targets set marks = marks + 1, due_at = coalesce(due_at, cast(unixepoch('subsec') * 1000 as integer))
        where run_key = ?`,
    ) as Statement<[number]>;
    this.#addUsage = prepare(
      `insert into usage_counters (period, scope, key, tokens, nanos, model_requests, tool_calls)
        values (@period, @scope, @key, @tokens, @nanos, @modelRequests, @toolCalls)
        on conflict do update set tokens = tokens + excluded.tokens, nanos = nanos + excluded.nanos,
          model_requests = model_requests + excluded.model_requests, tool_calls = tool_calls + excluded.tool_calls
        returning period, scope, key, tokens, nanos, model_requests as modelRequests, tool_calls as toolCalls`,
    ) as Statement<[CountedUsage], CountedUsage>;
    this.#insertDelivery = prepare(
      `insert into webhook_deliveries (id, hook_id, event, run_key, event_index, schedule_id, fire_id, share, state, attempts, status_code,
          error, created_at, updated_at)
        values (@id, @hook_id, @event, @run_key, @event_index, @schedule_id, @fire_id, @share, @state, @attempts, @status_code, @error,
          @created_at, @updated_at) on conflict do nothing`,
    ) as Statement<[ReturnType<typeof toDeliveryRow>]>;
    this.#insertJob = prepare(
      `insert into jobs (kind, id, lane, share, due_at, attempt, owner, claims, state, created_at)
        values (@kind, @id, @lane, @share, cast(unixepoch('subsec') * 1000 as integer), @attempt, @owner, @claims, @state, @created_at)
        on conflict do nothing`,
    ) as Statement<[ReturnType<typeof toJobRow>]>;
    this.#resetTakeovers = prepare("update run_heads set stalled_takeovers = 0 where run_key = ?");
  }

  tryFlush(writes: readonly Write[], mayHaveCommitted: boolean): readonly Outcome[] {
    const { outcomes, changes, commit } = this.#connection.transact(() => {
      const { outcomes: decided, changes } = decide(writes, this.#facts, mayHaveCommitted);
      sealChanges(changes, this.#encryption);
      this.#apply(changes);
      const totals = countedUsage(changes).map((amount) => this.#addUsage.get(amount) as CountedUsage);
      const outcomes = withTotals(writes, decided, totals);
      const ended = changes.runs.filter((run) => run.status !== "RUNNING");
      const leaving = new Set([...changes.heads, ...ended].map((run) => run.key));
      return { outcomes, changes, commit: this.#buffer.write(changes.segments, leaving) };
    });
    commit();
    for (const { key } of changes.heads) this.#heads.delete(key);
    for (const key of changes.progress) this.#heads.delete(key);
    return outcomes;
  }

  /** Clears the cached heads: another transaction may change them. */
  forget(): void {
    this.#heads.clear();
  }

  #putDelivery(delivery: NewDelivery): void {
    if (this.#insertDelivery.run(toDeliveryRow(delivery)).changes > 0) this.#insertJob.run(toJobRow(delivery));
  }

  readonly #facts: Facts = {
    head: (key): KnownHead | undefined => {
      const known = this.#heads.get(key);
      if (known !== undefined) return known;
      const row = this.#head.get(key);
      if (row === undefined) return undefined;
      const head = { ...row, cancelRequested: row.cancelRequested !== 0, watched: row.watched !== 0 };
      if (this.#heads.size >= maxHeads) this.#heads.clear();
      this.#heads.set(key, head);
      return head;
    },
    run: (runId): KnownRun | undefined => this.#opened(this.#run.get(runId)),
    session: (run: RunCreation): KnownSession => {
      const { owner, sessionId, kind, componentId, userId, sessionState, createdAt } = run;
      const known = this.#sessionById.get(owner, sessionId);
      if (known !== undefined) return this.#opened(known);
      const key = this.#encryption ? (this.#nextSession.get() as { readonly key: number }).key : null;
      const state = sealText(this.#encryption, "sessions.state", [key ?? 0], sessionState);
      const names = [key, owner, sessionId, kind, componentId, userId];
      return this.#opened(this.#insertSession.get(...names, state, createdAt, createdAt) as KnownSession);
    },
    sessionByKey: (key): KnownSession | undefined => this.#opened(this.#sessionByKey.get(key)),
    isBusy: (sessionKey): boolean => this.#busy.get(sessionKey) !== undefined,
    hasPending: (sessionKey): boolean => this.#hasPending.get(sessionKey) !== undefined,
    countPending: (sessionKey, limit): number => this.#countPending.get(sessionKey, limit)?.waiting ?? 0,
    isReplaceable: (key): boolean => this.#replaceable.get(key) !== undefined,
    isDeleted: (key): boolean => this.#deleted.get(key) !== undefined,
    isReserved: (digest, runId): boolean => this.#reserved.get(digest, runId) !== undefined,
    hasSegment: (key, lastIndex, tryFlush): boolean => this.#hasSegment.get(key, lastIndex, tryFlush) !== undefined,
  };

  #opened<Row extends KnownRun | KnownSession | undefined>(row: Row): Row {
    if (row !== undefined) this.#encryption?.openRows([row], true);
    return row;
  }

  #apply(changes: FlushChanges): void {
    for (const run of changes.runs) {
      if (this.#insertRun.run(run).changes > 0) this.#insertHead.run(run);
    }
    for (const { runKey, position, id, createdAt, body, brief } of changes.messages) {
      const short = brief === undefined ? briefOfMessage(body) : brief;
      this.#insertMessage.run(runKey, position, id, createdAt, short, body);
    }
    for (const { runKey, name, createdAt, body } of changes.marks) this.#insertMark.run(runKey, name, createdAt, body);
    for (const { key, rootKey, status, output } of changes.members) {
      if (this.#endMember.run(status, key, rootKey).changes > 0) this.#updateOutput.run(output, key);
    }
    for (const { key, status, output, at } of changes.heads) {
      this.#updateHead.run(status, at, key);
      const failedAs = status === "ERROR" || status === "CANCELLED" ? status : null;
      if (failedAs !== null) this.#updateEnd.run(output, failedAs, key);
      else if (output !== null) this.#updateOutput.run(output, key);
    }
    for (const { rootKey, status, at } of changes.memberCancellations) this.#endMembers.run(status, at, rootKey);
    for (const { key, nextSeq, state, title, usage, updatedAt } of changes.sessions.values()) {
      this.#updateSession.run(nextSeq, state, title, usage, updatedAt, key);
    }
    for (const made of changes.summaries) this.#putSummary.run(made);
    for (const sessionKey of changes.promotions) this.#promote.run(sessionKey);
    for (const approval of changes.approvals) this.#insertApproval.run(approval);
    for (const deadline of changes.answerDeadlines) this.#putAnswerDeadline.run(deadline);
    for (const { key, status, at } of changes.approvalEnds) {
      this.#endApprovals.run(status, at, key);
      this.#reopenFire.run(key);
    }
    for (const target of changes.pushTargets) this.#insertPushTarget.run(target);
    for (const key of changes.duePushTargets) this.#makePushTargetsDue.run(key);
    for (const delivery of changes.deliveries) this.#putDelivery(delivery);
    for (const job of changes.jobs) this.#insertJob.run(job);
    for (const key of changes.progress) this.#resetTakeovers.run(key);
    for (const { key, runId } of changes.replacements) this.#replace.run(runId, key);
  }
}

interface StoredHead {
  readonly status: RunStatus;
  readonly attempt: number;
  readonly cancelRequested: number;
  readonly watched: number;
  readonly stalledTakeovers: number;
  readonly steered: number;
  readonly sessionKey: number;
}
