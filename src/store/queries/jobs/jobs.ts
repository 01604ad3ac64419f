/** Stores, claims and ends durable jobs. */
import { type SqlBool, sql } from "kysely";
import type { ClaimedJob, JobClaimRequest, JobEnd, JobStore, NewJob } from "../../contract/jobs.ts";
import type { Database } from "../../database.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import { all, run, type Transaction } from "../../transaction.ts";

/** Steps of transactions that end jobs together with other changes. */
export interface JobSteps {
  add(jobs: readonly NewJob[]): Transaction<void>;
  /** Adds a job. If it is being executed, its claim ends and it is executed again: its execution may have begun before this transaction. */
  addAgain(job: NewJob): Transaction<void>;
  finish(job: ClaimedJob, end: JobEnd): Transaction<boolean>;
  /** Whether a share has so many unfinished jobs of a kind. */
  isFull(kind: string, share: string, maxJobs: number): Transaction<boolean>;
}

/** Makes these steps for a database. */
export function jobSteps({ dialect: { db, now } }: Pick<Database, "dialect">): JobSteps {
  return {
    *addAgain(job) {
      const again = { owner: null, claims: sql<number>`claims + 1`, due_at: now };
      const running = db.updateTable("jobs").set(again).where("kind", "=", job.kind).where("id", "=", job.id);
      yield* run(running.where("owner", "is not", null));
      yield* this.add([job]);
    },

    *add(jobs) {
      if (jobs.length === 0) return;
      const rows = jobs.map(({ kind, id, lane = id, share = "", delay = 0 }) => ({
        ...{ kind, id, lane, share, attempt: 0, owner: null, claims: 0, state: null },
        due_at: sql<number>`${now} + ${sql.lit(Math.round(delay))}`,
        created_at: now,
      }));
      const insert = db.insertInto("jobs").values(rows);
      yield* run(insert.onConflict((same) => same.columns(["kind", "id"]).doNothing()));
    },

    *isFull(kind, share, maxJobs) {
      const open = db.selectFrom("jobs").select("key").where("kind", "=", kind).where("share", "=", share);
      return (yield* all(open.limit(maxJobs))).length >= maxJobs;
    },

    *finish({ key, kind, lane, claim }, end) {
      if (end.kind === "done") {
        const over = db.deleteFrom("jobs").where("key", "=", key).where("claims", "=", claim);
        return (yield* run(over)) > 0;
      }
      const due_at = sql<number>`${now} + ${sql.lit(Math.round(end.delay))}`;
      const state = end.state === undefined ? {} : { state: end.state };
      const again = { due_at, owner: null, attempt: sql<number>`attempt + 1`, ...state };
      const held = db.updateTable("jobs").set(again).where("key", "=", key).where("claims", "=", claim);
      if ((yield* run(held)) === 0) return false;
      // Jobs that wait for this one are not scanned again before it is due.
      const first = db.selectFrom("jobs").select("due_at").where("key", "=", key);
      const later = db.updateTable("jobs").set({ due_at: sql<number>`(${first})` });
      const behind = later.where("kind", "=", kind).where("lane", "=", lane).where("key", ">", key);
      yield* run(behind.where(sql<SqlBool>`due_at < (${first})`));
      return true;
    },
  };
}

/** Makes the job store of a database. */
export function jobStore(database: Database): JobStore {
  const { db, now, nowOnce, lockedOrSkipped } = database.dialect;
  const steps = jobSteps(database);
  const isFirst = sql<SqlBool>`not exists (select 1 from jobs e where e.kind = jobs.kind and e.lane = jobs.lane and e.key < jobs.key)`;
  const isOrphaned = sql<SqlBool>`not exists (select 1 from processes p where p.id = jobs.owner and p.lease_until >= ${now})`;

  /** Jobs without an owner that may begin, except of full shares. */
  function waiting(kind: string, full: readonly string[]) {
    const free = db.selectFrom("jobs").where(matchesIndex("jobs_due")).where("kind", "=", kind).where(isFirst);
    return full.length === 0 ? free : free.where("share", "not in", full);
  }

  function* claim({ kind, owner, limit, orphans, full }: JobClaimRequest): Transaction<readonly ClaimedJob[]> {
    const due = waiting(kind, full).select("key").where("due_at", "<=", nowOnce);
    const found = yield* all(due.orderBy("due_at").orderBy("key").limit(limit).modifyEnd(lockedOrSkipped));
    const owned = db.selectFrom("jobs").select("key").where("owner", "is not", null).where("kind", "=", kind);
    const left = full.length === 0 ? owned : owned.where("share", "not in", full);
    const rest = orphans ? limit - found.length : 0;
    const orphaned = rest > 0 ? yield* all(left.where(isOrphaned).limit(rest).modifyEnd(lockedOrSkipped)) : [];
    const keys = [...found, ...orphaned].map(({ key }) => key);
    if (keys.length === 0) return [];
    const taken = db.updateTable("jobs").set({ owner, claims: sql<number>`claims + 1` }).where("key", "in", keys);
    const rows = yield* all(taken.returningAll());
    return rows
      .map(({ claims, owner: _, due_at: __, created_at: ___, ...job }) => ({ ...job, claim: claims }))
      .sort((one, other) => one.key - other.key);
  }

  return {
    add: (jobs) => database.write(() => steps.add(jobs)),
    claim: (request) => database.write(() => claim(request)),
    async isClaimValid({ key, claim: held }) {
      const query = db.selectFrom("jobs").select("key").where("key", "=", key).where("claims", "=", held);
      return (await database.read(query.compile())).length > 0;
    },
    finish: (job, end) => database.write(() => steps.finish(job, end)),
    async makeDue(kind, id) {
      const waiting = db.updateTable("jobs").set({ due_at: now }).where("kind", "=", kind).where("id", "=", id);
      await database.write(() => run(waiting.where("owner", "is", null)));
    },
    async release(kind, owner) {
      const mine = db.updateTable("jobs").set({ owner: null }).where("owner", "=", owner).where("kind", "=", kind);
      await database.write(() => run(mine));
    },
    async untilDue(kind, full) {
      const query = waiting(kind, full).select(sql<number>`due_at - ${now}`.as("left")).orderBy("due_at").limit(1);
      const [row] = await database.read(query.compile());
      return row === undefined ? null : Math.max(0, Number(row.left));
    },
  };
}
