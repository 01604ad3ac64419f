/** Sessions as they are read. */
import type { Database } from "./database.ts";
import type { Store } from "./seam.ts";

/** Session reads of the store. */
export type SessionReads = Pick<Store, "findSession" | "sessionRunKeys">;

/** Makes them for a database. */
export function sessionReads(database: Database): SessionReads {
  const { db } = database.dialect;
  return {
    async findSession(caller, sessionId) {
      let query = db
        .selectFrom("sessions")
        .select(["key", "session_id as sessionId", "owner", "kind", "component_id as componentId", "user_id as userId"])
        .select(["state", "created_at as createdAt", "updated_at as updatedAt"])
        .where("session_id", "=", sessionId)
        // Who sees every name space gets the common one first.
        .orderBy("owner")
        .limit(1);
      if (caller.owner !== null) query = query.where("owner", "=", caller.owner);
      const rows = await database.read(query.compile());
      return rows[0];
    },

    async sessionRunKeys(sessionKey) {
      const query = db
        .selectFrom("runs")
        .select("key")
        .where("session_key", "=", sessionKey)
        .where("session_seq", "is not", null)
        .orderBy("session_seq");
      const rows = await database.read(query.compile());
      return rows.map((row) => row.key);
    },
  };
}
