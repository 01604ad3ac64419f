/** Runs as they are read. */
import { sql } from "kysely";
import { anonymous, type Principal } from "../model/principal.ts";
import type { Database } from "./database.ts";
import { isOneOf } from "./heads.ts";
import type { RunRow, Store } from "./seam.ts";
import { bind } from "./work.ts";

/** Run reads of the store. */
export type RunReads = Pick<Store, "findRun" | "listRuns" | "memberRuns">;

/** Most root runs whose members are read by one statement. */
const mostKeys = 100;

/** Makes them for a database. */
export function runReads(database: Database): RunReads {
  const { db } = database.dialect;

  /** Every read of runs begins here: what the caller may not see is not there. Null is for code that was given the keys by such a read. */
  function visible(caller: Principal | null) {
    const query = db
      .selectFrom("runs as r")
      .innerJoin("run_heads as h", "h.run_key", "r.key")
      .innerJoin("sessions as s", "s.key", "r.session_key")
      .leftJoin("runs as p", "p.key", "r.parent_key")
      .select(["r.key", "r.run_id as runId", "r.root_key as rootKey", "r.parent_key as parentKey"])
      .select(["p.run_id as parentRunId", "r.kind", "r.component_id as componentId"])
      .select(["r.component_name as componentName", "r.session_key as sessionKey", "s.session_id as sessionId"])
      .select(["r.user_id as userId", "r.input", "r.options", "r.output", "r.model"])
      .select(["r.model_provider as modelProvider", "r.created_at as createdAt", "h.status"])
      .select(["r.replaced_by as replacedBy", "r.tool_call_id as toolCallId"]);
    const owner = caller?.owner ?? null;
    return owner === null ? query : query.where("s.owner", "=", owner);
  }

  // Every request that names a run asks for it, and every answer for its members: these are built once.
  const byId = visible(null).where("r.run_id", "=", "").compile();
  const byOwnerAndId = visible({ ...anonymous, owner: "" })
    .where("r.run_id", "=", "")
    .compile();
  const membersOf = (rootKeys: readonly number[]) =>
    visible(null)
      .where("r.root_key", "in", rootKeys)
      .where("r.parent_key", "is not", null)
      .orderBy("r.root_key")
      .orderBy("r.key")
      .compile();
  const membersOfOne = membersOf([0]);

  return {
    async findRun({ owner }, runId) {
      const rows = await (owner === null
        ? database.read(bind(byId, [runId]), "find_run")
        : database.read(bind(byOwnerAndId, [owner, runId]), "find_run_of_owner"));
      return rows[0];
    },

    async listRuns(caller, request) {
      const { kind, componentId, sessionId, statuses, limit, after } = request;
      if (statuses?.length === 0) return [];
      let query = visible(caller)
        .where("r.session_seq", "is not", null)
        .where("r.kind", "=", kind)
        .where("r.component_id", "=", componentId);
      if (statuses !== undefined) query = query.where(isOneOf("h.status", statuses));
      if (limit !== undefined) query = query.limit(limit);
      if (sessionId === undefined) {
        if (after !== undefined) query = query.where("r.key", ">", after);
        query = query.orderBy("r.key");
      } else {
        query = query.where("s.session_id", "=", sessionId).orderBy("r.session_key").orderBy("r.session_seq");
        if (after !== undefined) {
          const place = sql<boolean>`(r.session_key, r.session_seq) > (select a.session_key, a.session_seq from runs a where a.key = ${after})`;
          query = query.where(place);
        }
      }
      return database.read(query.compile());
    },

    async memberRuns(rootKeys) {
      const [only] = rootKeys;
      if (rootKeys.length === 1) return database.read(bind(membersOfOne, [only]), "members_of_one");
      const rows: RunRow[] = [];
      for (let start = 0; start < rootKeys.length; start += mostKeys) {
        rows.push(...(await database.read(membersOf(rootKeys.slice(start, start + mostKeys)))));
      }
      return rows;
    },
  };
}
