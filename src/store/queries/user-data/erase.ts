/** Removes the data of a user in small transactions. Each finds what is left, so an erasure that stopped continues. */
import { sql } from "kysely";
import { isTerminal } from "../../../model/run/run.ts";
import type { ErasedBatch, ErasedRows, UserDataStore } from "../../contract/user-data.ts";
import type { Database } from "../../database.ts";
import { all, run, type Transaction } from "../../transaction.ts";
import { type DeletedTable, deletionSteps, noSummary } from "../delete.ts";
import { segmentRemoval } from "../logs/remove-segments.ts";
import { usageQueue } from "../usage/queue.ts";
import { otherErasure } from "./erase-others.ts";
import { ownRows } from "./own-rows.ts";

const kindOf: Readonly<Partial<Record<DeletedTable, keyof ErasedRows["removed"]>>> = {
  traces: "traces",
  approvals: "approvals",
  push_targets: "pushTargets",
  messages: "messages",
  marks: "results",
  summaries: "summaries",
  starts: "idempotencyKeys",
  run_feedback: "feedback",
};

/** Sessions per transaction. */
const maxSessions = 50;

/** Makes the erasure of a database. */
export function userErasure(database: Database): Omit<UserDataStore, "runs" | "export"> {
  const { db, locked } = database.dialect;
  const { deleteRuns, deleteEmptySession } = deletionSteps(database);
  const removeSegments = segmentRemoval(database);
  const queue = usageQueue(database);
  const own = ownRows(database);

  function* lockSessions(keys: readonly number[]) {
    const sessions = db.selectFrom("sessions").select(["key", "owner", "user_id as userId"]).where("key", "in", keys);
    return yield* all(sessions.orderBy("key").modifyEnd(locked));
  }

  function* eraseRuns(
    userId: string,
    keys: readonly number[],
    usages: Awaited<ReturnType<typeof queue.readUncounted>>,
  ) {
    const places = yield* all(
      db.selectFrom("runs").select(["key", "session_key as session", "session_seq as seq"]).where("key", "in", keys),
    );
    if (places.length === 0) return { keys, removed: {}, anonymized: {} };
    // Sessions are locked before runs, as in a flush.
    const sessions = yield* lockSessions([...new Set(places.map(({ session }) => session))]);
    const heads = yield* all(
      db
        .selectFrom("run_heads")
        .select(["run_key as key", "status", "counted"])
        .where("run_key", "in", keys)
        .orderBy("run_key")
        .modifyEnd(locked),
    );
    const ended = heads.filter(({ status }) => isTerminal(status));
    // The usage of the others is derived from their events, and is read before this transaction.
    const counted = ended.filter((head) => head.counted === 1).map(({ key }) => key);
    const uncounted = ended.filter(({ counted: is, key }) => is === 0 && usages.has(key)).map(({ key }) => key);
    const { cleared, events } = counted.length > 0 ? yield* removeSegments(counted) : { cleared: [], events: 0 };
    const removed = [...cleared, ...uncounted].sort((a, b) => a - b);
    const rows: Record<string, number> = { events: events + (yield* countEvents(uncounted)) };
    if (removed.length > 0) {
      yield* deleteRuns(removed, usages, (table, count) => {
        const kind = table === "runs" ? "memberRuns" : kindOf[table];
        if (kind) rows[kind] = (rows[kind] ?? 0) + count;
      });
      rows.memberRuns = (rows.memberRuns ?? 0) - removed.length;
      rows.runs = removed.length;
    }
    let left = 0;
    for (const { key, owner, userId: by } of sessions) {
      const gone = places.filter((place) => place.session === key && removed.includes(place.key));
      if (gone.length === 0) continue;
      // A run of another user may be extending the summary with messages of the removed runs.
      const update = db.updateTable("sessions").set({ summary_version: noSummary.summary_version });
      yield* run(update.where("key", "=", key));
      if (owner !== userId && by !== null && by !== userId) continue;
      if (yield* deleteEmptySession(key)) left += 1;
      // The title is derived from the first message.
      else if (gone.some(({ seq }) => seq === 0))
        yield* run(db.updateTable("sessions").set({ title: null }).where("key", "=", key));
    }
    const missing = keys.filter((key) => !places.some((place) => place.key === key));
    return { keys: [...removed, ...missing], removed: { ...rows, sessions: left }, anonymized: {} };
  }

  function* countEvents(keys: readonly number[]): Transaction<number> {
    if (keys.length === 0) return 0;
    const segments = db.selectFrom("segments").where("run_key", "in", keys);
    const [sum] = yield* all(segments.select(sql<number>`sum(last_index - first_index + 1)`.as("events")));
    return Number(sum?.events ?? 0);
  }

  function* eraseSessions(userId: string, keys: readonly number[]): Transaction<ErasedRows> {
    let [sessions, shared] = [0, 0];
    for (const { key, owner, userId: by } of yield* lockSessions(keys)) {
      if (owner !== userId && by !== userId) continue;
      if (yield* deleteEmptySession(key)) sessions += 1;
      else if (owner !== userId) {
        const nothing = { user_id: null, name: null, title: null, metadata: null, ...noSummary };
        yield* run(db.updateTable("sessions").set(nothing).where("key", "=", key));
        shared += 1;
      }
    }
    return { removed: { sessions }, anonymized: { sessions: shared } };
  }

  return {
    async eraseRuns(userId, keys): Promise<ErasedBatch> {
      const usages = await queue.readUncounted(keys);
      return await database.write(() => eraseRuns(userId, keys, usages));
    },

    async *eraseSessions(userId) {
      for await (const page of own.sessions(userId)) {
        const keys = page.map(({ key }) => key);
        for (let start = 0; start < keys.length; start += maxSessions)
          yield await database.write(() => eraseSessions(userId, keys.slice(start, start + maxSessions)));
      }
    },

    ...otherErasure(database),
  };
}
