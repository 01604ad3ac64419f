/** Leases of processes, by the database's clock. */
import { type SqlBool, sql } from "kysely";
import type { LeaseRenewal, Store } from "../contract/store.ts";
import type { Database } from "../database.ts";
import { matchesIndex } from "../rows/index-predicates.ts";
import type { Transaction } from "../transaction.ts";
import { first, run } from "../transaction.ts";

/** Methods of the store for processes. */
export type ProcessQueries = Pick<Store, "renewProcess" | "endProcess" | "cancelRequests">;

/** Rows of processes that crashed are kept this long after their lease expired, in milliseconds. */
const keptAfterLease = 24 * 3_600_000;

/** Makes these methods for a database. */
export function processQueries(database: Database): ProcessQueries {
  const { db, now, locked } = database.dialect;

  function* renew(id: string, leaseMilliseconds: number): Transaction<LeaseRenewal> {
    const until = sql<number>`${now} + ${sql.lit(Math.round(leaseMilliseconds))}`;
    const isLive = sql<number>`case when lease_until >= ${now} then 1 else 0 end`;
    const known = yield* first(
      db.selectFrom("processes").select(isLive.as("isLive")).where("id", "=", id).modifyEnd(locked),
    );
    if (known !== undefined) {
      yield* run(db.updateTable("processes").set({ lease_until: until }).where("id", "=", id));
      return { inTime: known.isLive === 1, ...(yield* others(id)) };
    }
    yield* run(db.deleteFrom("processes").where("lease_until", "<", sql<number>`${now} - ${sql.lit(keptAfterLease)}`));
    yield* run(db.insertInto("processes").values({ id, lease_until: until, started_at: now }));
    return { inTime: true, ...(yield* others(id)) };
  }

  function* others(id: string): Transaction<Pick<LeaseRenewal, "liveProcesses" | "nextExpiry">> {
    const nextExpiry = sql<number | null>`min(lease_until) - ${now}`;
    const query = db
      .selectFrom("processes")
      .select([sql<number>`count(*) + 1`.as("liveProcesses"), nextExpiry.as("nextExpiry")])
      .where("id", "<>", id)
      .where("lease_until", ">=", now);
    return (yield* first(query)) ?? { liveProcesses: 1, nextExpiry: null };
  }

  return {
    renewProcess: (id, leaseMilliseconds) => database.write(() => renew(id, leaseMilliseconds)),

    async endProcess(id) {
      await database.write(() => run(db.deleteFrom("processes").where("id", "=", id)));
    },

    async cancelRequests(owner) {
      const isMine = sql<SqlBool>`(owner = ${owner} or not exists (
        select 1 from processes p where p.id = run_heads.owner and p.lease_until >= ${now}))`;
      const query = db.selectFrom("run_heads").select("run_key").where(isMine).where(matchesIndex("heads_cancels"));
      // Not ordered by the database: SQLite would read all heads in their order instead of this index.
      const rows = await database.read(query.compile());
      return rows.map((row) => row.run_key).sort((one, other) => one - other);
    },
  };
}
