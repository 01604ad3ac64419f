/** The operator's keys in the environment: `TROUPE_ENCRYPTION_KEYS=2026:<base64>,2025:<base64>`. */
import { createCipheriv, createDecipheriv } from "node:crypto";
import { ConfigurationError } from "../../errors.ts";
import type { KeyProvider } from "../../model/encryption.ts";
import { randomBytes } from "./random-bytes.ts";

const variable = "TROUPE_ENCRYPTION_KEYS";
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;

/** Entry that stands for no key: new values are stored unencrypted. */
const noKey = "none";

const form = `${variable} must be a list like "2026:<key>,2025:<key>" of ids and keys of ${keyLength} bytes in base64 (openssl rand -base64 32). The first key is the current one; "none" in its place stores new values unencrypted.`;

/**
 * Returns the provider of the keys in the variable; undefined for none. Errors name ids, never keys.
 * @throws ConfigurationError
 */
export function environmentKeys(text: string | undefined): KeyProvider | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const entries = text.split(",").map((entry) => entry.trim());
  const keys = new Map<string, Buffer>();
  for (const [place, entry] of entries.entries()) {
    if (entry === noKey && place === 0 && entries.length > 1) continue;
    const [id = "", encoded = ""] = entry.split(/:(.*)/s);
    const key = Buffer.from(encoded, "base64");
    if (!/^[\w.-]{1,100}$/.test(id) || !/^[\w+/-]+=*$/.test(encoded) || key.length !== keyLength)
      throw new ConfigurationError(`${form} Entry ${place + 1} is not like this.`);
    if (keys.has(id)) throw new ConfigurationError(`${form} The id "${id}" is there twice.`);
    keys.set(id, key);
  }
  const first = entries[0] === noKey ? null : ([...keys.keys()][0] ?? null);
  return {
    keyId: first,
    wrap: (dataKey) => wrap(keyOf(keys, first ?? ""), dataKey),
    unwrap: (wrapped, keyId) => unwrap(keyOf(keys, keyId), wrapped, keyId),
  };
}

function keyOf(keys: ReadonlyMap<string, Buffer>, id: string): Buffer {
  const key = keys.get(id);
  if (key === undefined) throw new ConfigurationError(`${variable} has no key "${id}".`);
  return key;
}

function wrap(key: Buffer, dataKey: Uint8Array): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
}

function unwrap(key: Buffer, wrapped: Uint8Array, id: string): Buffer {
  const bytes = Buffer.from(wrapped);
  try {
    const options = { authTagLength: tagLength };
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceLength), options);
    decipher.setAuthTag(bytes.subarray(-tagLength));
    return Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()]);
  } catch {
    throw new ConfigurationError(`The key "${id}" of ${variable} is not the key that encrypted this database.`);
  }
}
