/** Callers' tokens, for other servers. Kept only in memory and only in the process that received them: stored tokens could be stolen. */
import { type Factory, isFactory } from "../../define/factory.ts";
import type { Entry } from "../../define/platform.ts";
import { isRemote, type Remote } from "../../define/remote.ts";
import { remotesWithin } from "../../define/within.ts";
import type { Clock } from "../../model/runtime.ts";

/** Maximum number of waiting runs whose token is kept; beyond it the oldest tokens are dropped. */
const maxTokens = 10_000;
/** Milliseconds for which a token is kept; most tokens expire earlier. */
const maxAge = 3_600_000;

export class Bearers {
  readonly #clock: Clock;
  readonly #areNeeded: boolean;
  /** By run key, the oldest first. */
  readonly #kept = new Map<number, { readonly bearer: string; readonly since: number }>();

  constructor(clock: Clock, hosted: readonly Entry[]) {
    this.#clock = clock;
    this.#areNeeded = hosted.some(mayNeedTokens);
  }

  /** Keeps the token of the caller who started or continued a run until the run is executed, if any hosted component may need it. */
  keep(runKey: number, bearer: string | undefined): void {
    if (bearer === undefined || !this.#areNeeded) return;
    const since = this.#clock.monotonic();
    for (const [key, kept] of this.#kept) {
      if (this.#kept.size < maxTokens && since - kept.since < maxAge) break;
      this.#kept.delete(key);
    }
    // A renewed token moves to the end, because the search for expired tokens begins with the oldest.
    this.#kept.delete(runKey);
    this.#kept.set(runKey, { bearer, since });
  }

  /** Removes and returns the token for a run that is about to be executed. */
  take(runKey: number): string | undefined {
    const kept = this.#kept.get(runKey);
    this.#kept.delete(runKey);
    return kept?.bearer;
  }
}

/** The components that a factory builds are unknown, so they may need the token. */
function mayNeedTokens(entry: Entry): boolean {
  return isFactory(entry) || sendsTokens(entry);
}

/** Whether the component calls other servers with the token of its caller. */
export function sendsTokens(entry: Exclude<Entry, Factory>): boolean {
  const remotes = isRemote(entry) ? [entry] : remotesWithin(entry);
  return remotes.some(({ credential }) => credential === "caller");
}

/** Returns the token for the other server. @param callerToken the token of the run's caller */
export async function bearerFor({ credential }: Remote, callerToken: string | undefined): Promise<string | undefined> {
  if (credential === "none") return undefined;
  return credential === "caller" ? callerToken : await credential();
}
