/**
 * Ends what goes on for callers whose credential is good no more: a token that has expired, a service account that was revoked, a key that was taken
 * away. One look at all of them now and then: a timer for each stream would cost more than it is worth.
 */
import type { Access, Standing } from "../../auth/access.ts";
import type { Principal } from "../../model/principal.ts";
import type { Clock } from "../../model/runtime.ts";

interface Watched {
  readonly standing: Standing;
  readonly end: () => void;
}

export class CredentialWatch {
  readonly #gate: Pick<Access, "standingOf">;
  readonly #clock: Pick<Clock, "after">;
  readonly #interval: number;
  readonly #watched = new Set<Watched>();
  #isLooking = false;

  /** @param interval milliseconds between two looks */
  constructor(gate: Pick<Access, "standingOf">, clock: Pick<Clock, "after">, interval: number) {
    this.#gate = gate;
    this.#clock = clock;
    this.#interval = interval;
  }

  /** Calls `end` once when the caller's credential is good no more; what it answers takes that back. */
  watch(caller: Principal, end: () => void): () => void {
    const standing = this.#gate.standingOf(caller);
    if (!standing) return nothing;
    const watched = { standing, end };
    this.#watched.add(watched);
    this.#lookLater();
    return () => void this.#watched.delete(watched);
  }

  #lookLater(): void {
    if (this.#isLooking || this.#watched.size === 0) return;
    this.#isLooking = true;
    this.#clock.after(this.#interval, () => {
      void this.#look().finally(() => {
        this.#isLooking = false;
        this.#lookLater();
      });
    });
  }

  async #look(): Promise<void> {
    for (const watched of [...this.#watched]) {
      const answer = watched.standing.isGood();
      // One after the other: of one account's many streams only the first asks the database.
      const isGood = typeof answer === "boolean" ? answer : await answer;
      if (isGood || !this.#watched.delete(watched)) continue;
      watched.end();
    }
  }
}

function nothing(): void {}
