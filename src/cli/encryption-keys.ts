/** The operator's keys for commands that store nothing. */
import type { Platform } from "../define/platform.ts";
import type { KeyProvider } from "../model/encryption.ts";
import { readOnly } from "../store/encryption/data-keys.ts";
import { environmentKeys } from "../store/encryption/environment-keys.ts";
import { loadPlatform } from "./load.ts";

/** Whether a server of this app encrypts what it stores. */
export function storesEncrypted({ keyProvider }: Pick<Platform, "keyProvider">): boolean {
  const keys = keyProvider ?? environmentKeys(process.env.TROUPE_ENCRYPTION_KEYS);
  return keys !== undefined && keys.keyId !== null;
}

/** Returns the keys of the app or, if it has none or cannot be loaded, of the environment. They only decrypt. */
export async function readOnlyKeys(file: string | undefined): Promise<KeyProvider | undefined> {
  const platform = await loadPlatform(file).catch(() => undefined);
  const provider = platform?.keyProvider ?? environmentKeys(process.env.TROUPE_ENCRYPTION_KEYS);
  return provider && readOnly(provider);
}
