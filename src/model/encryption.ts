/** Encryption at rest: the operator's keys. See docs/security.md. */

/**
 * Wraps data keys with keys that the server never stores, such as keys of a key management service. The server calls it when it starts, and when it
 * finds a data key that another process has made: never for each value.
 *
 * @example
 * ```ts
 * import type { KeyProvider } from "troupe";
 *
 * declare const kms: { encrypt(key: string, bytes: Uint8Array): Promise<Uint8Array>; decrypt(key: string, bytes: Uint8Array): Promise<Uint8Array> };
 *
 * const keyProvider: KeyProvider = {
 *   keyId: "alias/troupe-2026",
 *   wrap: (dataKey) => kms.encrypt("alias/troupe-2026", dataKey),
 *   unwrap: (wrapped, keyId) => kms.decrypt(keyId, wrapped),
 * };
 * ```
 */
export interface KeyProvider {
  /**
   * Id of the key that wraps new data keys: 1 to 200 characters. A new id makes the server create a new data key. Null: the server reads encrypted
   * values, and stores new values unencrypted.
   */
  readonly keyId: string | null;
  /** Returns a data key (32 bytes) encrypted with the key `keyId`. */
  wrap(dataKey: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Returns the data key that `wrap` encrypted with a key. Throws for an unknown key, and for bytes that this key did not encrypt. */
  unwrap(wrapped: Uint8Array, keyId: string): Uint8Array | Promise<Uint8Array>;
}

/** Options of the encryption at rest. */
export interface EncryptionOptions {
  readonly keyProvider: KeyProvider;
}
