/**
 * The data keys of a database, each wrapped with a key of the operator. A process whose first operator's key is new makes a data key, and wraps
 * the earlier data keys with the new key. Processes with the earlier configuration continue to use their data key.
 */
import { ConfigurationError } from "../../errors.ts";
import type { KeyProvider } from "../../model/encryption.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { SqlDialect } from "../dialect.ts";
import type { EncryptionKeysTable } from "../rows/tables.ts";
import { all, run, type Transact, type Transaction } from "../transaction.ts";
import { Cipher } from "./cipher.ts";
import { sealedBytes } from "./columns.ts";
import { Encryption } from "./encryption.ts";
import { randomBytes } from "./random-bytes.ts";

const dataKeyLength = 32;
const canaryText = "troupe";
const canaryCode = sealedBytes["encryption_keys.canary"];

/** Opens the encryption of a database whose tables are up to date. */
export type OpenEncryption = (dialect: SqlDialect, transact: Transact) => Promise<Encryption | undefined>;

/**
 * Loads all data keys, and makes one if the operator's current key has none.
 * Without a provider, the result is undefined.
 * @throws ConfigurationError if a data key cannot be unwrapped: the server must not start with a missing or wrong key
 */
export function openEncryption(provider: KeyProvider | undefined, runtime: Runtime): OpenEncryption {
  return async (dialect, transact) => {
    const rows = await transact(() => keyRows(dialect));
    if (provider === undefined) {
      if (rows.length === 0) return undefined;
      throw new ConfigurationError(
        `The database has encrypted data, but no key is configured: set TROUPE_ENCRYPTION_KEYS or encryption.keyProvider. ${neededKeys(rows)}`,
      );
    }
    const { keyId } = provider;
    if (keyId !== null && (typeof keyId !== "string" || keyId.length === 0 || keyId.length > 200))
      throw new ConfigurationError("encryption.keyProvider.keyId must be null or a text of 1 to 200 characters.");
    // Values that are stored unencrypted from now on are encrypted later, if a key is the current one again.
    if (keyId === null && !readers.has(provider))
      await transact(() => run(dialect.db.updateTable("encryption_keys").set({ complete: 0 })));
    const cipher = new Cipher();
    const unwrapped = new Map<number, Uint8Array>();
    for (const row of rows) unwrapped.set(row.id, await addKey(cipher, provider, row));
    if (keyId !== null) {
      const own = rows.findLast(({ origin }) => origin === keyId);
      cipher.sealWith(own?.id ?? (await createKey({ cipher, provider, keyId, runtime, dialect, transact })));
      // The origin of the newest data key is the operator's newest key.
      if (own === undefined || own === rows.at(-1))
        await rewrap({ provider, keyId, rows, unwrapped, dialect, transact });
    }
    return new Encryption(cipher, runtime, async (id, through) => {
      const row = (await through(() => keyRows(dialect))).find((each) => each.id === id);
      if (row !== undefined) await addKey(cipher, provider, row);
      return row !== undefined;
    });
  };
}

const readers = new WeakSet<KeyProvider>();

/** Returns a provider that only unwraps: a command that uses it makes no data key, and changes none. */
export function readOnly(provider: KeyProvider): KeyProvider {
  const reader: KeyProvider = {
    keyId: null,
    wrap: (dataKey) => provider.wrap(dataKey),
    unwrap: (wrapped, keyId) => provider.unwrap(wrapped, keyId),
  };
  readers.add(reader);
  return reader;
}

/** Ids of the operator's keys that wrap data keys, with the number of data keys of each. */
export async function wrappingKeys(dialect: SqlDialect, transact: Transact): Promise<ReadonlyMap<string, number>> {
  const rows = await transact(() => keyRows(dialect));
  const counts = new Map<string, number>();
  for (const { operator_key } of rows) counts.set(operator_key, (counts.get(operator_key) ?? 0) + 1);
  return counts;
}

function* keyRows({ db }: SqlDialect): Transaction<readonly EncryptionKeysTable[]> {
  return yield* all(db.selectFrom("encryption_keys").selectAll().orderBy("id"));
}

function neededKeys(rows: readonly EncryptionKeysTable[]): string {
  return `Needed keys: ${[...new Set(rows.map(({ operator_key }) => operator_key))].join(", ")}.`;
}

/** Unwraps a data key and checks it. */
async function addKey(
  cipher: Cipher,
  provider: KeyProvider,
  { id, operator_key, wrapped, canary }: EncryptionKeysTable,
): Promise<Uint8Array> {
  const fault = `The data key ${id} of the database, which the key "${operator_key}" wraps, cannot be unwrapped`;
  let dataKey: Uint8Array;
  try {
    dataKey = await provider.unwrap(Buffer.from(wrapped, "base64"), operator_key);
  } catch (error) {
    throw new ConfigurationError(`${fault}: ${(error as Error).message}`, { cause: error });
  }
  try {
    cipher.add(id, checkedKey(dataKey));
    cipher.open(canaryCode, String(id), Buffer.from(canary, "base64"));
  } catch (error) {
    throw new ConfigurationError(`${fault}: the provider returned another key.`, { cause: error });
  }
  return dataKey;
}

function checkedKey(dataKey: Uint8Array): Uint8Array {
  if (!(dataKey instanceof Uint8Array) || dataKey.length !== dataKeyLength) throw new Error("not a key of 32 bytes");
  return dataKey;
}

interface KeyParts {
  readonly provider: KeyProvider;
  readonly keyId: string;
  readonly dialect: SqlDialect;
  readonly transact: Transact;
}

/** Makes a data key, unless another process has just made one. Returns its id. */
async function createKey({
  cipher,
  provider,
  keyId,
  runtime,
  dialect,
  transact,
}: KeyParts & { cipher: Cipher; runtime: Runtime }): Promise<number> {
  const dataKey = randomBytes(dataKeyLength);
  const wrapped = Buffer.from(await provider.wrap(dataKey)).toString("base64");
  const created_at = runtime.clock.now();
  const made = await transact(function* (): Transaction<EncryptionKeysTable> {
    yield dialect.migrationLock.compile(dialect.db);
    const rows = yield* keyRows(dialect);
    const known = rows.findLast(({ origin }) => origin === keyId);
    if (known !== undefined) return known;
    const id = (rows.at(-1)?.id ?? 0) + 1;
    const maker = new Cipher();
    maker.add(id, dataKey);
    maker.sealWith(id);
    const canary = maker.seal(canaryCode, String(id), Buffer.from(canaryText)).toString("base64");
    const row = { id, origin: keyId, operator_key: keyId, wrapped, canary, created_at, complete: 0 };
    yield* run(dialect.db.insertInto("encryption_keys").values(row));
    return row;
  });
  await addKey(cipher, provider, made);
  return made.id;
}

/** Wraps all data keys with the current operator's key. Afterwards the earlier operator's keys are not needed. */
async function rewrap({
  provider,
  keyId,
  rows,
  unwrapped,
  dialect,
  transact,
}: KeyParts & {
  rows: readonly EncryptionKeysTable[];
  unwrapped: ReadonlyMap<number, Uint8Array>;
}): Promise<void> {
  for (const { id, operator_key } of rows) {
    const dataKey = unwrapped.get(id);
    if (operator_key === keyId || dataKey === undefined) continue;
    const wrapped = Buffer.from(await provider.wrap(dataKey)).toString("base64");
    const changed = { operator_key: keyId, wrapped };
    const query = dialect.db.updateTable("encryption_keys").set(changed).where("id", "=", id);
    await transact(() => run(query.where("operator_key", "=", operator_key)));
  }
}
