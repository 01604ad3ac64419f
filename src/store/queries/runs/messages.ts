/** Reads the messages and marks of runs. */
import { sql } from "kysely";
import type { Mark, MessageRow, Store } from "../../contract/store.ts";
import type { ReadableDatabase } from "../../database.ts";
import { bind } from "../../transaction.ts";

/** Message reads of the store. */
export type MessageReads = Pick<Store, "messages" | "marks" | "sessionMark" | "history">;

/** Max runs whose messages one statement reads. */
const maxKeys = 50;

/** Makes these methods for a database. */
export function messageReads(database: ReadableDatabase): MessageReads {
  const { db, plain } = database.dialect;
  const names = ["m.run_key as runKey", "m.position", "m.id", "m.created_at as createdAt"] as const;
  const columns = [...names, "m.body"] as const;
  const messagesOf = (keys: readonly number[], brief = false) =>
    db
      .selectFrom("messages as m")
      .select(names)
      .select(brief ? sql<string>`coalesce(m.brief, m.body)`.as("body") : "m.body")
      .where("m.run_key", "in", keys)
      .orderBy("m.run_key")
      .orderBy("m.position")
      .compile();
  // Built once: most runs have no members, and this query runs at the end of each of them.
  const messagesOfOne = messagesOf([0]);

  const historyFrom = (order: "asc" | "desc") => {
    const runs = db
      .selectFrom("runs as r")
      .innerJoin("run_heads as h", "h.run_key", "r.key")
      .select(["r.key", "r.session_seq"])
      .where("r.session_key", "=", 0)
      .where("r.session_seq", "is not", null)
      .where("r.session_seq", "<", 0)
      .where("r.session_seq", ">", 0)
      .where(plain("r.kind"), "=", "agent")
      .where(plain("r.component_id"), "=", "")
      .where("r.replaced_by", "is", null)
      .where("h.status", "=", sql.lit("COMPLETED"))
      .orderBy("r.session_seq", order)
      .limit(0);
    return db
      .selectFrom("messages as m")
      .innerJoin(runs.as("b"), "b.key", "m.run_key")
      .select(columns)
      .select(sql<number>`b.session_seq`.as("sessionSeq"))
      .orderBy("b.session_seq")
      .orderBy("m.position")
      .compile();
  };
  const histories = { last: historyFrom("desc"), first: historyFrom("asc") };

  const markOf = db
    .selectFrom("marks as m")
    .innerJoin("runs as r", "r.key", "m.run_key")
    .select(["m.run_key as runKey", "m.name", "m.body"])
    .where("r.session_key", "=", 0)
    .where("r.session_seq", "=", 0)
    .where("m.name", "=", "")
    .compile();

  return {
    async messages(runKeys, brief = false) {
      const keys = [...new Set(runKeys)].sort((a, b) => a - b);
      if (keys.length === 1 && !brief) return database.read(bind(messagesOfOne, keys));
      const rows: MessageRow[] = [];
      for (let start = 0; start < keys.length; start += maxKeys) {
        rows.push(...(await database.read(messagesOf(keys.slice(start, start + maxKeys), brief))));
      }
      return rows;
    },

    async marks(runKeys) {
      const keys = [...new Set(runKeys)].sort((a, b) => a - b);
      const rows: Mark[] = [];
      for (let start = 0; start < keys.length; start += maxKeys) {
        const query = db
          .selectFrom("marks")
          .select(["run_key as runKey", "name", "created_at as createdAt", "body"])
          .where("run_key", "in", keys.slice(start, start + maxKeys))
          .orderBy("run_key")
          .orderBy("name");
        rows.push(...(await database.read(query.compile())));
      }
      return rows;
    },

    async sessionMark(sessionKey, sessionSeq, name) {
      const rows = await database.read(bind(markOf, [sessionKey, sessionSeq, name]));
      return rows[0]?.body;
    },

    async history({ key, beforeSeq, afterSeq = -1 }, { kind, id }, runs, end = "last") {
      return database.read(bind(histories[end], [key, beforeSeq, afterSeq, kind, id, runs]));
    },
  };
}
