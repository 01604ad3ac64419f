/**
 * Lists processes, and the runs of all components by their last change. Unfinished runs come from short indexes of their own, finished runs from the index in
 * the order of changes. A page scans a bounded number of finished runs, so that a rare state gets short pages, not slow ones.
 */
import { type SqlBool, sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../../model/principal.ts";
import { isTerminal, type RunStatus } from "../../../model/run/run.ts";
import type { OverviewQuery, OverviewRow, OverviewStore } from "../../contract/overview.ts";
import type { TaskPosition } from "../../contract/tasks.ts";
import type { Database } from "../../database.ts";
import { comparedAfter, matchesIndex, type PartialIndex } from "../../rows/index-predicates.ts";
import { isOneOf } from "../logs/heads.ts";

/** Max finished runs that one page scans. */
const maxScanned = 2_000;

const statuses = ["PENDING", "RUNNING", "PAUSED", "COMPLETED", "CANCELLED", "ERROR"] as const;

interface Page {
  readonly limit: number;
  readonly after: TaskPosition | undefined;
}

/** Makes these methods for a database. */
export function overviewStore(database: Database): OverviewStore {
  const { db, now } = database.dialect;

  /** Heads of an index, named `o`, in the order of changes. */
  function headsOf(index: PartialIndex, { after }: Page) {
    const query = db
      .selectFrom("run_heads as o")
      .select(["o.run_key", "o.updated_at"])
      .where(matchesIndex(index, "o"))
      .orderBy("o.updated_at", "desc")
      .orderBy("o.run_key", "desc");
    if (after === undefined) return query;
    return query.where(sql<SqlBool>`(o.updated_at, o.run_key) < (${after.updatedAt}, ${after.key})`);
  }

  /** The runs of these heads that match the query and that the caller may see. */
  async function read(from: ReturnType<typeof headsOf>, caller: Principal, query: OverviewQuery, limit: number) {
    let rows = db
      .selectFrom(from.as("f"))
      .innerJoin("run_heads as h", "h.run_key", "f.run_key")
      .innerJoin("runs as r", "r.key", "h.run_key")
      .innerJoin("sessions as s", "s.key", "r.session_key")
      .leftJoin("traces as t", "t.run_key", "r.key")
      .select(["r.key", "r.run_id as runId", "r.kind", "r.component_id as componentId"])
      .select(["r.component_name as componentName", "s.session_id as sessionId", "r.user_id as userId"])
      .select(["r.created_at as createdAt", "f.updated_at as updatedAt", "h.status"])
      .select(["r.replaced_by as replacedBy", "h.attempt", "h.owner as processId"])
      .select(["h.cancel_requested as cancelRequested"])
      .select(["t.input_tokens as inputTokens", "t.output_tokens as outputTokens"])
      .orderBy("f.updated_at", "desc")
      .orderBy("f.run_key", "desc")
      .limit(limit);
    const owner = visibleOwner(caller);
    const session = visibleSession(caller);
    if (owner !== null) rows = rows.where(comparedAfter("r.key", "s.owner"), "=", owner);
    if (session !== null) rows = rows.where(comparedAfter("r.key", "s.session_id"), "=", session);
    const { kind, componentId, userId, sessionId } = query;
    if (kind !== undefined) rows = rows.where(comparedAfter("h.run_key", "r.kind"), "=", kind);
    if (componentId !== undefined) rows = rows.where(comparedAfter("h.run_key", "r.component_id"), "=", componentId);
    if (userId !== undefined) rows = rows.where(comparedAfter("h.run_key", "r.user_id"), "=", userId);
    if (sessionId !== undefined) rows = rows.where(comparedAfter("r.key", "s.session_id"), "=", sessionId);
    // A replaced run has its state no longer: listings show it as REGENERATED.
    if (query.statuses !== undefined)
      rows = rows.where(isOneOf("h.status", query.statuses)).where("r.replaced_by", "is", null);
    const found = await database.read(rows.compile());
    return found.map((row): OverviewRow => ({ ...row, cancelRequested: row.cancelRequested !== 0 }));
  }

  async function unfinished(caller: Principal, query: OverviewQuery, page: Page): Promise<readonly OverviewRow[]> {
    const open = wanted(query).filter((status) => !isTerminal(status));
    // A queue may be long: running and paused runs have indexes of their own.
    const indexes: readonly PartialIndex[] = open.includes("PENDING")
      ? ["heads_open"]
      : open.map((status) => (status === "RUNNING" ? "heads_running" : "heads_paused"));
    const found = await Promise.all(indexes.map((index) => read(headsOf(index, page), caller, query, page.limit)));
    return found.flat();
  }

  /** Finished runs, and the last scanned place if the scan stopped at its limit. */
  async function finished(caller: Principal, query: OverviewQuery, page: Page) {
    if (!wanted(query).some(isTerminal)) return { runs: [], last: undefined };
    const scanned = headsOf("heads_over", page).limit(sql.lit(maxScanned));
    const runs = await read(scanned, caller, query, page.limit);
    if (runs.length === page.limit) return { runs, last: undefined };
    const place = scanned
      .clearLimit()
      .limit(1)
      .offset(maxScanned - 1);
    const [last] = await database.read(
      db.selectFrom(place.as("l")).select(["l.run_key as key", "l.updated_at as updatedAt"]).compile(),
    );
    return { runs, last };
  }

  return {
    async processes() {
      const runs = db
        .selectFrom("run_heads as h")
        .select(["h.owner", sql<number>`count(*)`.as("runs")])
        .where(matchesIndex("heads_running", "h"))
        .groupBy("h.owner");
      const query = db
        .selectFrom("processes as p")
        .leftJoin(runs.as("c"), "c.owner", "p.id")
        .select(["p.id", "p.started_at as startedAt", sql<number>`p.lease_until - ${now}`.as("leaseLeft")])
        .select(sql<number>`coalesce(c.runs, 0)`.as("runs"))
        .orderBy("p.started_at")
        .orderBy("p.id");
      return await database.read(query.compile());
    },

    async runs(caller, { limit, after, ...query }) {
      const page = { limit: limit + 1, after };
      const [open, ended] = await Promise.all([unfinished(caller, query, page), finished(caller, query, page)]);
      const { last } = ended;
      const all = [...open, ...ended.runs].filter((run) => last === undefined || compare(run, last) <= 0).sort(compare);
      const shown = all.slice(0, limit);
      const end = shown.at(-1);
      if (all.length > limit && end) return { runs: shown, next: { key: end.key, updatedAt: end.updatedAt } };
      return { runs: shown, next: last ?? null };
    },
  };
}

function wanted({ statuses: asked = statuses }: OverviewQuery): readonly RunStatus[] {
  return asked;
}

/** Latest first. */
function compare(one: TaskPosition, other: TaskPosition): number {
  return other.updatedAt - one.updatedAt || other.key - one.key;
}
