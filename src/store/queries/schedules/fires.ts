/** Claims and ends fires. A change of a fire locks its schedule first, as planning does. */
import { type SqlBool, sql } from "kysely";
import type { Schedule } from "../../../model/schedule/schedule.ts";
import type { ClaimedFire, EndedAttempt, FireCreation, FireResult, ScheduleStore } from "../../contract/schedules.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import { fittingTexts } from "../../rows/large-columns.ts";
import { detailOf, readableSchedule, toFire, toFireRow, unreadableText } from "../../rows/schedules.ts";
import type { ScheduleFiresTable, SchedulesTable } from "../../rows/tables.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";
import { toFireDelivery } from "../jobs/new-delivery.ts";
import { deliverySteps } from "../jobs/webhooks.ts";

/** Columns of a listing: all except the large one. */
const listedColumns = [
  ...(["id", "schedule_id", "tick", "attempt", "status", "is_open", "queues", "owner", "claims", "run_id"] as const),
  ...(["session_id", "cancel_requested", "due_at", "triggered_at", "completed_at", "created_at"] as const),
] as const;

/** Methods of the store for fires. */
type Fires = Pick<
  ScheduleStore,
  | (
      | "createClaimed"
      | "claim"
      | "beginAttempt"
      | "recordSession"
      | "endAttempt"
      | "release"
      | "cancelRequests"
      | "heldFires"
      | "untilDue"
    )
  | ("findFire" | "listFires")
>;

/** The parts of the schedule queries that fires use. */
interface Schedules {
  lockSchedule(id: string): Transaction<Schedule | undefined>;
  lockRow(id: string): Transaction<SchedulesTable | undefined>;
  cancelWaiting(id: string, why: string): Transaction<void>;
  /** Counts a new record of the schedule. */
  countRecord(id: string): Transaction<void>;
  currentTime(): Transaction<number>;
}

