/**
 * Tokens of callers, for the servers that are sent them. In memory only, and in the process that heard them: what is written down can be stolen.
 */
import { type Factory, isFactory } from "../../define/factory.ts";
import type { Entry } from "../../define/platform.ts";
import { isRemote, type Remote } from "../../define/remote.ts";
import { remotesWithin } from "../../define/within.ts";
import type { Clock } from "../../model/runtime.ts";

/** Runs that wait of which a token is kept; of more the oldest ones lose theirs. */
const most = 10_000;
/** Milliseconds for which it is kept: as a rule, tokens live no longer. */
const longest = 3_600_000;

export class Bearers {
  readonly #clock: Clock;
  readonly #areWanted: boolean;
  /** By the key of the run, the oldest first. */
  readonly #kept = new Map<number, { readonly bearer: string; readonly since: number }>();

  constructor(clock: Clock, hosted: readonly Entry[]) {
    this.#clock = clock;
    this.#areWanted = hosted.some(mayWant);
  }

  /** Keeps the token of who began or continued a run until the run is taken up, if anything that is hosted may be sent it. */
  keep(runKey: number, bearer: string | undefined): void {
    if (bearer === undefined || !this.#areWanted) return;
    const since = this.#clock.monotonic();
    for (const [key, kept] of this.#kept) {
      if (this.#kept.size < most && since - kept.since < longest) break;
      this.#kept.delete(key);
    }
    this.#kept.set(runKey, { bearer, since });
  }

  /** The token for a run that is taken up. */
  take(runKey: number): string | undefined {
    const kept = this.#kept.get(runKey);
    this.#kept.delete(runKey);
    return kept?.bearer;
  }
}

/** What a factory builds is not known yet. */
function mayWant(entry: Entry): boolean {
  return isFactory(entry) || sendsTokens(entry);
}

/** Whether the component calls other servers with the token of its caller. */
export function sendsTokens(entry: Exclude<Entry, Factory>): boolean {
  const remotes = isRemote(entry) ? [entry] : remotesWithin(entry);
  return remotes.some(({ credential }) => credential === "caller");
}

/** What is sent to the other server for a run whose caller brought this token. */
export async function bearerFor({ credential }: Remote, ofCaller: string | undefined): Promise<string | undefined> {
  if (credential === "none") return undefined;
  return credential === "caller" ? ofCaller : await credential();
}
