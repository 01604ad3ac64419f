/** One SQLite for all simulated processes of a history: the real statements and tables, at the time of the history. */
import Sqlite from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import { sql } from "kysely";
import type { ScheduleStore } from "../../../src/store/contract/schedules.ts";
import type { Store } from "../../../src/store/contract/store.ts";
import type { Database } from "../../../src/store/database.ts";
import { databaseUnavailable } from "../../../src/store/database-errors.ts";
import { type SqlDialect, sqliteDialect } from "../../../src/store/dialect.ts";
import { migrate } from "../../../src/store/migrate.ts";
import { continueQueries } from "../../../src/store/queries/runs/continues.ts";
import { scheduleStore } from "../../../src/store/queries/schedules/schedules.ts";
import { SqliteConnection } from "../../../src/store/sqlite/connection.ts";
import type { Transaction } from "../../../src/store/transaction.ts";
import { epoch } from "../clock.ts";
import type { Random } from "../random.ts";
import type { Owner, Scheduler } from "../scheduler.ts";
import type { SimulatedRun } from "./runs.ts";

/** Offset of the database's clock in milliseconds, different from every process's. */
const clockError = 137;

/** Tables that a history fills. */
const filled = ["schedules", "schedule_fires", "processes", "runs", "run_heads", "marks"];

export class SharedDatabase {
  readonly dialect: SqlDialect = { ...sqliteDialect, now: sql<number>`(select now from simulated_clock)` };
  readonly #connection = new SqliteConnection(new Sqlite(":memory:"));
  /** The history's own access to the store, without faults. */
  readonly store: ScheduleStore = scheduleStore(
    { dialect: this.dialect, write: async <T>(work: () => Transaction<T>) => this.work(work) } as unknown as Database,
    Number.POSITIVE_INFINITY,
  );
  readonly #continues: Pick<Store, "continueRun"> = continueQueries({
    dialect: this.dialect,
    write: async <T>(work: () => Transaction<T>) => this.work(work),
  } as unknown as Database);
  #time: () => number = () => 0;

  static async open(): Promise<SharedDatabase> {
    const made = new SharedDatabase();
    await migrate(sqliteDialect, async (work) => made.#connection.runTransaction(work), true);
    made.#connection.database.exec(
      "create table simulated_clock (now integer); insert into simulated_clock values (0)",
    );
    return made;
  }

  /** Begins a history with empty tables and the scheduler's time. */
  begin(scheduler: Scheduler, hasTickIndex: boolean): void {
    this.#time = () => Math.floor(epoch + scheduler.time + clockError);
    for (const table of filled) this.#connection.database.exec(`delete from ${table}`);
    // A planted bug removes the index.
    const index = "index if not exists schedule_fires_tick on schedule_fires (schedule_id, tick, attempt)";
    this.#connection.database.exec("drop index if exists schedule_fires_tick");
    this.#connection.database.exec(`create ${hasTickIndex ? "unique" : ""} ${index}`);
  }

  get now(): number {
    return this.#time();
  }

  work<T>(work: () => Transaction<T>): T {
    this.#connection.prepare("update simulated_clock set now = ?").run(this.now);
    return this.#connection.runTransaction(work);
  }

  /** Stores the rows of a paused run that schedules read. */
  paused({ key, runId }: SimulatedRun): void {
    const run = { key, run_id: runId, root_key: key, kind: "agent", component_id: "a", component_name: "a" };
    const row = { ...run, session_key: key, session_seq: 0, input: "{}", options: "{}", created_at: 0 };
    const head = { run_key: key, root_key: key, session_key: key, session_seq: 0, policy: "queue", status: "PAUSED" };
    this.#insert("runs", row);
    this.#insert("run_heads", { ...head, attempt: 1, cancel_requested: 0, first_kept: 0, updated_at: 0 });
  }

  /** Answers the pause, as the store does. */
  continued({ key }: SimulatedRun): void {
    void this.#continues.continueRun(key, 1, []);
  }

  #insert(table: string, row: Readonly<Record<string, unknown>>): void {
    const names = Object.keys(row);
    const values = names.map((name) => `@${name}`);
    this.#connection.prepare(`insert into ${table} (${names}) values (${values})`).run(row);
  }

  rows<O>(text: string, ...parameters: readonly unknown[]): readonly O[] {
    return this.#connection.prepare(text).all(...parameters) as O[];
  }
}

/** Faults between a process and the database. */
export interface Weather {
  /** Probabilities that a call does not arrive, and that it is done without a response. */
  refused: number;
  unanswered: number;
  isAway: boolean;
}

/** A process's connection to the database. */
export function databaseOf(
  shared: SharedDatabase,
  { scheduler, random, owner, weather }: { scheduler: Scheduler; random: Random; owner: Owner; weather: Weather },
): Database {
  function call<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (owner.state === "dead") return;
      const [there, back] = [random.skewed(0, 30), random.skewed(0, 30)];
      const lost = random.fraction();
      const fail = (after: number): void => {
        scheduler.after(after, owner, () => reject(databaseUnavailable(new Error("the connection is gone"))));
      };
      if (weather.isAway || lost < weather.refused) return fail(there);
      // A sent call arrives even if the process dies.
      scheduler.after(there, undefined, () => {
        if (weather.isAway) return fail(back);
        try {
          const value = work();
          if (lost < weather.refused + weather.unanswered) fail(back);
          else scheduler.after(back, owner, () => resolve(value));
        } catch (error) {
          scheduler.after(back, owner, () => reject(error));
        }
      });
    });
  }
  return {
    dialect: shared.dialect,
    read: (query: CompiledQuery) =>
      call(() =>
        shared.work(function* (): Transaction<readonly unknown[]> {
          return (yield query).rows;
        }),
      ),
    write: (work: () => Transaction<unknown>) => call(() => shared.work(work)),
  } as unknown as Database;
}
