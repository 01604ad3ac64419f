/** Gives sessions to their users after isolation between callers was turned on. */
import { sql } from "kysely";
import type { Database } from "../../database.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import { all, run, type Transaction } from "../../transaction.ts";

/** Max sessions per transaction. */
const maxSessions = 500;

/**
 * Moves sessions of the common namespace into the namespace of the user who began them, unless that user already has a session with the same id.
 * Works in small steps, so that other writes can run in between. Sessions without a user stay in the common namespace, which only admins see.
 *
 * @returns how many sessions were moved
 */
export async function adoptSessions(database: Database): Promise<number> {
  const { db } = database.dialect;
  let adopted = 0;

  function* step(after: number): Transaction<number | undefined> {
    const page = yield* all(
      db
        .selectFrom("sessions")
        .select("key")
        .where(matchesIndex("sessions_common"))
        .where("key", ">", after)
        .orderBy("key")
        .limit(maxSessions),
    );
    const keys = page.map(({ key }) => key);
    if (keys.length > 0) {
      const isFree = sql<boolean>`not exists (select 1 from sessions o
        where o.session_id = sessions.session_id and o.owner = sessions.user_id)`;
      adopted += yield* run(
        db
          .updateTable("sessions")
          .set({ owner: sql<string>`user_id` })
          .where("key", "in", keys)
          .where("owner", "=", "")
          .where(isFree),
      );
      const owner = sql<string>`(select s.owner from sessions s where s.key = traces.session_key)`;
      yield* run(db.updateTable("traces").set({ owner }).where("session_key", "in", keys).where("owner", "=", ""));
    }
    return page.length < maxSessions ? undefined : page.at(-1)?.key;
  }

  for (let after: number | undefined = 0; after !== undefined; ) {
    const from: number = after;
    after = await database.write(() => step(from));
  }
  return adopted;
}
