/** Approvals as they are read, resolved and deleted. They are made, and end, with what their runs write. */
import { sql } from "kysely";
import type { RunApproval } from "../model/approval.ts";
import { type Principal, visibleOwner, visibleSession } from "../model/principal.ts";
import { resolvedRow, toApproval } from "./approval-rows.ts";
import type { ApprovalQuery, ApprovalStore } from "./approval-seam.ts";
import type { Database } from "./database.ts";
import { run } from "./work.ts";

/** Makes it for a database. */
export function approvals(database: Database): ApprovalStore {
  const { db } = database.dialect;

  /** Every read begins here. */
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

  function matching(caller: Principal, asked: Omit<ApprovalQuery, "limit" | "offset">) {
    let query = visible(caller);
    // Written out, so that the index of those that wait serves the look for them.
    if (asked.status !== undefined) query = query.where("a.status", "=", sql.lit(asked.status));
    if (asked.type !== undefined) query = query.where("a.approval_type", "=", asked.type);
    if (asked.sourceType !== undefined) query = query.where(sql<boolean>`a.source_type = ${asked.sourceType}`);
    if (asked.pauseType !== undefined) query = query.where(sql<boolean>`a.pause_type = ${asked.pauseType}`);
    if (asked.agentId !== undefined) query = query.where("a.agent_id", "=", asked.agentId);
    if (asked.teamId !== undefined) query = query.where("a.team_id", "=", asked.teamId);
    if (asked.workflowId !== undefined) query = query.where("a.workflow_id", "=", asked.workflowId);
    if (asked.userId !== undefined) query = query.where("r.user_id", "=", asked.userId);
    if (asked.scheduleId !== undefined) query = query.where("f.schedule_id", "=", asked.scheduleId);
    if (asked.runId !== undefined) query = query.where("r.run_id", "=", asked.runId);
    return query;
  }

  async function count(caller: Principal, asked: Omit<ApprovalQuery, "limit" | "offset">): Promise<number> {
    const query = matching(caller, asked).select(sql<number>`count(*)`.as("total"));
    const [counted] = await database.read(query.compile());
    return Number(counted?.total ?? 0);
  }

  async function read(query: ReturnType<typeof visible>): Promise<readonly RunApproval[]> {
    const rows = await database.read(
      query
        .selectAll("a")
        .select(["r.run_id as runId", "s.session_id as sessionId", "r.user_id as userId", "h.status as runStatus"])
        .select(["f.schedule_id as scheduleId", "f.id as scheduleRunId", "r.replaced_by as replacedBy"])
        .compile(),
    );
    return rows.map(({ runId, sessionId, userId, runStatus, replacedBy, scheduleId, scheduleRunId, ...row }) => ({
      ...toApproval(row),
      ...{ runId, sessionId, userId, scheduleId, scheduleRunId },
      runStatus: replacedBy === null ? runStatus : "REGENERATED",
    }));
  }

  /** Ids that the caller may see, for statements that change rows. */
  function seen(caller: Principal, id: string) {
    return visible(caller).select("a.id").where("a.id", "=", id);
  }

  return {
    async list(caller, { limit, offset, ...asked }) {
      const query = matching(caller, asked).orderBy("a.created_at", "desc").orderBy("a.id", "desc");
      const [rows, total] = await Promise.all([read(query.limit(limit).offset(offset)), count(caller, asked)]);
      return { rows, total };
    },

    countPending: (caller, userId) => count(caller, { status: "pending", userId }),

    async find(caller, id) {
      const rows = await read(visible(caller).where("a.id", "=", id));
      return rows[0];
    },

    async resolve(caller, id, resolution) {
      const query = db
        .updateTable("approvals")
        .set(resolvedRow(resolution))
        .where("id", "in", seen(caller, id))
        .where("status", "=", "pending");
      return (await database.write(() => run(query))) > 0;
    },

    async delete(caller, id) {
      const query = db.deleteFrom("approvals").where("id", "in", seen(caller, id));
      return (await database.write(() => run(query))) > 0;
    },
  };
}
