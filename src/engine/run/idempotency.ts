/**
 * Starts that may be sent again (Idempotency-Key, draft-ietf-httpapi-idempotency-key-header). The run's id is made of the key and the caller, so
 * the row that the first try creates is the record that there was one: it is committed with the run, or neither is.
 */
import { createHash } from "node:crypto";
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunRow, Store } from "../../store/seam.ts";
import type { StoredOptions } from "./open-run.ts";

/** What makes a start the same as an earlier one. */
export interface Idempotency {
  /** As the caller chose it. */
  readonly key: string;
  /** Digest of everything that was asked for: the same key with another one is a mistake of the caller. */
  readonly fingerprint: string;
}

/** What an earlier start with the key has come to: its run, or the id that a first one gets. */
export type Earlier = { readonly run: RunRow } | { readonly newRunId: string };

/**
 * Looks for an earlier start. One that is older than `window` milliseconds does not count: then the key is used again.
 * @throws TroupeError `validation` where it asked for something else
 */
export async function findEarlier(
  store: Pick<Store, "findRun">,
  caller: Principal,
  { key, fingerprint }: Idempotency,
  { now, window }: { readonly now: number; readonly window: number },
): Promise<Earlier> {
  for (let use = 0; ; use++) {
    const newRunId = runIdOf(caller, key, use);
    const run = await store.findRun(caller, newRunId);
    if (!run) return { newRunId };
    if (now - run.createdAt > window) continue;
    if ((JSON.parse(run.options) as StoredOptions).fingerprint === fingerprint) return { run };
    throw new TroupeError(
      "validation",
      "This Idempotency-Key was used for another request: send the same request again, or another key.",
    );
  }
}

/** A UUID of version 8 (RFC 9562 section 5.8). */
function runIdOf({ kind, owner, userId }: Principal, key: string, use: number): string {
  const digest = createHash("sha256")
    .update(JSON.stringify(["run", kind, owner, userId, key, use]))
    .digest();
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString("hex", 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
