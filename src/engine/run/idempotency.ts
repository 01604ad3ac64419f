/**
 * Starts that may be sent again (Idempotency-Key, draft-ietf-httpapi-idempotency-key-header). The first one reserves the id that its run will
 * have, before there is a run; whoever comes again is given the same id, and a run is created once under it, whatever died in between.
 */
import { createHash } from "node:crypto";
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { EngineParts } from "../parts.ts";

/** What makes a start the same as an earlier one. */
export interface Idempotency {
  /** As the caller chose it. */
  readonly key: string;
  /** Digest of everything that was asked for: the same key with another one is a mistake of the caller. */
  readonly fingerprint: string;
}

/**
 * The id of the one run that the caller's key stands for.
 * @throws TroupeError `validation` where the key stands for another request
 */
export async function reserveRunId(
  { store, runtime, settings }: Pick<EngineParts, "store" | "runtime" | "settings">,
  { kind, owner, userId }: Principal,
  { key, fingerprint }: Idempotency,
): Promise<string> {
  const at = runtime.clock.now();
  const reserved = await store.reserveStart({
    digest: createHash("sha256")
      .update(JSON.stringify([kind, owner, userId, key]))
      .digest("base64url"),
    runId: runtime.randomness.uuid(),
    fingerprint,
    at,
    since: at - settings.idempotencyWindow,
  });
  if (reserved.fingerprint === fingerprint) return reserved.runId;
  throw new TroupeError(
    "validation",
    "This Idempotency-Key was used for another request: send the same request again, or another key.",
  );
}
