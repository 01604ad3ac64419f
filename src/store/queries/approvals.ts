/** Reads, resolves and deletes approvals. Flushes create approvals when a run pauses, and end them when it ends. */
import { sql } from "kysely";
import type { RunApproval } from "../../model/approval.ts";
import { type Principal, visibleOwner, visibleSession } from "../../model/principal.ts";
import type { ApprovalQuery, ApprovalStore } from "../contract/approvals.ts";
import type { Database } from "../database.ts";
import { resolvedRow, toApproval } from "../rows/approvals.ts";
import { fittingTexts } from "../rows/large-columns.ts";
import { run } from "../transaction.ts";

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

/** Placeholders for texts that did not fit. */
const nothing = { tool_args: "null", requirements: "[]", resolution_data: null };

/** Makes the approval store of a database. */
export function approvalStore(database: Database): ApprovalStore {
  const { db } = database.dialect;

  /** Base of every read: restricts it to what the caller may see. */
  function visible(caller: Principal) {
    const query = db
      .selectFrom("approvals as a")
      .innerJoin("runs as r", "r.key", "a.run_key")
      .innerJoin("run_heads as h", "h.run_key", "a.run_key")
      .innerJoin("sessions as s", "s.key", "r.session_key")
      .leftJoin("schedule_fires as f", "f.run_id", "r.run_id");
    const [owner, session] = [visibleOwner(caller), visibleSession(caller)];
    const own = owner === null ? query : query.where("s.owner", "=", owner);
    return session === null ? own : own.where("s.session_id", "=", session);
  }

  function matching(caller: Principal, filter: ApprovalFilter) {
    let query = visible(caller);
    // A literal instead of a parameter, so that the partial index of pending approvals applies.
    if (filter.status !== undefined) query = query.where("a.status", "=", sql.lit(filter.status));
    if (filter.type !== undefined) query = query.where("a.approval_type", "=", filter.type);
    if (filter.sourceType !== undefined) query = query.where(sql<boolean>`a.source_type = ${filter.sourceType}`);
    if (filter.pauseType !== undefined) query = query.where(sql<boolean>`a.pause_type = ${filter.pauseType}`);
    if (filter.agentId !== undefined) query = query.where("a.agent_id", "=", filter.agentId);
    if (filter.teamId !== undefined) query = query.where("a.team_id", "=", filter.teamId);
    if (filter.workflowId !== undefined) query = query.where("a.workflow_id", "=", filter.workflowId);
    if (filter.userId !== undefined) query = query.where("r.user_id", "=", filter.userId);
    if (filter.scheduleId !== undefined) query = query.where("f.schedule_id", "=", filter.scheduleId);
    if (filter.runId !== undefined) query = query.where("r.run_id", "=", filter.runId);
    return query;
  }

  async function count(caller: Principal, filter: ApprovalFilter): Promise<number> {
    const query = matching(caller, filter).select(sql<number>`count(*)`.as("total"));
    const [counted] = await database.read(query.compile());
    return Number(counted?.total ?? 0);
  }

  async function read(query: ReturnType<typeof visible>, maxBytes: number): Promise<readonly RunApproval[]> {
    const rows = await database.read(
      query
        .select(listedColumns)
        .select(["a.id as key", bytes])
        .select(["r.run_id as runId", "s.session_id as sessionId", "r.user_id as userId", "h.status as runStatus"])
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
    return visible(caller).select("a.id").where("a.id", "=", id);
  }

  return {
    async list(caller, { limit, offset, maxBytes, ...filter }) {
      const query = matching(caller, filter).orderBy("a.created_at", "desc").orderBy("a.id", "desc");
      const [rows, total] = await Promise.all([
        read(query.limit(limit).offset(offset), maxBytes),
        count(caller, filter),
      ]);
      return { rows, total };
    },

    countPending: (caller, userId) => count(caller, { status: "pending", userId }),

    async lastResolved(caller, runId) {
      const resolved = matching(caller, { runId, type: "required" }).where("a.resolved_at", "is not", null);
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
        .set(resolvedRow(resolution))
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
