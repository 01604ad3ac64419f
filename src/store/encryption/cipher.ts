/**
 * Encrypts values with data keys (AES-256-GCM). A value is: number of its column (1 byte), id of its data key (4), salt (8), nonce (12), ciphertext,
 * tag (16). Column, data key, salt and row are authenticated, so a value cannot be moved to another row or column.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { TroupeError } from "../../errors.ts";
import { randomBytes } from "./random-bytes.ts";

const saltLength = 8;
const nonceLength = 12;
const tagLength = 16;
const nonceStart = 1 + 4 + saltLength;
const headerLength = nonceStart + nonceLength;

/** Max values per derived key: random nonces of 96 bits are safe up to 2^32 of them. */
const maxValues = 2 ** 31;

/** Derived keys of other processes that are kept for reading. */
const maxDerived = 1_000;

/** Why a value cannot be decrypted. */
export class CorruptedValue extends Error {}

/** The data key of a value is not loaded. As a `TroupeError` it does not count as a lost connection. */
export class UnknownDataKey extends TroupeError {
  readonly id: number;

  constructor(id: number) {
    super("internal", `A stored value is encrypted with the data key ${id}, which is not loaded.`);
    this.id = id;
  }
}

interface SealingKey {
  readonly id: number;
  readonly salt: Buffer;
  readonly key: KeyObject;
  values: number;
}

/** Encrypts and decrypts values with loaded data keys. */
export class Cipher {
  readonly #dataKeys = new Map<number, KeyObject>();
  readonly #derived = new Map<string, KeyObject>();
  #sealing: SealingKey | undefined;

  /** Loads a data key (32 bytes). */
  add(id: number, dataKey: Uint8Array): void {
    this.#dataKeys.set(id, createSecretKey(dataKey));
  }

  has(id: number): boolean {
    return this.#dataKeys.has(id);
  }

  /** Encrypts new values with this data key from now on. */
  sealWith(id: number): void {
    const salt = randomBytes(saltLength);
    this.#sealing = { id, salt, key: this.#derive(id, salt), values: 0 };
  }

  /** Id of the data key of new values; undefined before `sealWith`. */
  get sealingId(): number | undefined {
    return this.#sealing?.id;
  }

  /** Encrypts a value of a column and row. */
  seal(column: number, row: string, value: Uint8Array): Buffer {
    let sealing = this.#sealing;
    if (sealing === undefined) throw new Error("No data key for new values.");
    if (sealing.values >= maxValues) {
      this.sealWith(sealing.id);
      sealing = this.#sealing as SealingKey;
    }
    sealing.values += 1;
    const sealed = Buffer.allocUnsafe(headerLength + value.length + tagLength);
    sealed.writeUInt8(column, 0);
    sealed.writeUInt32BE(sealing.id, 1);
    sealing.salt.copy(sealed, 5);
    const nonce = randomBytes(nonceLength);
    nonce.copy(sealed, nonceStart);
    const cipher = createCipheriv("aes-256-gcm", sealing.key, nonce);
    cipher.setAAD(contextOf(sealed, row));
    cipher.update(value).copy(sealed, headerLength);
    cipher.final();
    cipher.getAuthTag().copy(sealed, headerLength + value.length);
    return sealed;
  }

  /**
   * Decrypts a value of a row.
   * @throws CorruptedValue if this row's value was not encrypted with these keys, UnknownDataKey
   */
  open(column: number, row: string, sealed: Buffer): Buffer {
    if (sealed.length < headerLength + tagLength || columnOf(sealed) !== column)
      throw new CorruptedValue("it does not belong to this column");
    const id = dataKeyOf(sealed);
    const key = this.#derive(id, sealed.subarray(5, nonceStart));
    const end = sealed.length - tagLength;
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(nonceStart, headerLength), {
      authTagLength: tagLength,
    });
    decipher.setAAD(contextOf(sealed, row));
    decipher.setAuthTag(sealed.subarray(end));
    try {
      const value = decipher.update(sealed.subarray(headerLength, end));
      decipher.final();
      return value;
    } catch (error) {
      throw new CorruptedValue("it was changed, or belongs to another row", { cause: error });
    }
  }

  /** Each process start has a salt of its own, so processes that share a data key use different keys. */
  #derive(id: number, salt: Buffer): KeyObject {
    const name = `${id}/${salt.toString("latin1")}`;
    const known = this.#derived.get(name);
    if (known !== undefined) return known;
    const dataKey = this.#dataKeys.get(id);
    if (dataKey === undefined) throw new UnknownDataKey(id);
    const key = createSecretKey(new Uint8Array(hkdfSync("sha256", dataKey, salt, "troupe stored values", 32)));
    if (this.#derived.size >= maxDerived) this.#derived.clear();
    this.#derived.set(name, key);
    return key;
  }
}

/** Number of the column of an encrypted value. */
export function columnOf(sealed: Buffer): number {
  return sealed.readUInt8(0);
}

/** Id of the data key of an encrypted value. */
export function dataKeyOf(sealed: Buffer): number {
  return sealed.readUInt32BE(1);
}

function contextOf(sealed: Buffer, row: string): Buffer {
  return Buffer.concat([sealed.subarray(0, nonceStart), Buffer.from(row)]);
}
