/** Rate limits: in the database if several processes share it, otherwise in memory. A bucket is stored as the time when it is full again. */
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../model/runtime.ts";
import type { RateLimitStore, RateTake } from "../contract/rate-limits.ts";
import type { Database } from "../database.ts";
import { all, first, run, type Transaction } from "../transaction.ts";

/** Max buckets in the memory of one process. The oldest are forgotten: they are then full. */
const maxBuckets = 100_000;

/** Milliseconds between two deletions of full buckets by one process. */
const sweepInterval = 60_000;

/** Makes the rate limit store of a database. */
export function rateLimitStore(database: Database, clock: Clock): RateLimitStore {
  return database.capabilities.replicas ? new SharedBuckets(database, clock) : new LocalBuckets(clock);
}

class LocalBuckets implements RateLimitStore {
  readonly #clock: Clock;
  readonly #fullAt = new LRUCache<string, number>({ max: maxBuckets });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(bucket: string, interval: number, window: number): Promise<RateTake> {
    const now = this.#clock.monotonic();
    const fullAt = Math.max(this.#fullAt.get(bucket) ?? now, now);
    const isTaken = fullAt + interval <= now + window;
    if (isTaken) this.#fullAt.set(bucket, fullAt + interval);
    return Promise.resolve({ isTaken, untilFull: fullAt - now + (isTaken ? interval : 0) });
  }
}

/** By the database's clock, in microseconds: intervals are often fractions of a millisecond. */
class SharedBuckets implements RateLimitStore {
  readonly #database: Database;
  readonly #clock: Clock;
  #sweepAt: number;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    this.#sweepAt = clock.monotonic() + sweepInterval;
  }

  async take(bucket: string, interval: number, window: number): Promise<RateTake> {
    const isDue = this.#clock.monotonic() >= this.#sweepAt;
    if (isDue) this.#sweepAt = this.#clock.monotonic() + sweepInterval;
    const step = Math.round(interval * 1000);
    const span = Math.max(step, Math.round(window * 1000));
    return this.#database.write(() => this.#take(bucket, step, span, isDue));
  }

  *#take(bucket: string, step: number, span: number, isSweep: boolean): Transaction<RateTake> {
    const { db } = this.#database.dialect;
    const now = sql<number>`cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)`;
    if (isSweep) yield* run(db.deleteFrom("rate_limits").where("full_at", "<", now));
    // `excluded.full_at` is the time of this statement and one step.
    const fullAt = sql<number>`greatest(rate_limits.full_at, excluded.full_at - ${step}::bigint) + ${step}::bigint`;
    const insert = db
      .insertInto("rate_limits")
      .values({ bucket, full_at: sql<number>`${now} + ${step}::bigint` })
      .onConflict((conflict) =>
        conflict
          .column("bucket")
          .doUpdateSet({ full_at: fullAt })
          .where(sql<boolean>`${fullAt} <= excluded.full_at - ${step}::bigint + ${span}::bigint`),
      )
      .returning(sql<number>`full_at - ${now}`.as("left"));
    const [taken] = yield* all(insert);
    if (taken) return { isTaken: true, untilFull: Math.max(0, Number(taken.left)) / 1000 };
    const query = db.selectFrom("rate_limits").select(sql<number>`full_at - ${now}`.as("left"));
    const left = (yield* first(query.where("bucket", "=", bucket)))?.left ?? span;
    return { isTaken: false, untilFull: Math.max(0, Number(left)) / 1000 };
  }
}
