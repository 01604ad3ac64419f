/** What was said, read back. */
import { sql } from "kysely";
import type { Engine } from "./engine.ts";
import type { MessageRow, Store } from "./seam.ts";

/** Message reads of the store. */
export type MessageReads = Pick<Store, "messages" | "history">;

/** Most runs whose messages are read by one statement. */
const mostKeys = 50;

/** Makes them for an engine. */
export function messageReads(engine: Engine): MessageReads {
  const { db } = engine.dialect;
  const columns = ["m.run_key as runKey", "m.position", "m.id", "m.created_at as createdAt", "m.body"] as const;
  return {
    async messages(runKeys) {
      const keys = [...new Set(runKeys)].sort((a, b) => a - b);
      const rows: MessageRow[] = [];
      for (let start = 0; start < keys.length; start += mostKeys) {
        const query = db
          .selectFrom("messages as m")
          .select(columns)
          .where("m.run_key", "in", keys.slice(start, start + mostKeys))
          .orderBy("m.run_key")
          .orderBy("m.position");
        rows.push(...(await engine.read(query.compile())));
      }
      return rows;
    },

    async history(session, component, runs) {
      const before = db
        .selectFrom("runs as r")
        .innerJoin("run_heads as h", "h.run_key", "r.key")
        .select(["r.key", "r.session_seq"])
        .where("r.session_key", "=", session.key)
        .where("r.session_seq", "is not", null)
        .where("r.session_seq", "<", session.beforeSeq)
        .where("r.kind", "=", component.kind)
        .where("r.component_id", "=", component.id)
        .where("r.replaced_by", "is", null)
        .where("h.status", "=", sql.lit("COMPLETED"))
        .orderBy("r.session_seq", "desc")
        .limit(runs);
      const query = db
        .selectFrom("messages as m")
        .innerJoin(before.as("b"), "b.key", "m.run_key")
        .select(columns)
        .orderBy("b.session_seq")
        .orderBy("m.position");
      return engine.read(query.compile());
    },
  };
}
