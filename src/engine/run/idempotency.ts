/**
 * Starts that may be sent again (Idempotency-Key, draft-ietf-httpapi-idempotency-key-header). The first one reserves the id that its run will
 * have, before there is a run; whoever comes again is given the same id, and a run is created once under it, whatever died in between.
 */
import { createHash } from "node:crypto";
import { TroupeError, valueFault } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { EngineParts } from "../parts.ts";

/** What makes a start, or a continue, the same as an earlier one. */
export interface Idempotency {
  /** As the caller chose it. */
  readonly key: string;
  /** Digest of everything that was asked for: the same key with another one is a mistake of the caller. */
  readonly fingerprint: string;
}

/** What a key stands for. */
export interface Reservation {
  readonly runId: string;
  /** Of the caller with its key. */
  readonly digest: string;
  /** When it was made. */
  readonly at: number;
}

/**
 * What the caller's key stands for: for `runId`, unless it stands for another run already.
 * @throws TroupeError `validation` where the key stands for another request
 */
export async function reserve(
  { store, runtime, settings }: Pick<EngineParts, "store" | "runtime" | "settings">,
  { kind, owner, userId }: Principal,
  { key, fingerprint }: Idempotency,
  runId: string,
): Promise<Reservation> {
  const at = runtime.clock.now();
  const digest = createHash("sha256")
    .update(JSON.stringify([kind, owner, userId, key]))
    .digest("base64url");
  const reserved = await store.reserveStart({
    digest,
    runId,
    fingerprint,
    at,
    since: at - settings.idempotencyWindow,
  });
  if (reserved.fingerprint === fingerprint) return { runId: reserved.runId, digest, at: reserved.at };
  const msg = "This Idempotency-Key was used for another request: send the same request again, or another key.";
  throw new TroupeError("validation", msg, { faults: [valueFault(["header", "idempotency-key"], msg)] });
}
