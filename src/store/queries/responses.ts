/** Stores answers of models. They are encrypted if the platform has keys. */
import { sql } from "kysely";
import type { ResponseStore, StoredResponse } from "../contract/responses.ts";
import type { Database } from "../database.ts";
import { sealText } from "../encryption/encryption.ts";
import { run, type Transaction } from "../transaction.ts";

/** Makes the store of answers of a database. */
export function responseStore(database: Database): ResponseStore {
  const { db, now } = database.dialect;
  const { encryption } = database;

  function* put({ digest, userId, body }: StoredResponse, duration: number): Transaction<void> {
    const values = {
      user_id: userId,
      body: sealText(encryption, "cached_responses.body", [digest], body),
      created_at: now,
      expires_at: sql<number>`${now} + ${sql.lit(duration)}`,
    };
    const insert = db.insertInto("cached_responses").values({ digest, ...values });
    yield* run(insert.onConflict((conflict) => conflict.column("digest").doUpdateSet(values)));
  }

  return {
    async find(digest) {
      const query = db.selectFrom("cached_responses").select(["digest", "body"]).where("digest", "=", digest);
      const [row] = await database.read(query.where("expires_at", ">", now).compile());
      return row?.body;
    },
    put: (response, duration) => database.write(() => put(response, duration)),
  };
}
