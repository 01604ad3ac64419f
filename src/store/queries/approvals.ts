/** Reads, resolves and deletes approvals. Flushes create approvals when a run pauses, and end them when it ends. */
import { type Expression, type SqlBool, sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../model/principal.ts";
import type { RunApproval } from "../../model/run/approval.ts";
import type { ApprovalQuery, ApprovalStore } from "../contract/approvals.ts";
import type { Database } from "../database.ts";
import { resolvedRow, toApproval } from "../rows/approvals.ts";
import { matchesIndex } from "../rows/index-predicates.ts";
import { fittingTexts } from "../rows/large-columns.ts";
import { run } from "../transaction.ts";

/** Max approvals counted: beyond it, the total is this number, or the end of the page if that is more. */
const maxCounted = 10_000;

type ApprovalFilter = Omit<ApprovalQuery, "limit" | "offset" | "maxBytes">;

/** Columns of a listing: all except large ones. */
const listedColumns = [
  ...(["a.id", "a.run_key", "a.status", "a.approval_type", "a.pause_type", "a.source_type", "a.source_name"] as const),
  ...(["a.agent_id", "a.team_id", "a.workflow_id", "a.tool_name", "a.resolved_by", "a.resolved_at"] as const),
  ...(["a.created_at", "a.updated_at"] as const),
] as const;

const bytes =
  sql<number>`octet_length(a.tool_args) + octet_length(a.requirements) + coalesce(octet_length(a.resolution_data), 0)`.as(
    "bytes",
  );

/** Whether a filter selects the approvals of a run or of a schedule. */
function isFew({ runId, scheduleId }: ApprovalFilter): boolean {
  return runId !== undefined || scheduleId !== undefined;
}

/** Placeholders for texts that did not fit. */
const nothing = { tool_args: "null", requirements: "[]", resolution_data: null };

/** Makes the approval store of a database. */
export function approvalStore(database: Database): ApprovalStore {
  const { db } = database.dialect;

  /** The approvals that the caller may see, with their rows in other tables. An approval has them; with a left join the database begins with the approvals. */
  function visible(caller: Principal) {
    return db
      .selectFrom("approvals as a")
      .leftJoin("runs as r", "r.key", "a.run_key")
      .leftJoin("run_heads as h", "h.run_key", "a.run_key")
      .leftJoin("sessions as s", "s.key", "r.session_key")
      .leftJoin("schedule_fires as f", "f.run_id", "r.run_id")
      .where(isVisible(caller));
  }

  /**
   * Whether the caller may see an approval, named `a`. It and the filters read other tables by subqueries, which the database evaluates for each
   * approval. With a join it could begin with the runs or the sessions, of which there may be many more.
   */
  function isVisible(caller: Principal): Expression<SqlBool> {
    const [owner, session] = [visibleOwner(caller), visibleSession(caller)];
    const ofSession = (column: string) =>
      sql`(select ${sql.ref(column)} from runs r join sessions s on s.key = r.session_key where r.key = a.run_key)`;
    const isOwn = owner === null ? sql`1 = 1` : sql`${ofSession("s.owner")} = ${owner}`;
    return session === null ? sql`${isOwn}` : sql`${isOwn} and ${ofSession("s.session_id")} = ${session}`;
  }

  function matches(filter: ApprovalFilter): Expression<SqlBool> {
    const terms = [sql`1 = 1`];
    const add = (column: string, value: string | undefined): void => {
      if (value !== undefined) terms.push(sql`${sql.ref(column)} = ${value}`);
    };
    if (filter.status === "pending") terms.push(matchesIndex("approvals_pending", "a"));
    else add("a.status", filter.status);
    add("a.approval_type", filter.type);
    add("a.source_type", filter.sourceType);
    add("a.pause_type", filter.pauseType);
    add("a.agent_id", filter.agentId);
    add("a.team_id", filter.teamId);
    add("a.workflow_id", filter.workflowId);
    const { userId, scheduleId, runId } = filter;
    if (userId !== undefined) terms.push(sql`(select r.user_id from runs r where r.key = a.run_key) = ${userId}`);
    if (scheduleId !== undefined) {
      terms.push(sql`a.run_key in (select r.key from schedule_fires f join runs r on r.run_id = f.run_id
        where f.schedule_id = ${scheduleId})`);
    }
    if (runId !== undefined) terms.push(sql`a.run_key = (select r.key from runs r where r.run_id = ${runId})`);
    return sql<SqlBool>`${sql.join(terms, sql` and `)}`;
  }

  async function count(caller: Principal, filter: ApprovalFilter): Promise<number> {
    const every = db.selectFrom("approvals as a").select("a.id").where(isVisible(caller)).where(matches(filter));
    // Under a limit Postgres would begin with all approvals instead of the few of the run or the schedule.
    const some = isFew(filter) ? every : every.limit(maxCounted);
    const query = db.selectFrom(some.as("some")).select(sql<number>`count(*)`.as("total"));
    const [counted] = await database.read(query.compile());
    return Number(counted?.total ?? 0);
  }

  async function read(query: ReturnType<typeof visible>, maxBytes: number): Promise<readonly RunApproval[]> {
    const rows = await database.read(
      query
        .select(listedColumns)
        .select(["a.id as key", bytes])
        .select((eb) => [
          eb.ref("r.run_id").$notNull().as("runId"),
          eb.ref("s.session_id").$notNull().as("sessionId"),
          eb.ref("h.status").$notNull().as("runStatus"),
        ])
        .select("r.user_id as userId")
        .select(["f.schedule_id as scheduleId", "f.id as scheduleRunId", "r.replaced_by as replacedBy"])
        .compile(),
    );
    const texts = await fittingTexts(rows, maxBytes, (ids) => {
      const large = db.selectFrom("approvals").select(["id as key", "tool_args", "requirements", "resolution_data"]);
      return database.read(large.where("id", "in", ids).compile());
    });
    return rows.map(({ key, runId, sessionId, userId, runStatus, replacedBy, scheduleId, scheduleRunId, ...row }) => ({
      ...toApproval({ ...row, ...(texts.get(key) ?? nothing) }),
      ...{ runId, sessionId, userId, scheduleId, scheduleRunId },
      runStatus: replacedBy === null ? runStatus : "REGENERATED",
    }));
  }

  /** Ids that the caller may see, for statements that change rows. */
  function visibleIds(caller: Principal, id: string) {
    return db.selectFrom("approvals as a").select("a.id").where("a.id", "=", id).where(isVisible(caller));
  }

  return {
    async list(caller, { limit, offset, maxBytes, ...filter }) {
      // The few approvals of a run or a schedule are sorted: the index by age would read all others.
      const query = visible(caller)
        .where(matches(filter))
        .orderBy(isFew(filter) ? sql`a.created_at + 0` : "a.created_at", "desc")
        .orderBy("a.id", "desc");
      const [rows, total] = await Promise.all([
        read(query.limit(limit).offset(offset), maxBytes),
        count(caller, filter),
      ]);
      return { rows, total: Math.max(total, rows.length === 0 ? 0 : offset + rows.length) };
    },

    countPending: (caller, userId) => count(caller, { status: "pending", userId }),

    async lastResolved(caller, runId) {
      const resolved = visible(caller)
        .where(matches({ runId, type: "required" }))
        .where("a.resolved_at", "is not", null);
      const newest = resolved.orderBy("a.resolved_at", "desc").orderBy("a.created_at", "desc").orderBy("a.id", "desc");
      return (await read(newest.limit(1), Number.POSITIVE_INFINITY))[0];
    },

    async find(caller, id) {
      const rows = await read(visible(caller).where("a.id", "=", id), Number.POSITIVE_INFINITY);
      return rows[0];
    },

    async resolve(caller, id, resolution) {
      const query = db
        .updateTable("approvals")
        .set(resolvedRow(id, resolution, database.encryption))
        .where("id", "in", visibleIds(caller, id))
        .where("status", "=", "pending");
      return (await database.write(() => run(query))) > 0;
    },

    async delete(caller, id) {
      const query = db.deleteFrom("approvals").where("id", "in", visibleIds(caller, id));
      return (await database.write(() => run(query))) > 0;
    },
  };
}
