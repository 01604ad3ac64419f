/** Failed authentication attempts, counted by client address. */
import { LRUCache } from "lru-cache";
import { TroupeError } from "../errors.ts";
import type { Runtime } from "../model/runtime.ts";
import { invalidCredential } from "./credential-errors.ts";

/** Failures of one address within the window (in milliseconds) before further ones get 429. */
const maxFailures = 20;
const failureWindow = 60_000;
const maxAddresses = 1_024;

interface Failures {
  readonly since: number;
  count: number;
}

export class FailedAttempts {
  readonly #runtime: Pick<Runtime, "clock">;
  readonly #failures = new LRUCache<string, Failures>({ max: maxAddresses });

  constructor(runtime: Pick<Runtime, "clock">) {
    this.#runtime = runtime;
  }

  /** Counts a failure and returns its error. Valid credentials are never limited, because clients behind one proxy share its address. */
  countFailure(address: string, detail: string): TroupeError {
    const now = this.#runtime.clock.monotonic();
    const known = this.#failures.get(address);
    const failures = known && now - known.since < failureWindow ? known : { since: now, count: 0 };
    failures.count += 1;
    if (failures !== known) this.#failures.set(address, failures);
    if (failures.count <= maxFailures) return invalidCredential(detail);
    const retryAfter = Math.max(1, Math.ceil((failures.since + failureWindow - now) / 1000));
    return new TroupeError("tooManyRequests", "Too many failed authentication attempts", { retryAfter });
  }
}
