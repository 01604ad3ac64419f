/** Sessions as they are read. */
import { sql } from "kysely";
import { visibleOwner } from "../model/principal.ts";
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
        // Who sees every name space gets its own one first, then the common one.
        .orderBy(sql`case when owner = ${caller.owner ?? ""} then 0 else 1 end`)
        .orderBy("owner")
        .limit(1);
      const owner = visibleOwner(caller);
      if (owner !== null) query = query.where("owner", "=", owner);
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
