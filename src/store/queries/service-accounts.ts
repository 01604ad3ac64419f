/** Stores and reads service accounts. */
import { sql } from "kysely";
import { type Principal, type RunClaims, visibleOwner } from "../../model/principal.ts";
import type { ServiceAccount, ServiceAccountQuery, ServiceAccountStore } from "../../model/service-account.ts";
import type { Database } from "../database.ts";
import type { ServiceAccountsTable } from "../rows/tables.ts";
import { first, run, type Transaction } from "../transaction.ts";

/** Columns that a listing can be sorted by. Accounts that were never used, or never expire, come last. */
const sortColumns = {
  createdAt: "created_at",
  name: "name",
  expiresAt: "expires_at",
  lastUsedAt: "last_used_at",
} as const;

/** All columns, by name: every request with a token reads them, and a statement that names its columns can be prepared. */
const columns = [
  ...(["id", "name", "token_hash", "token_prefix", "scopes", "created_by"] as const),
  ...(["created_at", "expires_at", "last_used_at", "revoked_at", "claims"] as const),
] as const;

/** Makes the service account store of a database. */
export function serviceAccountStore(database: Database): ServiceAccountStore {
  const { db } = database.dialect;

  /** Restricts a query to the accounts that the caller may see. */
  function visible(caller: Principal) {
    const owner = visibleOwner(caller);
    const query = db.selectFrom("service_accounts");
    return owner === null ? query : query.where("created_by", "=", owner);
  }

  function page(caller: Principal, { includeRevoked }: Pick<ServiceAccountQuery, "includeRevoked">) {
    return includeRevoked ? visible(caller) : visible(caller).where("revoked_at", "is", null);
  }

  /** Data of an account belongs to its name: a caller must not reuse the name of an account that it may not see. */
  function* create(caller: Principal, account: ServiceAccount): Transaction<boolean> {
    const owner = visibleOwner(caller);
    if (owner !== null) {
      const others = db.selectFrom("service_accounts").select("id").where("name", "=", account.name);
      const isOthers = sql<boolean>`(created_by is null or created_by <> ${owner})`;
      if (yield* first(others.where(isOthers).limit(1))) return false;
    }
    const insert = db.insertInto("service_accounts").values(toRow(account));
    return (yield* run(insert.onConflict((conflict) => conflict.doNothing()))) === 1;
  }

  return {
    async create(caller, account) {
      return (await database.write(() => create(caller, account))) ? "created" : "exists";
    },

    async findByTokenHash(tokenHash) {
      const query = db.selectFrom("service_accounts").select(columns).where("token_hash", "=", tokenHash);
      const [row] = await database.read(query.compile());
      return row && toAccount(row);
    },

    async findActive(name) {
      const query = db.selectFrom("service_accounts").selectAll().where("name", "=", name);
      const [row] = await database.read(query.where("revoked_at", "is", null).compile());
      return row && toAccount(row);
    },

    async list(caller, query) {
      const { limit, offset, sortBy, descending } = query;
      const column = sortColumns[sortBy];
      const direction = descending ? "desc" : "asc";
      const rows = page(caller, query)
        .selectAll()
        .orderBy(sql`case when ${sql.ref(column)} is null then 1 else 0 end`)
        .orderBy(column, direction)
        .orderBy("id", direction)
        .limit(limit)
        .offset(offset);
      const count = page(caller, query).select(sql<number>`count(*)`.as("total"));
      const [found, [counted]] = [await database.read(rows.compile()), await database.read(count.compile())];
      return { accounts: found.map(toAccount), total: Number(counted?.total ?? 0) };
    },

    async revoke(caller, id, at) {
      const seen = await database.read(visible(caller).select("id").where("id", "=", id).compile());
      if (seen.length === 0) return undefined;
      const update = db.updateTable("service_accounts").set({ revoked_at: at });
      await database.write(() => run(update.where("id", "=", id).where("revoked_at", "is", null)));
      const [row] = await database.read(visible(caller).selectAll().where("id", "=", id).compile());
      return row && toAccount(row);
    },

    async touch(id, at) {
      const update = db.updateTable("service_accounts").set({ last_used_at: at }).where("id", "=", id);
      const isNewer = sql<boolean>`(last_used_at is null or last_used_at < ${at})`;
      await database.write(() => run(update.where(isNewer)));
    },
  };
}

function toRow(account: ServiceAccount): ServiceAccountsTable {
  return {
    id: account.id,
    name: account.name,
    token_hash: account.tokenHash,
    token_prefix: account.tokenPrefix,
    scopes: JSON.stringify(account.scopes),
    created_by: account.createdBy,
    created_at: account.createdAt,
    expires_at: account.expiresAt,
    last_used_at: account.lastUsedAt,
    revoked_at: account.revokedAt,
    claims: account.claims && JSON.stringify(account.claims),
  };
}

function toAccount(row: ServiceAccountsTable): ServiceAccount {
  return {
    id: row.id,
    name: row.name,
    tokenHash: row.token_hash,
    tokenPrefix: row.token_prefix,
    scopes: JSON.parse(row.scopes) as string[],
    claims: row.claims === null ? null : (JSON.parse(row.claims) as RunClaims),
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
