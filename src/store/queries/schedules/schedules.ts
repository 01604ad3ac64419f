/** Stores schedules, and records their ticks when they are due. */
import { sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../../model/principal.ts";
import type { Schedule } from "../../../model/schedule/schedule.ts";
import type { DuePlan, ScheduleStore } from "../../contract/schedules.ts";
import type { Database } from "../../database.ts";
import { undecryptable } from "../../encryption/encryption.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import { fittingTexts } from "../../rows/large-columns.ts";
import {
  detailOf,
  planOf,
  readableSchedule,
  sealScheduleRow,
  toFireRow,
  toSchedule,
  toScheduleRow,
  unreadableText,
} from "../../rows/schedules.ts";
import type { ScheduleFiresTable, SchedulesTable } from "../../rows/tables.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";
import { fireQueries } from "./fires.ts";

/** Columns of a listing: all except large ones. */
const listedColumns = [
  ...(["id", "owner", "name", "description", "method", "endpoint", "cron_expr", "timezone"] as const),
  ...(["timeout_seconds", "max_retries", "retry_delay_seconds", "run_at", "ends_at", "max_fires"] as const),
  ...(["overlap", "catch_up", "jitter_seconds", "pause_after", "enabled", "disabled_reason"] as const),
  ...(["next_run_at", "fires", "failures", "platform", "standing_grant", "created_at", "updated_at"] as const),
] as const;

/** The columns of a schedule that planning changes. */
interface Move {
  readonly id: string;
  readonly next: number | null;
  readonly fires: number;
  readonly records: number;
}

/** Max rows per insert: a statement has a limited number of parameters. */
const rowsPerInsert = 100;

/** Max excess rows deleted with each new one: after the limit was lowered, they are not all deleted at once. */
const maxPruned = 10;

/** The plan for a schedule that cannot be read: it is disabled, so that it does not stop the others. */
function unreadable({ next_run_at }: SchedulesTable): DuePlan {
  return { fires: [], cancelsOpen: false, nextRunAt: next_run_at, disabledReason: unreadableText };
}

/**
 * Makes the schedule store of a database.
 *
 * @param keep - max records kept per schedule
 */
export function scheduleStore(database: Database, keep: number): ScheduleStore {
  const { db, now, nowOnce, locked, lockedOrSkipped } = database.dialect;
  const clock = db.selectNoFrom(now.as("now"));

  /** Restricts a query to the schedules that the caller may see. */
  function visible(caller: Principal) {
    const owner = visibleOwner(caller);
    const query = db.selectFrom("schedules");
    const own = owner === null ? query : query.where("owner", "=", owner);
    const session = visibleSession(caller);
    if (session === null) return own;
    // Schedules that were created for the same session. `replace` compares case-sensitively on both databases, which `like` does not.
    const claim = `"claims":{"sessionId":${JSON.stringify(session)}`;
    return own.where(sql<boolean>`replace(standing_grant, ${claim}, '') <> standing_grant`);
  }

  const rowOf = (schedule: Schedule) => sealScheduleRow(toScheduleRow(schedule), database.encryption);

  function* currentTime(): Transaction<number> {
    return Number((yield* first(clock))?.now);
  }

  function* lockRow(id: string): Transaction<SchedulesTable | undefined> {
    return yield* first(db.selectFrom("schedules").selectAll().where("id", "=", id).modifyEnd(locked));
  }

  function* lockSchedule(id: string): Transaction<Schedule | undefined> {
    const row = yield* lockRow(id);
    return row && toSchedule(row);
  }

  function* updateSchedule(schedule: Schedule): Transaction<void> {
    const { id, owner, created_at, ...changed } = rowOf(schedule);
    yield* run(db.updateTable("schedules").set(changed).where("id", "=", id));
  }

  function* cancelWaiting(id: string, why: string): Transaction<void> {
    const cancelled = {
      status: "cancelled",
      is_open: 0,
      detail: detailOf(why),
      completed_at: yield* currentTime(),
    } as const;
    const waiting = db.updateTable("schedule_fires").set(cancelled).where("schedule_id", "=", id);
    yield* run(waiting.where("status", "=", "waiting").where(matchesIndex("schedule_fires_open")));
  }

  /** Deletes the oldest ended records of a schedule; returns how many. */
  function* prune(id: string, excess: number, limit: number): Transaction<number> {
    if (excess <= 0) return 0;
    const over = db.selectFrom("schedule_fires").select("id").where("schedule_id", "=", id).where("is_open", "=", 0);
    const oldest = over.orderBy("created_at").orderBy("id").limit(Math.min(excess, limit));
    return yield* run(db.deleteFrom("schedule_fires").where("id", "in", oldest));
  }

  /** Counts a new record of a schedule. */
  function* countRecord(id: string): Transaction<void> {
    const counted = db.updateTable("schedules").where("id", "=", id);
    const row = yield* first(counted.set({ records: sql<number>`records + 1` }).returning("records"));
    const pruned = row ? yield* prune(id, row.records - keep, 1 + maxPruned) : 0;
    if (pruned > 0) yield* run(counted.set({ records: sql<number>`records - ${pruned}` }));
  }

  type Changes = Parameters<ScheduleStore["update"]>[1];

  function* update(id: string, changes: Changes): Transaction<"updated" | "exists" | "gone"> {
    const before = yield* lockSchedule(id);
    if (!before) return "gone";
    const after = { ...before, ...(typeof changes === "function" ? changes(before, yield* currentTime()) : changes) };
    if (after.name !== before.name) {
      const same = db.selectFrom("schedules").select("id").where("owner", "=", before.owner);
      if (yield* first(same.where("name", "=", after.name))) return "exists";
    }
    yield* updateSchedule(after);
    if (before.enabled && !after.enabled)
      yield* cancelWaiting(id, after.disabledReason ?? "The schedule was disabled.");
    return "updated";
  }

  function* remove(id: string): Transaction<boolean> {
    if (!(yield* lockRow(id))) return false;
    yield* run(db.deleteFrom("schedule_fires").where("schedule_id", "=", id));
    yield* run(db.deleteFrom("webhook_deliveries").where("schedule_id", "=", id));
    return (yield* run(db.deleteFrom("schedules").where("id", "=", id))) === 1;
  }

  function* define(platform: string, definitions: readonly Schedule[]): Transaction<void> {
    for (const wanted of definitions) {
      const insert = db.insertInto("schedules").values({ ...rowOf(wanted), records: 0 });
      if ((yield* run(insert.onConflict((conflict) => conflict.doNothing()))) === 1) continue;
      const same = db.selectFrom("schedules").selectAll().where("owner", "=", wanted.owner);
      const row = yield* first(same.where("name", "=", wanted.name).modifyEnd(locked));
      if (!row) continue;
      const isDamaged = row.payload === undecryptable || row.description === undecryptable;
      const isSame = row.definition === toScheduleRow(wanted).definition && row.platform === platform;
      if (isSame && !isDamaged) continue;
      const { nextRunAt, grant, createdAt: updatedAt } = wanted;
      const fresh = wanted.maxFires !== row.max_fires || wanted.runAt !== row.run_at ? { fires: 0 } : {};
      // The definition replaces these texts, which may be damaged.
      const stored = toSchedule({ ...row, payload: null, description: null });
      yield* updateSchedule({ ...stored, ...planOf(wanted), ...fresh, platform, nextRunAt, grant, updatedAt });
    }
    const names = new Set(definitions.map(({ name }) => name));
    const defined = yield* all(db.selectFrom("schedules").select(["id", "name"]).where("platform", "=", platform));
    for (const { id, name } of defined) if (!names.has(name)) yield* remove(id);
  }

  /** One statement updates all schedules: a separate statement for each would cost a round trip, while other fires wait. */
  function* move(moves: readonly Move[]): Transaction<void> {
    const values = moves.map(({ id, next, fires, records }) => {
      return sql`(cast(${id} as text), cast(${next} as bigint), cast(${fires} as bigint), cast(${records} as bigint))`;
    });
    yield* run({
      compile: () =>
        sql`with moved (id, next, fires, records) as (values ${sql.join(values)})
          update schedules set next_run_at = moved.next, fires = moved.fires, records = moved.records
          from moved where schedules.id = moved.id`.compile(db),
    });
  }

  function* plan(limit: number, make: (schedule: Schedule, at: number, open: number) => DuePlan): Transaction<number> {
    const rows = yield* all(
      db
        .selectFrom("schedules")
        .selectAll()
        .where(matchesIndex("schedules_due"))
        .where("next_run_at", "<=", nowOnce)
        .orderBy("next_run_at")
        .limit(limit)
        .modifyEnd(lockedOrSkipped),
    );
    if (rows.length === 0) return 0;
    const at = yield* currentTime();
    const ids = rows.map(({ id }) => id);
    const open = db.selectFrom("schedule_fires").select("schedule_id").where(matchesIndex("schedule_fires_open"));
    const counted = yield* all(
      open.select(db.fn.countAll().as("open")).where("schedule_id", "in", ids).groupBy("schedule_id"),
    );
    const openOf = new Map(counted.map((row) => [row.schedule_id, Number(row.open)]));
    const fires: ScheduleFiresTable[] = [];
    const moves: Move[] = [];
    for (const row of rows) {
      const schedule = readableSchedule(row);
      const made = schedule ? make(schedule, at, openOf.get(row.id) ?? 0) : unreadable(row);
      if (made.cancelsOpen) {
        yield* cancelWaiting(row.id, "A later fire took its place.");
        const going = db.updateTable("schedule_fires").set({ cancel_requested: 1 }).where("schedule_id", "=", row.id);
        yield* run(going.where("status", "=", "running").where(matchesIndex("schedule_fires_open")));
      }
      if (made.disabledReason !== undefined) {
        const disabled = { enabled: 0, disabled_reason: JSON.stringify(made.disabledReason) };
        yield* run(db.updateTable("schedules").set(disabled).where("id", "=", row.id));
      }
      fires.push(...made.fires.map((fire) => toFireRow(row.id, fire, at)));
      const fired = row.fires + made.fires.filter(({ status }) => status !== "skipped").length;
      const records = row.records + made.fires.length;
      const pruned = yield* prune(row.id, records - keep, made.fires.length + maxPruned);
      moves.push({ id: row.id, next: made.nextRunAt, fires: fired, records: records - pruned });
    }
    yield* move(moves);
    for (let from = 0; from < fires.length; from += rowsPerInsert) {
      const insert = db.insertInto("schedule_fires").values(fires.slice(from, from + rowsPerInsert));
      yield* run(insert.onConflict((conflict) => conflict.doNothing()));
    }
    return rows.length;
  }

  return {
    async now() {
      const [row] = await database.read(clock.compile());
      return Number(row?.now);
    },

    async create(schedule) {
      const insert = db.insertInto("schedules").values({ ...rowOf(schedule), records: 0 });
      return (await database.write(() => run(insert.onConflict((conflict) => conflict.doNothing())))) === 1;
    },

    async find(caller, id) {
      const [row] = await database.read(visible(caller).selectAll().where("id", "=", id).compile());
      return row && toSchedule(row);
    },

    async list(caller, { enabled, limit, offset, maxBytes }) {
      const some = (query: ReturnType<typeof visible>) =>
        enabled === undefined ? query : query.where("enabled", "=", enabled ? 1 : 0);
      const bytes = sql<number>`coalesce(octet_length(payload), 0)`.as("bytes");
      const newest = some(visible(caller)).select(listedColumns).select(["id as key", bytes]);
      const ordered = newest.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).offset(offset);
      const rows = await database.read(ordered.compile());
      const texts = await fittingTexts(rows, maxBytes, (ids) => {
        return database.read(
          db.selectFrom("schedules").select(["id as key", "payload"]).where("id", "in", ids).compile(),
        );
      });
      const schedules = rows.map(({ key, bytes: _, ...row }) => {
        return toSchedule({ ...row, payload: texts.get(key)?.payload ?? null, definition: "" });
      });
      const [counted] = await database.read(some(visible(caller)).select(db.fn.countAll().as("total")).compile());
      return { schedules, total: Number(counted?.total ?? 0) };
    },

    async update(id, changes) {
      try {
        return await database.write(() => update(id, changes));
      } catch (error) {
        // Another schedule has taken the name since the check.
        if ((error as { code?: unknown }).code === "23505") return "exists";
        throw error;
      }
    },

    remove: (id) => database.write(() => remove(id)),
    define: (platform, definitions) => database.write(() => define(platform, definitions)),
    plan: (limit, make) => database.write(() => plan(limit, make)),
    ...fireQueries(database, { lockSchedule, cancelWaiting, currentTime, lockRow, countRecord }),
  };
}
