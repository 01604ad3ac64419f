/** Idempotency keys of starts: the run id that each key's first start reserved. */
import { sql } from "kysely";
import type { IdempotencyRelease, IdempotencyReservation, Store } from "../../contract/store.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import type { Transaction } from "../../transaction.ts";
import { all, first, run } from "../../transaction.ts";

/** Expired reservations deleted with each new one: more than one, so that their number decreases. */
const maxDeleted = 10;

type Reserved = Pick<IdempotencyReservation, "runId" | "fingerprint" | "at">;

const columns = ["digest", "run_id as runId", "fingerprint", "created_at as at"] as const;

/** Makes this method for a database. */
export function idempotencyKeys(database: Database): Pick<Store, "reserveIdempotencyKey" | "releaseIdempotencyKey"> {
  const { db, locked, lockedOrSkipped } = database.dialect;

  function* reserve({ digest, since, ...wanted }: IdempotencyReservation): Transaction<Reserved> {
    const fingerprint = sealText(database.encryption, "starts.fingerprint", [digest], wanted.fingerprint);
    const made = yield* first(
      db
        .insertInto("starts")
        .values({ digest, run_id: wanted.runId, fingerprint, created_at: wanted.at })
        .onConflict((conflict) =>
          conflict
            .column("digest")
            .doUpdateSet({ run_id: wanted.runId, fingerprint, created_at: wanted.at })
            .where("starts.created_at", "<", since),
        )
        .returning(columns),
    );
    if (made !== undefined) {
      yield* forget(since);
      return made;
    }
    const known = yield* first(db.selectFrom("starts").select(columns).where("digest", "=", digest));
    return known ?? wanted;
  }

  function* forget(since: number): Transaction<void> {
    const over = yield* all(
      db
        .selectFrom("starts")
        .select("digest")
        .where("created_at", "<", since)
        .orderBy("created_at")
        .limit(sql.lit(maxDeleted))
        .modifyEnd(lockedOrSkipped),
    );
    const digests = over.map((row) => row.digest);
    if (digests.length > 0) yield* run(db.deleteFrom("starts").where("digest", "in", digests));
  }

  function* release({ digest, runId, unlessStarted }: IdempotencyRelease): Transaction<void> {
    const own = db.selectFrom("starts").select("digest").where("digest", "=", digest).where("run_id", "=", runId);
    // A creation holds the reservation until its run is visible, so the run is looked for after this lock.
    if ((yield* first(own.modifyEnd(locked))) === undefined) return;
    const started = db.selectFrom("runs").select("key").where("run_id", "=", runId);
    if (unlessStarted && (yield* first(started)) !== undefined) return;
    yield* run(db.deleteFrom("starts").where("digest", "=", digest));
  }

  return {
    reserveIdempotencyKey: (reservation) => database.write(() => reserve(reservation)),
    releaseIdempotencyKey: (reservation) => database.write(() => release(reservation)),
  };
}
