/** The faults of a plan: per call, and outages of the database. */
import type { Action, AtCall, CallName } from "./plan.ts";

type CallAction =
  | Extract<Action, { kind: "call" }>
  | (Extract<Action, { kind: "crash" | "pause" | "cancel" }> & { when: AtCall });

const flushes: ReadonlySet<string> = new Set<CallName>(["create", "step", "tool", "end"]);

export class Faults {
  readonly #byCall = new Map<string, CallAction[]>();
  readonly #counts = new Map<string, number>();
  readonly #away = new Set<{ readonly slot: number | undefined }>();
  readonly #noises = new Set<Extract<Action, { kind: "noise" }>>();
  #isCalm = false;

  constructor(actions: readonly Action[]) {
    for (const action of actions) {
      if (!("when" in action) || !("call" in action.when)) continue;
      const { call, nth } = action.when;
      const place = `${action.slot} ${call} ${nth}`;
      this.#byCall.set(place, [...(this.#byCall.get(place) ?? []), action as CallAction]);
    }
  }

  /** Counts a call of a process, and returns its fault. */
  next(slot: number, call: string): readonly CallAction[] {
    if (this.#isCalm || this.#byCall.size === 0) return none;
    const found = [...this.#at(slot, "any"), ...this.#at(slot, call)];
    return flushes.has(call) ? [...found, ...this.#at(slot, "append")] : found;
  }

  beginOutage(outage: { readonly slot: number | undefined }): void {
    if (!this.#isCalm) this.#away.add(outage);
  }

  endOutage(outage: { readonly slot: number | undefined }): void {
    this.#away.delete(outage);
  }

  /** Whether the database is unavailable for a process now. */
  isAway(slot: number): boolean {
    for (const outage of this.#away) if (outage.slot === undefined || outage.slot === slot) return true;
    return false;
  }

  beginNoise(noise: Extract<Action, { kind: "noise" }>): void {
    if (!this.#isCalm) this.#noises.add(noise);
  }

  endNoise(noise: Extract<Action, { kind: "noise" }>): void {
    this.#noises.delete(noise);
  }

  /** The current faults of signals. */
  get noise(): { readonly loss: number; readonly delay: number } {
    for (const noise of this.#noises) return noise;
    return quiet;
  }

  /** Ends all faults. */
  calm(): void {
    this.#isCalm = true;
    this.#away.clear();
    this.#noises.clear();
  }

  #at(slot: number, call: string): readonly CallAction[] {
    const name = `${slot} ${call}`;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return this.#byCall.get(`${name} ${count}`) ?? none;
  }
}

const none: readonly CallAction[] = [];
const quiet = { loss: 0, delay: 5 };
