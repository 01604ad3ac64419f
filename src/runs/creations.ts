/** Creations that a client may repeat with an Idempotency-Key: a repeated request gets what the first one created. */
import { type Idempotency, releasedOnRejection, reserveKey } from "../engine/run/idempotency.ts";
import type { Principal } from "../model/principal.ts";
import type { RunParts } from "./parts.ts";

export type { Idempotency } from "../engine/run/idempotency.ts";

/** What a request created, or an earlier one with the same key. */
export interface Created<Stored> {
  readonly stored: Stored;
  readonly isRepeated: boolean;
}

/**
 * Creates something once for each key. The key reserves the id, so a creation that a crash interrupted can be repeated.
 * @throws TroupeError `validation` if the key was used for another request, and what the creation throws: the key is then free again
 */
export async function createOnce<Stored>(
  { store, runtime, platform: { settings } }: Pick<RunParts, "store" | "runtime" | "platform">,
  { caller, idempotency }: { readonly caller: Principal; readonly idempotency: Idempotency | undefined },
  { find, create }: { find(id: string): Promise<Stored | undefined>; create(id: string): Promise<Stored> },
): Promise<Created<Stored>> {
  const id = runtime.randomness.uuid();
  if (!idempotency) return { stored: await create(id), isRepeated: false };
  const reservation = await reserveKey({ store, runtime, settings }, caller, idempotency, id);
  const earlier = reservation.isNew ? undefined : await find(reservation.runId);
  if (earlier) return { stored: earlier, isRepeated: true };
  const isMade = async () => (await find(reservation.runId)) !== undefined;
  const work = () => create(reservation.runId);
  return {
    stored: await releasedOnRejection({ store, runtime }, { reservation, isStart: false, isMade }, work),
    isRepeated: false,
  };
}
