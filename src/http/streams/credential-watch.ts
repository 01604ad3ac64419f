/**
 * Ends streams and connections whose credential is no longer valid: an expired token, a revoked service account, a removed key. One periodic check
 * covers all of them: a timer for each stream would cost too much.
 */
import type { AccessControl, CredentialCheck } from "../../auth/access-control.ts";
import type { Principal } from "../../model/principal.ts";
import type { Clock } from "../../model/runtime.ts";

interface Watched {
  readonly credentialCheck: CredentialCheck;
  readonly end: () => void;
}

export class CredentialWatch {
  readonly #gate: Pick<AccessControl, "credentialCheckOf">;
  readonly #clock: Pick<Clock, "after">;
  readonly #interval: number;
  readonly #watched = new Set<Watched>();
  #isLooking = false;

  /** @param interval milliseconds between two checks */
  constructor(gate: Pick<AccessControl, "credentialCheckOf">, clock: Pick<Clock, "after">, interval: number) {
    this.#gate = gate;
    this.#clock = clock;
    this.#interval = interval;
  }

  /** Calls `end` once when the caller's credential is no longer valid; the returned function stops watching. */
  watch(caller: Principal, end: () => void): () => void {
    const credentialCheck = this.#gate.credentialCheckOf(caller);
    if (!credentialCheck) return nothing;
    const watched = { credentialCheck, end };
    this.#watched.add(watched);
    this.#checkLater();
    return () => void this.#watched.delete(watched);
  }

  #checkLater(): void {
    if (this.#isLooking || this.#watched.size === 0) return;
    this.#isLooking = true;
    this.#clock.after(this.#interval, () => {
      void this.#look().finally(() => {
        this.#isLooking = false;
        this.#checkLater();
      });
    });
  }

  async #look(): Promise<void> {
    for (const watched of [...this.#watched]) {
      const answer = watched.credentialCheck.isValid();
      // Sequential: of the many streams of one account, only the first check queries the database.
      const isGood = typeof answer === "boolean" ? answer : await answer;
      if (isGood || !this.#watched.delete(watched)) continue;
      watched.end();
    }
  }
}

function nothing(): void {}
