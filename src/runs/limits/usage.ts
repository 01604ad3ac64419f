/** How close callers and sessions are to the limits that several runs share. */
import type { Entry } from "../../define/platform.ts";
import {
  type Bound,
  boundsOf,
  counterOf,
  endOfDay,
  isShared,
  lowestOf,
  ownerOf,
  toShownLimit,
  usedOf,
} from "../../engine/limits/bounds.ts";
import { userLimitsOf } from "../../engine/limits/user-limits.ts";
import { TroupeError } from "../../errors.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import type { ShownLimit } from "../../model/usage/limits.ts";
import { counterName } from "../../store/contract/usage.ts";
import type { RunParts } from "../parts.ts";
import { findSession } from "../sessions.ts";

/** The user and the session whose usage is read. */
export interface UsageQuery {
  /** Default: the caller. With user isolation, only admins may name another user. */
  readonly userId: string | undefined;
  readonly sessionId: string | undefined;
}

/** Limits with their use, those closest to their end first. */
export interface UsageReport {
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** When the limits per day begin again, in milliseconds since the epoch. */
  readonly resetAt: number;
  readonly limits: readonly ShownLimit[];
}

/**
 * Reads the limits per day of the platform, its components and a user, and the limits of a session. Callers with user isolation see the limits of
 * themselves and of their session only.
 *
 * @throws TroupeError `notFound` (session)
 */
export async function readUsage(parts: RunParts, caller: Principal, query: UsageQuery): Promise<UsageReport> {
  const { platform, registry, store, runtime } = parts;
  const seesAll = visibleOwner(caller) === null;
  const userId = (seesAll ? query.userId : undefined) ?? caller.userId;
  const session =
    query.sessionId === undefined ? undefined : await sessionOf(parts, caller, query.sessionId, query.userId);
  const { user: _, ...own } = platform.limits ?? {};
  // The claims of a credential are known for its bearer only.
  const isCaller = userId !== null && userId === caller.userId;
  const known = isCaller ? caller : { ...caller, claims: {} };
  const ofUser = userId === null ? [] : userLimitsOf(platform.limits, known, userId);
  const bounds: Bound[] = [
    ...boundsOf("platform", "", own).filter(({ period }) => (period === "day" ? seesAll : session !== undefined)),
    ...registry.hosted.flatMap((entry) => boundsOfEntry(entry, seesAll, session)),
    ...lowestOf(userId === null ? [] : ofUser.flatMap((limits) => boundsOf("user", userId, limits))).filter(
      ({ period }) => period === "day" || session !== undefined,
    ),
  ].filter(isShared);
  const now = runtime.clock.now();
  const counters = bounds.map((bound) => counterOf(bound, session?.key ?? 0, now));
  const totals = new Map((await store.readUsage(counters)).map((total) => [counterName(total), total]));
  const limits = bounds.map((bound, place) => {
    const total = totals.get(counterName(counters[place] as (typeof counters)[number]));
    return toShownLimit(bound, total ? (usedOf(bound.metric, total) ?? 0) : 0, now);
  });
  const share = ({ used, allowed }: ShownLimit): number => used / allowed;
  limits.sort((one, other) => share(other) - share(one));
  return { userId, sessionId: session?.sessionId ?? null, resetAt: endOfDay(now), limits };
}

type Session = NonNullable<Awaited<ReturnType<typeof findSession>>>;

async function sessionOf(
  parts: RunParts,
  caller: Principal,
  sessionId: string,
  userId: string | undefined,
): Promise<Session> {
  const session = await findSession(parts, caller, { sessionId, userId });
  if (!session) throw new TroupeError("notFound", "Session not found");
  return session;
}

/** A component's limits per day, for callers who see all data, and its limits per session, for a session of the component. */
function boundsOfEntry(entry: Entry, seesAll: boolean, session: Session | undefined): readonly Bound[] {
  const limits = "limits" in entry ? entry.limits : undefined;
  const isOfSession = session?.kind === entry.kind && session.componentId === entry.id;
  return boundsOf(...ownerOf(entry), limits).filter(({ period }) => (period === "day" ? seesAll : isOfSession));
}
