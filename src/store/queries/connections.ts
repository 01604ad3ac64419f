/** Stores accounts of users at other services. Tokens and flows are encrypted, or not stored at all. */
import { sql } from "kysely";
import { InvariantError } from "../../errors.ts";
import type { ConnectionStore, StoredConnection, StoredFlow } from "../contract/connections.ts";
import type { Database } from "../database.ts";
import type { SealedColumn } from "../encryption/columns.ts";
import type { ConnectionsTable } from "../rows/connection-tables.ts";
import { run, type Transaction } from "../transaction.ts";

/** Makes the store of connections of a database. */
export function connectionStore(database: Database): ConnectionStore {
  const { db, now } = database.dialect;
  const { encryption } = database;

  const sealed = (column: SealedColumn, row: readonly string[], text: string): string => {
    if (encryption?.sealingId === undefined) throw new InvariantError("Tokens are stored encrypted only.");
    return encryption.seal(column, row, text);
  };

  const ofUser = (provider: string, userId: string) =>
    db.selectFrom("connections").selectAll().where("user_id", "=", userId).where("provider", "=", provider);

  const updateOf = ({ provider, userId, version }: Pick<StoredConnection, "provider" | "userId" | "version">) =>
    db
      .updateTable("connections")
      .where("user_id", "=", userId)
      .where("provider", "=", provider)
      .where("version", "=", version);

  function* put({
    provider,
    userId,
    tokens,
    scopes,
    expiresAt,
  }: Parameters<ConnectionStore["put"]>[0]): Transaction<void> {
    const values = {
      tokens: sealed("connections.tokens", [userId, provider], tokens),
      scopes: JSON.stringify(scopes),
      expires_at: expiresAt,
      refreshing_until: 0,
      updated_at: now,
    };
    const insert = db
      .insertInto("connections")
      .values({ user_id: userId, provider, version: 1, created_at: now, ...values });
    const replaced = { ...values, version: sql<number>`connections.version + 1` };
    yield* run(insert.onConflict((conflict) => conflict.columns(["user_id", "provider"]).doUpdateSet(replaced)));
  }

  function* putFlow({ digest, provider, userId, body }: StoredFlow, duration: number): Transaction<void> {
    yield* run(db.deleteFrom("connection_flows").where("expires_at", "<", now));
    const flow = sealed("connection_flows.flow", [digest], body);
    const expiresAt = sql<number>`${now} + ${sql.lit(duration)}`;
    yield* run(
      db.insertInto("connection_flows").values({ digest, provider, user_id: userId, flow, expires_at: expiresAt }),
    );
  }

  return {
    async find(provider, userId) {
      const [row] = await database.read(ofUser(provider, userId).compile());
      return row && toConnection(row);
    },

    async list(userId) {
      const query = db.selectFrom("connections").selectAll().where("user_id", "=", userId).orderBy("provider");
      return (await database.read(query.compile())).map(toConnection);
    },

    put: (connection) => database.write(() => put(connection)),

    async claimRefresh(connection, duration) {
      const until = sql<number>`${now} + ${sql.lit(duration)}`;
      const update = updateOf(connection).where("refreshing_until", "<", now).set({ refreshing_until: until });
      return (await database.write(() => run(update))) === 1;
    },

    async refresh(connection, { tokens, expiresAt }) {
      const { provider, userId, version } = connection;
      const text = sealed("connections.tokens", [userId, provider], tokens);
      const values = {
        tokens: text,
        expires_at: expiresAt,
        version: version + 1,
        refreshing_until: 0,
        updated_at: now,
      };
      return (await database.write(() => run(updateOf(connection).set(values)))) === 1;
    },

    async releaseRefresh(connection) {
      await database.write(() => run(updateOf(connection).set({ refreshing_until: 0 })));
    },

    async remove(provider, userId, version) {
      const rows = db.deleteFrom("connections").where("user_id", "=", userId).where("provider", "=", provider);
      const query = version === undefined ? rows : rows.where("version", "=", version);
      return (await database.write(() => run(query))) === 1;
    },

    putFlow: (flow, duration) => database.write(() => putFlow(flow, duration)),

    async findFlow(digest) {
      const query = db.selectFrom("connection_flows").selectAll().where("digest", "=", digest);
      const [row] = await database.read(query.where("expires_at", ">", now).compile());
      return row && { digest: row.digest, provider: row.provider, userId: row.user_id, body: row.flow };
    },

    async takeFlow(digest) {
      const query = db.deleteFrom("connection_flows").where("digest", "=", digest).where("expires_at", ">", now);
      return (await database.write(() => run(query))) === 1;
    },
  };
}

function toConnection(row: ConnectionsTable): StoredConnection {
  return {
    provider: row.provider,
    userId: row.user_id,
    tokens: row.tokens,
    scopes: JSON.parse(row.scopes) as string[],
    expiresAt: row.expires_at,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
