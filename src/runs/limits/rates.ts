/** Rate limits per caller: requests per second and starts per minute. All processes of a database share them. */
import { type RateState, TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunParts } from "../parts.ts";

type RateParts = Pick<RunParts, "platform" | "rates" | "runtime">;

/** The result of a call that a limit applies to. */
export interface Limited {
  readonly rate?: RateState | undefined;
}

interface Limit {
  readonly name: string;
  readonly max: number;
  /** In seconds. */
  readonly window: number;
}

/**
 * Counts a request of a caller. Returns undefined, and nothing else happens, while `maxRequestsPerSecond` is not set.
 *
 * @param address of the client: callers without a user id are counted by it
 * @returns the state of the limit after this request
 * @throws TroupeError `tooManyRequests`
 */
export function takeRequest(parts: RateParts, caller: Principal, address: string): Promise<RateState> | undefined {
  const max = parts.platform.settings.maxRequestsPerSecond;
  if (max === Number.POSITIVE_INFINITY || caller.kind === "system") return undefined;
  const limit = { name: "requests", max, window: 1 };
  return caller.userId === null
    ? take(parts, limit, `${caller.kind}-address`, address)
    : take(parts, limit, caller.kind, caller.userId);
}

/**
 * Counts a start of a run, then starts it. Callers without a user id are counted by the user that the request names. Starts of schedules are not
 * counted.
 *
 * @returns the run, with the state of the limit after this start if `maxRunsPerMinute` is set
 * @throws TroupeError `tooManyRequests`
 */
export async function limitStarts<Run extends object>(
  parts: RateParts,
  caller: Principal,
  user: string | undefined,
  start: () => Promise<Run>,
): Promise<Run & Limited> {
  const max = parts.platform.settings.maxRunsPerMinute;
  if (max === Number.POSITIVE_INFINITY || caller.kind === "system" || caller.kind === "scheduler") return start();
  const rate = await take(parts, { name: "starts", max, window: 60 }, caller.kind, caller.userId ?? user ?? "");
  return { ...(await start()), rate };
}

/** Counts for the caller `who`, whose names are unique among the callers of its kind. */
async function take({ rates, runtime }: RateParts, limit: Limit, kind: string, who: string): Promise<RateState> {
  const interval = (limit.window * 1000) / limit.max;
  const window = Math.max(limit.window * 1000, interval);
  // Only the last part may contain spaces.
  const bucket = `${limit.name} ${kind} ${who}`;
  const size = Math.max(1, Math.floor(limit.max));
  try {
    const { isTaken, untilFull } = await rates.take(bucket, interval, window);
    const rate = {
      limit: size,
      window: Math.ceil(window / 1000),
      remaining: isTaken ? Math.max(0, Math.floor((window - untilFull) / interval)) : 0,
      reset: Math.ceil(untilFull / 1000),
    };
    if (isTaken) return rate;
    const retryAfter = Math.max(1, Math.ceil((untilFull + interval - window) / 1000));
    const message = `Too many ${limit.name}: at most ${size} in ${rate.window} s. Retry after ${retryAfter} s.`;
    throw new TroupeError("tooManyRequests", message, { retryAfter, rate });
  } catch (error) {
    if (error instanceof TroupeError && error.code === "tooManyRequests") throw error;
    // A request that needs the database fails on its own; the others must not fail because of a count.
    runtime.log.warn({ error }, "A rate limit could not be checked; the request is admitted.");
    return { limit: size, window: Math.ceil(window / 1000), remaining: size, reset: 0 };
  }
}
