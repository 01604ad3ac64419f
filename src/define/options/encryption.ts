/** Validates the encryption of a platform. */
import { ConfigurationError } from "../../errors.ts";
import type { EncryptionOptions, KeyProvider } from "../../model/encryption.ts";
import { type Known, refuseUnknown } from "../checks.ts";

const known: Known<EncryptionOptions> = { keyProvider: true };

/**
 * Returns the key provider; undefined for none.
 * @throws ConfigurationError naming the fix
 */
export function checkEncryption(title: string, encryption: unknown): KeyProvider | undefined {
  if (encryption === undefined) return undefined;
  const { keyProvider } = (encryption ?? {}) as Partial<EncryptionOptions>;
  const { keyId, wrap, unwrap } = (keyProvider ?? {}) as Partial<KeyProvider>;
  const hasId = keyId === null || (typeof keyId === "string" && keyId.length > 0 && keyId.length <= 200);
  if (!hasId || typeof wrap !== "function" || typeof unwrap !== "function")
    throw new ConfigurationError(
      `${title}: encryption must be an object like { keyProvider: { keyId, wrap, unwrap } }, with a keyId of 1 to 200 characters or null.`,
    );
  refuseUnknown(`${title}: encryption`, encryption as object, known);
  return keyProvider;
}
