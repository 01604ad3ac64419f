/**
 * Repeatable starts (Idempotency-Key, draft-ietf-httpapi-idempotency-key-header). The first request reserves the run's id before the run exists.
 * Repeated requests get the same id, and a run is created once under it, even if a process dies in between.
 */
import { createHash } from "node:crypto";
import { TroupeError, valueFault } from "../../errors.ts";
import { mayClaimUser, type Principal } from "../../model/principal.ts";
import type { EngineParts } from "../parts.ts";

/** Identifies a start, or a continue, as a repetition of an earlier one. */
export interface Idempotency {
  /** The key that the caller chose. */
  readonly key: string;
  /** Digest of the whole request: the same key with another digest is an error of the caller. */
  readonly fingerprint: string;
}

/** The run that a key is reserved for. */
export interface Reservation {
  readonly runId: string;
  /** Digest of the caller and its key. */
  readonly digest: string;
  /** Time of the reservation. */
  readonly at: number;
  /** Whether this request made the reservation. */
  readonly isNew: boolean;
}

/**
 * Reserves the caller's key for `runId`, or returns its earlier reservation for another run.
 * @throws TroupeError `validation` if the key is reserved for another request
 */
export async function reserveKey(
  { store, runtime, settings }: Pick<EngineParts, "store" | "runtime" | "settings">,
  caller: Principal,
  { key, fingerprint }: Idempotency,
  runId: string,
): Promise<Reservation> {
  const at = runtime.clock.now();
  const { owner, userId } = caller;
  // Version 0.1 used this name: a start that is repeated after or during an upgrade keeps its digest.
  const kind = mayClaimUser(caller) ? "anonymous" : caller.kind;
  const digest = createHash("sha256")
    .update(JSON.stringify([kind, owner, userId, key]))
    .digest("base64url");
  const reserved = await store.reserveIdempotencyKey({
    digest,
    runId,
    fingerprint,
    at,
    since: at - settings.idempotencyDuration,
  });
  const isNew = reserved.runId === runId && reserved.at === at;
  if (reserved.fingerprint === fingerprint) return { runId: reserved.runId, digest, at: reserved.at, isNew };
  const msg = "This Idempotency-Key was used for another request: send the same request again, or another key.";
  throw new TroupeError("validation", msg, { faults: [valueFault(["header", "idempotency-key"], msg)] });
}

/** Errors after which the work may have begun or may still begin: only the same request may be repeated with the key. */
const undecided: ReadonlySet<string> = new Set(["conflict", "unavailable", "badGateway", "internal"]);

/**
 * Runs the work of a request that reserved a key. If the work is rejected, the key is free again, for the same request or a corrected one.
 * @param isStart whether the work creates the run; otherwise it continues the run
 * @param isMade whether another request with the key has done the work meanwhile: the key then stays reserved. Default: no
 */
export async function releasedOnRejection<Result>(
  { store, runtime }: Pick<EngineParts, "store" | "runtime">,
  {
    reservation,
    isStart,
    isMade,
  }: {
    readonly reservation: Reservation | undefined;
    readonly isStart: boolean;
    readonly isMade?: () => Promise<boolean>;
  },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    // Another request with the same key may still be in progress: it needs the reservation that it made.
    if (!reservation?.isNew || !(error instanceof TroupeError) || undecided.has(error.code)) throw error;
    const { digest, runId } = reservation;
    try {
      if (!(await isMade?.())) await store.releaseIdempotencyKey({ digest, runId, unlessStarted: isStart });
    } catch (fault) {
      runtime.log.info({ error: fault, runId }, "The Idempotency-Key of a rejected request could not be freed.");
    }
    throw error;
  }
}
