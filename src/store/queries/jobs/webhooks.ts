/** Reads webhook deliveries, and records the results of their attempts. Flushes and ends of fires create them: see `new-delivery.ts`. */
import { type SqlBool, sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../../model/principal.ts";
import type { ClaimedJob } from "../../contract/jobs.ts";
import type { Delivery, DeliveryQuery, DeliveryResult, WebhookStore } from "../../contract/webhooks.ts";
import type { Database } from "../../database.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import { first, run, type Transaction } from "../../transaction.ts";
import { jobSteps } from "./jobs.ts";
import { type NewDelivery, toDeliveryRow, toJobRow, webhookJob } from "./new-delivery.ts";

/** Max deliveries that one page scans. */
const maxScanned = 2_000;

/** Steps of transactions that create deliveries outside of flushes. */
export function deliverySteps({ dialect: { db, now } }: Pick<Database, "dialect">) {
  return {
    *add(deliveries: readonly NewDelivery[]): Transaction<void> {
      for (const delivery of deliveries) {
        const row = db.insertInto("webhook_deliveries").values(toDeliveryRow(delivery));
        const isNew = (yield* run(row.onConflict((same) => same.column("id").doNothing()))) > 0;
        if (isNew) yield* run(db.insertInto("jobs").values({ ...toJobRow(delivery), due_at: now }));
      }
    },
  };
}

/** Makes the webhook store of a database. */
export function webhookStore(database: Database): WebhookStore {
  const { db, now } = database.dialect;
  const jobs = jobSteps(database);

  /** Deliveries, named `d`, with their runs. */
  function deliveries() {
    return db
      .selectFrom("webhook_deliveries as d")
      .leftJoin("runs as r", "r.key", "d.run_key")
      .leftJoin("sessions as s", "s.key", "r.session_key")
      .select(["d.key", "d.id", "d.hook_id", "d.event", "d.event_index", "d.run_key", "d.schedule_id", "d.fire_id"])
      .select(["d.state", "d.attempts", "d.status_code", "d.error", "d.created_at", "d.updated_at"])
      .select(["r.run_id", "s.session_id", "r.user_id", "r.kind", "r.component_id", "r.component_name"]);
  }

  /** Whether the caller may see the delivery `d`. Subqueries: a join could begin with the runs, of which there may be many more. */
  function isVisible(caller: Principal) {
    const [owner, session] = [visibleOwner(caller), visibleSession(caller)];
    const ofSession = (column: string) =>
      sql`(select ${sql.ref(column)} from runs r join sessions s on s.key = r.session_key where r.key = d.run_key)`;
    const ofSchedule = sql`(select c.owner from schedules c where c.id = d.schedule_id)`;
    const isOwn = owner === null ? sql`1 = 1` : sql`coalesce(${ofSession("s.owner")}, ${ofSchedule}) = ${owner}`;
    return session === null
      ? sql<SqlBool>`${isOwn}`
      : sql<SqlBool>`${isOwn} and ${ofSession("s.session_id")} = ${session}`;
  }

  /** The keys that a page scans, newest first. */
  function scanned({ state, runId, scheduleId, before }: DeliveryQuery) {
    let keys = db.selectFrom("webhook_deliveries").select("key").orderBy("key", "desc");
    if (before !== undefined) keys = keys.where("key", "<", before);
    if (runId !== undefined)
      keys = keys.where("run_key", "=", sql<number>`(select r.key from runs r where r.run_id = ${runId})`);
    else if (scheduleId !== undefined) keys = keys.where("schedule_id", "=", scheduleId);
    else if (state !== undefined && state !== "delivered")
      keys = keys.where(matchesIndex("webhook_deliveries_undelivered"));
    return keys;
  }

  function* finish(job: ClaimedJob, result: DeliveryResult): Transaction<boolean> {
    const { state, statusCode, error, retryIn } = result;
    const isOver = state !== "pending";
    const held = yield* jobs.finish(job, isOver ? { kind: "done" } : { kind: "retry", delay: retryIn });
    if (!held) return false;
    const counted = state === "disabled" ? {} : { attempts: sql<number>`attempts + 1` };
    const change = { state, status_code: statusCode, error, updated_at: now, ...counted };
    yield* run(db.updateTable("webhook_deliveries").set(change).where("id", "=", job.id));
    return true;
  }

  function* replay(id: string): Transaction<void> {
    const again = { state: "pending", attempts: 0, status_code: null, error: null, updated_at: now } as const;
    const change = db.updateTable("webhook_deliveries").set(again).where("id", "=", id).where("state", "<>", "pending");
    const row = yield* first(change.returning(["hook_id", "run_key", "schedule_id", "share"]));
    if (!row) return;
    const lane = `${row.run_key ?? row.schedule_id}/${row.hook_id}`;
    yield* jobs.add([{ kind: webhookJob, id, lane, share: row.share }]);
  }

  return {
    async read(id) {
      const earlier = sql<number>`case when exists (select 1 from webhook_deliveries g where g.run_key = d.run_key
        and g.hook_id = d.hook_id and g.key < d.key and g.status_code = 410) then 1 else 0 end`;
      const query = deliveries()
        .select(["r.options", earlier.as("gone")])
        .where("d.id", "=", id);
      const [row] = await database.read(query.compile());
      return row && { ...toDelivery(row), options: row.options, isGone: row.gone === 1 };
    },

    finish: (job, result) => database.write(() => finish(job, result)),

    async list(caller, query) {
      const { state, event, hookId, runId, scheduleId, limit } = query;
      const keys = scanned(query).limit(maxScanned);
      let rows = deliveries()
        .where("d.key", "in", db.selectFrom(keys.as("k")).select("k.key"))
        .where(isVisible(caller))
        .orderBy("d.key", "desc")
        .limit(limit + 1);
      if (state !== undefined) rows = rows.where("d.state", "=", state);
      if (event !== undefined) rows = rows.where("d.event", "=", event);
      if (hookId !== undefined) rows = rows.where("d.hook_id", "=", hookId);
      if (runId !== undefined && scheduleId !== undefined) rows = rows.where("d.schedule_id", "=", scheduleId);
      const found = (await database.read(rows.compile())).map(toDelivery);
      const shown = found.slice(0, limit);
      if (found.length > limit) return { deliveries: shown, next: shown.at(-1)?.key ?? null };
      const place = scanned(query)
        .limit(1)
        .offset(maxScanned - 1);
      const [last] = await database.read(place.compile());
      return { deliveries: shown, next: last?.key ?? null };
    },

    async find(caller, id) {
      const [row] = await database.read(deliveries().where("d.id", "=", id).where(isVisible(caller)).compile());
      return row && toDelivery(row);
    },

    replay: (id) => database.write(() => replay(id)),
  };
}

interface DeliveryRow {
  readonly key: number;
  readonly id: string;
  readonly hook_id: string;
  readonly event: Delivery["event"];
  readonly event_index: number | null;
  readonly run_key: number | null;
  readonly schedule_id: string | null;
  readonly fire_id: string | null;
  readonly state: Delivery["state"];
  readonly attempts: number;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly run_id: string | null;
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly kind: NonNullable<Delivery["run"]>["kind"] | null;
  readonly component_id: string | null;
  readonly component_name: string | null;
}

function toDelivery(row: DeliveryRow): Delivery {
  const { run_key: key, run_id: runId, session_id: sessionId, kind, component_id: componentId } = row;
  const { schedule_id: scheduleId, fire_id: fireId } = row;
  const isOfRun = key !== null && runId !== null && sessionId !== null && kind !== null && componentId !== null;
  return {
    key: row.key,
    id: row.id,
    hookId: row.hook_id,
    event: row.event,
    eventIndex: row.event_index,
    run: isOfRun
      ? { key, runId, sessionId, userId: row.user_id, kind, componentId, componentName: row.component_name ?? "" }
      : null,
    fire: scheduleId !== null && fireId !== null ? { id: fireId, scheduleId } : null,
    state: row.state,
    attempts: row.attempts,
    statusCode: row.status_code,
    error: row.error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
