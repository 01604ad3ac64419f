/** Queues the usage of ended root runs, once per run. `usage-days.ts` adds queued usage to days. */
import { type CompiledQuery, sql } from "kysely";
import { isTerminal } from "../../../model/run/run.ts";
import { optionsOf } from "../../../model/run/stored-run.ts";
import { type LoggedUsage, LogUsage, usageOfOutput } from "../../../model/usage/log-usage.ts";
import type { Database } from "../../database.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import { bind, first, run, type Transaction } from "../../transaction.ts";
import { logReads } from "../logs/heads.ts";

/** Max earlier runs per call. */
const maxEarlier = 50;

/** Bytes of a log per read. */
const batchBytes = 1024 * 1024;

/** Usage by the run's key; undefined for a copy, whose usage the original run already has. */
export type Usages = ReadonlyMap<number, readonly LoggedUsage[] | undefined>;

/** Queues usage. */
export interface UsageQueue {
  /** Returns a run's usage: from its log or, if the log reports none, from its output. */
  complete(key: number, log: LogUsage): Promise<readonly LoggedUsage[]>;
  /** Queues a run's usage. The transaction must have locked the head of the run, and must mark the run counted or delete it. */
  add(key: number, usage: readonly LoggedUsage[]): Transaction<number>;
  /** Reads the usage in a run's output; undefined for a copy. */
  ofOutput(key: number): Transaction<readonly LoggedUsage[] | undefined>;
  /** Reads the usage of those ended runs that are not counted. A log that cannot be read reports no usage, so that it can be deleted. */
  readUncounted(keys: readonly number[]): Promise<Usages>;
  /** See `UsageDayStore.queueEarlier`. */
  queueEarlier(): Promise<boolean>;
}

/** Makes the queue of a database. */
export function usageQueue(database: Database): UsageQueue {
  const { db, locked } = database.dialect;
  const { segments } = logReads(database);
  const insert = insertQuery(database);
  let after = -1;

  async function complete(key: number, log: LogUsage): Promise<readonly LoggedUsage[]> {
    const { models } = log;
    if (models.length > 0) return models;
    const [row] = await database.read(db.selectFrom("runs").select(["key", "output"]).where("key", "=", key).compile());
    return usageOfOutput(row?.output ?? null);
  }

  async function readUsage(key: number): Promise<readonly LoggedUsage[]> {
    const log = new LogUsage();
    for (let cursor = -1; ; ) {
      const rows = await segments(key, cursor, batchBytes);
      const last = rows.at(-1);
      if (last === undefined) return await complete(key, log);
      for (const { frames } of rows) log.take(frames);
      cursor = last.lastIndex;
    }
  }

  const add = (key: number, usage: readonly LoggedUsage[]): Transaction<number> =>
    run({ compile: () => bind(insert, [JSON.stringify(usage), key]) });

  function* count(key: number, usage: readonly LoggedUsage[] | undefined): Transaction<void> {
    const head = yield* first(
      db.selectFrom("run_heads").select(["compacted", "counted"]).where("run_key", "=", key).modifyEnd(locked),
    );
    if (head === undefined || head.compacted === 0 || head.counted === 1) return;
    if (usage) yield* add(key, usage);
    yield* run(db.updateTable("run_heads").set({ counted: 1 }).where("run_key", "=", key));
  }

  return {
    complete,
    add,

    *ofOutput(key) {
      const row = yield* first(db.selectFrom("runs").select(["key", "options", "output"]).where("key", "=", key));
      return row === undefined || isCopy(row.options) ? undefined : usageOfOutput(row.output);
    },

    async readUncounted(keys) {
      if (keys.length === 0) return new Map();
      const query = db
        .selectFrom("run_heads as h")
        .innerJoin("runs as r", "r.key", "h.run_key")
        .select(["h.run_key as key", "h.status", "r.options"])
        .where("h.run_key", "in", keys)
        .where("h.counted", "=", 0)
        .compile();
      const usages = new Map<number, readonly LoggedUsage[] | undefined>();
      for (const { key, status, options } of await database.read(query))
        if (isTerminal(status)) usages.set(key, isCopy(options) ? undefined : await readUsage(key).catch(() => []));
      return usages;
    },

    async queueEarlier() {
      const query = db
        .selectFrom("run_heads as h")
        .innerJoin("runs as r", "r.key", "h.run_key")
        .select(["h.run_key as key", "r.options"])
        .where(matchesIndex("heads_uncounted", "h"))
        .where("h.run_key", ">", after)
        .orderBy("h.run_key")
        .limit(maxEarlier);
      const rows = await database.read(query.compile());
      const errors: unknown[] = [];
      for (const { key, options } of rows) {
        try {
          const usage = isCopy(options) ? undefined : await readUsage(key);
          await database.write(() => count(key, usage));
        } catch (error) {
          errors.push(error);
        }
      }
      // A run that fails does not delay the others: it is tried again once all others are counted.
      after = rows.length < maxEarlier ? -1 : (rows.at(-1)?.key ?? -1);
      if (errors.length > 0) throw errors[0];
      return rows.length === maxEarlier;
    },
  };
}

/** Inserts the usage and the attributes of a run. The owner is read in the same transaction: another process may be giving the session to its user. */
function insertQuery({ dialect: { db } }: Database): CompiledQuery {
  const row = db
    .selectFrom("runs as r")
    .innerJoin("sessions as s", "s.key", "r.session_key")
    .select(["r.created_at as started_at", "r.kind", "s.key as session_key", "s.owner", "r.user_id"])
    .select(sql<string>`cast(${""} as text)`.as("usage"))
    .where("r.key", "=", 0);
  return db
    .insertInto("usage_pending")
    .columns(["started_at", "kind", "session_key", "owner", "user_id", "usage"])
    .expression(row)
    .compile();
}

/** Whether a run is a copy of a whole run in another session. */
function isCopy(options: string): boolean {
  if (!options.includes('"origin"')) return false;
  const { origin } = optionsOf({ options });
  return origin !== undefined && origin.messages === undefined && origin.regenerates !== true;
}
