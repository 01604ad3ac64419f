/** Encrypts push targets. */
import { type Encryption, sealText } from "./encryption.ts";

/** Encrypts the texts of a push target's row. */
export function sealPushTarget<T extends { run_key: number; id: string; url: string; config: string }>(
  encryption: Encryption | undefined,
  target: T,
): T {
  const row = [target.run_key, target.id];
  return {
    ...target,
    url: sealText(encryption, "push_targets.url", row, target.url),
    config: sealText(encryption, "push_targets.config", row, target.config),
  };
}
