/** Keeps the runs that wait for their turn in one session from growing without a bound. */
import { TroupeError, usualRetryAfter } from "../../errors.ts";
import type { EngineParts } from "../parts.ts";

/** Milliseconds for which a session counts as busy after a run had to wait in it. */
const remembered = 60_000;

/** Sessions that are remembered; the oldest are forgotten. */
const mostSessions = 10_000;

/** A session by its wire name. */
export interface SessionName {
  readonly owner: string;
  readonly sessionId: string;
}

/**
 * Only a session in which a run had to wait is counted: all others would pay for it with a question at each start. So each process lets one
 * more run in than the bound says, now and then.
 */
export class SessionBound {
  readonly #parts: Pick<EngineParts, "store" | "runtime" | "settings">;
  /** Since when a session is busy, the oldest first. */
  readonly #busy = new Map<string, number>();

  constructor(parts: Pick<EngineParts, "store" | "runtime" | "settings">) {
    this.#parts = parts;
  }

  /** Lets one more run into the session. @throws TroupeError `tooManyRequests` */
  async admit(session: SessionName): Promise<void> {
    const { store, runtime, settings } = this.#parts;
    const since = this.#busy.get(nameOf(session));
    if (since === undefined || runtime.clock.monotonic() - since > remembered) return;
    const limit = settings.sessionQueueLimit;
    if ((await store.waitingIn(session, limit)) < limit) return;
    const message = `${limit} runs of this session wait already: more can be started when some of them have begun.`;
    throw new TroupeError("tooManyRequests", message, { retryAfter: usualRetryAfter });
  }

  /** A run has to wait in the session. */
  waits(session: SessionName): void {
    const name = nameOf(session);
    this.#busy.delete(name);
    this.#busy.set(name, this.#parts.runtime.clock.monotonic());
    if (this.#busy.size <= mostSessions) return;
    for (const oldest of this.#busy.keys()) {
      this.#busy.delete(oldest);
      return;
    }
  }
}

function nameOf({ owner, sessionId }: SessionName): string {
  return JSON.stringify([owner, sessionId]);
}