/** Makes these methods for a database. */
export function fireQueries(
  database: Database,
  { lockSchedule, lockRow, cancelWaiting, countRecord, currentTime }: Schedules,
): Fires {
  const { db, now, nowOnce, locked, lockedOrSkipped } = database.dialect;
  const deliveries = deliverySteps(database);

  const isTurn = sql<SqlBool>`(schedule_fires.queues = 0 or not exists (select 1 from schedule_fires o
    where o.schedule_id = schedule_fires.schedule_id and ${matchesIndex("schedule_fires_open", "o")} and o.tick < schedule_fires.tick))`;
  const isOrphaned = sql<SqlBool>`not exists (select 1 from processes p
    where p.id = schedule_fires.owner and p.lease_until >= ${now})`;
  const waiting = db.selectFrom("schedule_fires").where(matchesIndex("schedule_fires_waiting")).where(isTurn);
  const running = db.selectFrom("schedule_fires").where(matchesIndex("schedule_fires_running"));

  /** An attempt begins when it is claimed. A fire whose process waits for it may be due later. */
  const begins = sql<
    number | null
  >`case when due_at <= ${now} then coalesce(triggered_at, ${now}) else triggered_at end`;

  /** Ends a fire whose schedule cannot be read. */
  function* endUnreadable(id: string, at: number): Transaction<void> {
    const over = { status: "failed", is_open: 0, completed_at: at, detail: detailOf(unreadableText) } as const;
    yield* run(db.updateTable("schedule_fires").set(over).where("id", "=", id));
  }

  function* assign(ids: readonly string[], owner: string): Transaction<readonly ClaimedFire[]> {
    if (ids.length === 0) return [];
    const taken = { status: "running", owner, claims: sql<number>`claims + 1`, triggered_at: begins } as const;
    const rows = yield* all(db.updateTable("schedule_fires").set(taken).where("id", "in", ids).returningAll());
    const of = rows.map((row) => row.schedule_id);
    const found = yield* all(db.selectFrom("schedules").selectAll().where("id", "in", of));
    const known = new Map(found.map((row) => [row.id, readableSchedule(row)]));
    const at = yield* currentTime();
    const claimed: ClaimedFire[] = [];
    for (const row of rows) {
      const schedule = known.get(row.schedule_id);
      if (schedule) claimed.push({ fire: toFire(row), schedule, claim: row.claims, now: at });
      else yield* endUnreadable(row.id, at);
    }
    return claimed;
  }

  function* claim({ owner, limit, orphans, lostFires = [] }: Parameters<ScheduleStore["claim"]>[0]) {
    const mine = running.select("id").where("owner", "=", owner).where("id", "in", lostFires);
    const lost = lostFires.length > 0 ? yield* all(mine.modifyEnd(lockedOrSkipped)) : [];
    const due = waiting.select("id").where("due_at", "<=", nowOnce).orderBy("due_at").limit(limit);
    const found = yield* all(due.modifyEnd(lockedOrSkipped));
    const left = running.select("id").where(orphans ? isOrphaned : sql<SqlBool>`owner is null`);
    const orphaned =
      limit > found.length ? yield* all(left.limit(limit - found.length).modifyEnd(lockedOrSkipped)) : [];
    const ids = [...lost, ...found, ...orphaned].map(({ id }) => id);
    return yield* assign(ids, owner);
  }

  function* createClaimed(
    scheduleId: string,
    creation: FireCreation,
    owner: string,
  ): Transaction<ClaimedFire | undefined> {
    const schedule = yield* lockSchedule(scheduleId);
    if (!schedule) return undefined;
    const at = yield* currentTime();
    const made = toFireRow(scheduleId, { ...creation, dueAt: at }, at);
    const row = { ...made, status: "running", owner, claims: 1, triggered_at: at } as const;
    yield* run(db.insertInto("schedule_fires").values(row));
    yield* countRecord(scheduleId);
    return { fire: toFire(row), schedule, claim: 1, now: at };
  }

  /** The row of a claimed fire. */
  function held({ fire, claim }: ClaimedFire) {
    return db
      .selectFrom("schedule_fires")
      .selectAll()
      .where("id", "=", fire.id)
      .where("claims", "=", claim)
      .where("status", "=", "running");
  }

  function* change(
    claimed: ClaimedFire,
    changes: Partial<ScheduleFiresTable>,
  ): Transaction<ScheduleFiresTable | undefined> {
    const row = yield* first(held(claimed).modifyEnd(locked));
    if (row) yield* run(db.updateTable("schedule_fires").set(changes).where("id", "=", row.id));
    return row;
  }

  /** Whether the run of a fire is still paused. The head stays locked, so the run stays paused until the fire is updated. Heads are locked first, as everywhere. */
  function* isPaused(runId: string): Transaction<boolean> {
    const found = yield* first(db.selectFrom("runs").select("key").where("run_id", "=", runId));
    const head = db
      .selectFrom("run_heads")
      .select("status")
      .where("run_key", "=", found?.key ?? -1);
    return (yield* first(head.modifyEnd(locked)))?.status === "PAUSED";
  }

  function* endAttempt(claimed: ClaimedFire, end: FireResult): Transaction<EndedAttempt | undefined> {
    const goesOn = end.status === "paused" && !(yield* isPaused(claimed.fire.runId));
    const stored = yield* lockRow(claimed.fire.scheduleId);
    if (goesOn) {
      // The process that claims the fire next continues to follow the run.
      if (stored) yield* change(claimed, { owner: null });
      return undefined;
    }
    const at = yield* currentTime();
    const over = { status: end.status, is_open: 0, session_id: end.sessionId, completed_at: at };
    const detail = sealText(
      database.encryption,
      "schedule_fires.detail",
      [claimed.fire.id],
      JSON.stringify(end.detail),
    );
    const row = stored && (yield* change(claimed, { ...over, detail }));
    if (!stored || !row) return undefined;
    // No retry follows for a fire that is to be cancelled. No retry follows either for a scheduled fire of a disabled schedule, because no client waits for it.
    if (end.retry && row.cancel_requested === 0 && (stored.enabled === 1 || row.tick === null)) {
      const { id, runId, delay } = end.retry;
      const next = { id, tick: row.tick, attempt: row.attempt + 1, runId, queues: row.queues === 1, dueAt: at + delay };
      const made = toFireRow(row.schedule_id, { ...next, status: "waiting" }, at);
      const held = { ...made, status: "running", owner: row.owner, claims: 1 } as const;
      yield* run(db.insertInto("schedule_fires").values(row.tick === null ? held : made));
      yield* countRecord(row.schedule_id);
      const schedule = readableSchedule(stored) ?? claimed.schedule;
      const retry = row.tick === null ? { fire: toFire(held), schedule, claim: 1, now: at } : null;
      return { retry, isDisabled: false };
    }
    if (end.status === "failed") {
      const fire = { id: claimed.fire.id, scheduleId: stored.id };
      yield* deliveries.add((end.webhooks ?? []).map((hookId) => toFireDelivery({ ...fire, hookId }, at)));
    }
    return { retry: null, isDisabled: yield* count(stored, end) };
  }

  /** Counts an ended fire; returns true when the schedule is disabled because it failed too often. */
  function* count(schedule: SchedulesTable, { status }: FireResult): Transaction<boolean> {
    if (status !== "failed" && (status !== "success" || schedule.failures === 0)) return false;
    const failures = status === "failed" ? schedule.failures + 1 : 0;
    const isDisabled = schedule.enabled === 1 && schedule.pause_after !== null && failures >= schedule.pause_after;
    const disabledReason = `Paused after ${failures} failures in a row.`;
    const paused = isDisabled ? { enabled: 0, disabled_reason: JSON.stringify(disabledReason) } : {};
    yield* run(
      db
        .updateTable("schedules")
        .set({ failures, ...paused })
        .where("id", "=", schedule.id),
    );
    if (isDisabled) yield* cancelWaiting(schedule.id, "The schedule was paused.");
    return isDisabled;
  }

  return {
    createClaimed: (scheduleId, creation, owner) => database.write(() => createClaimed(scheduleId, creation, owner)),
    claim: (request) => database.write(() => claim(request)),

    beginAttempt: (claimed) =>
      database.write(function* () {
        const schedule = yield* lockSchedule(claimed.fire.scheduleId);
        const row = schedule && (yield* first(held(claimed).modifyEnd(locked)));
        if (!schedule || !row) return undefined;
        const at = yield* currentTime();
        const begun = { triggered_at: row.triggered_at ?? at };
        yield* run(db.updateTable("schedule_fires").set(begun).where("id", "=", row.id));
        return { fire: toFire({ ...row, ...begun }), schedule, claim: claimed.claim, now: at };
      }),

    async recordSession(claimed, sessionId) {
      const mine = db.updateTable("schedule_fires").set({ session_id: sessionId }).where("id", "=", claimed.fire.id);
      const fenced = mine.where("claims", "=", claimed.claim).where(matchesIndex("schedule_fires_running"));
      await database.write(() => run(fenced));
    },

    endAttempt: (claimed, end) => database.write(() => endAttempt(claimed, end)),

    async release(owner) {
      const mine = db.updateTable("schedule_fires").set({ owner: null }).where("owner", "=", owner);
      await database.write(() => run(mine.where(matchesIndex("schedule_fires_running"))));
    },

    async cancelRequests(owner) {
      const mine = running.select("id").where("owner", "=", owner).where("cancel_requested", "=", 1);
      return (await database.read(mine.compile())).map(({ id }) => id);
    },

    async heldFires(owner) {
      return (await database.read(running.select("id").where("owner", "=", owner).compile())).map(({ id }) => id);
    },

    async untilDue() {
      const tick = db.selectFrom("schedules").where(matchesIndex("schedules_due"));
      const times = [
        tick.select(sql<number | null>`min(next_run_at) - ${now}`.as("left")),
        waiting.select(sql<number | null>`min(due_at) - ${now}`.as("left")),
      ];
      const rows = (await Promise.all(times.map((query) => database.read(query.compile())))).flat();
      const left = rows.flatMap((row) => (row.left === null ? [] : [Math.max(0, Number(row.left))]));
      return left.length === 0 ? null : Math.min(...left);
    },

    async findFire(scheduleId, id) {
      const query = db.selectFrom("schedule_fires").selectAll().where("id", "=", id);
      const [row] = await database.read(query.compile());
      return row?.schedule_id === scheduleId ? toFire(row) : undefined;
    },

    async listFires(scheduleId, { limit, offset, maxBytes }) {
      const ofSchedule = db.selectFrom("schedule_fires").where("schedule_id", "=", scheduleId);
      const bytes = sql<number>`coalesce(octet_length(detail), 0)`.as("bytes");
      const newest = ofSchedule.select(listedColumns).select(["id as key", bytes]);
      const ordered = newest.orderBy("created_at", "desc").orderBy("attempt", "desc").orderBy("id");
      const rows = await database.read(ordered.limit(limit).offset(offset).compile());
      const texts = await fittingTexts(rows, maxBytes, (ids) => {
        const read = db.selectFrom("schedule_fires").select(["id as key", "detail"]).where("id", "in", ids);
        return database.read(read.compile());
      });
      const fires = rows.map(({ key, bytes: _, ...row }) => toFire({ ...row, detail: texts.get(key)?.detail ?? null }));
      const [counted] = await database.read(ofSchedule.select(db.fn.countAll().as("total")).compile());
      return { fires, total: Number(counted?.total ?? 0) };
    },
  };
}
