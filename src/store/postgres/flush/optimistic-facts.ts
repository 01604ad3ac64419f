/**
 * Optimistic facts for a flush, assumed without a query. They assume the usual case: the runs of this process are as
 * it left them, their sessions are unchanged, and sessions with newly generated ids do not exist yet.
 */
import { InvariantError } from "../../../errors.ts";
import type { RunCreation, RunWrite, Write } from "../../contract/store.ts";
import type { Facts, KnownSession } from "../../flush/facts.ts";
import type { RememberedSession, RememberedSessions } from "./remembered-sessions.ts";
import { sessionName } from "./values.ts";

/** A run assumed to be RUNNING at this attempt. */
interface AssumedHead {
  readonly attempt: number;
  /** Whether the flush writes more than events: the run must then have no requested cancel and no messages from callers, and have made
   * progress since any takeover. */
  readonly isStep: boolean;
}

/** The optimistic assumptions for a flush. */
export interface OptimisticFacts {
  readonly facts: Facts;
  readonly heads: ReadonlyMap<number, AssumedHead>;
  /** Sessions assumed to be unchanged and without waiting runs. */
  readonly sessions: ReadonlyMap<number, RememberedSession>;
  /** Sessions assumed to be missing, each with the creation of its first run. That run's key becomes the session's key. */
  readonly newSessions: ReadonlyMap<number, RunCreation>;
  readonly reservations: readonly { readonly digest: string; readonly run_id: string }[];
}

/** Returns the assumptions for a flush; undefined if a fact cannot be assumed, or is probably wrong. */
export function optimisticFacts(writes: readonly Write[], remembered: RememberedSessions): OptimisticFacts | undefined {
  const creations = new Map<number, RunCreation>();
  for (const write of writes) if (write.kind === "create") creations.set(write.key, write.run);
  for (const run of creations.values()) if (!run.hasNewSession || run.replaces !== undefined) return undefined;

  const heads = new Map<number, AssumedHead>();
  const sessions = new Map<number, RememberedSession>();
  for (const write of writes) {
    if (write.kind === "create" || creations.has(write.key)) continue;
    const session = remembered.of(write.key);
    if (!isPredictable(write, session)) return undefined;
    const before = heads.get(write.key);
    if (before !== undefined && before.attempt !== write.attempt) return undefined;
    heads.set(write.key, { attempt: write.attempt, isStep: isStep(write) || before?.isStep === true });
    if (session !== undefined && write.transition) sessions.set(session.key, session);
  }

  const reservations = [...creations.values()].flatMap(({ reservation, runId }) =>
    reservation === undefined ? [] : [{ digest: reservation, run_id: runId }],
  );
  const assumptions = { heads, sessions, newSessions: firstOfEachSession(creations), reservations };
  return { ...assumptions, facts: factsOf(assumptions, remembered) };
}

/** Endings need the session, and members its key. Session state is not remembered, and cancelled runs have rarely been left unchanged. */
function isPredictable(
  { statePatch, summary, transition, members }: RunWrite,
  session: RememberedSession | undefined,
): boolean {
  if (statePatch || summary || transition?.to === "CANCELLED") return false;
  return session !== undefined || (!transition && !members?.length);
}

function isStep({ transition, messages, marks, members, memberEnds }: RunWrite): boolean {
  return Boolean(transition ?? messages?.length) || Boolean(marks?.length || members?.length || memberEnds?.length);
}

/** Of several creations in one session, the first creates it. */
function firstOfEachSession(creations: ReadonlyMap<number, RunCreation>): ReadonlyMap<number, RunCreation> {
  const names = new Set<string>();
  const firsts = [...creations].filter(([, run]) => {
    const name = sessionName(run);
    return !names.has(name) && names.add(name);
  });
  return new Map(firsts);
}

function factsOf(
  { heads, sessions, newSessions }: Omit<OptimisticFacts, "facts">,
  remembered: RememberedSessions,
): Facts {
  const known = new Map<number, KnownSession>();
  const newSessionByName = new Map<string, KnownSession>();
  for (const [key, run] of newSessions) {
    const session = { key, nextSeq: 0, state: run.sessionState, isUntitled: true, usage: null };
    known.set(key, session);
    newSessionByName.set(sessionName(run), session);
  }
  // Session states are not assumed: writes that change them read them first.
  for (const session of sessions.values()) known.set(session.key, { ...session, state: "{}", isUntitled: false });
  return {
    head(key) {
      const assumed = heads.get(key);
      if (assumed === undefined) return undefined;
      const { attempt } = assumed;
      const sessionKey = remembered.of(key)?.key ?? 0;
      const usual = { cancelRequested: false, stalledTakeovers: 0, watched: false, steered: 0 };
      return { status: "RUNNING", attempt, sessionKey, ...usual };
    },
    run: () => undefined,
    session(creation) {
      const session = newSessionByName.get(sessionName(creation));
      if (session === undefined) throw new InvariantError("A creation in a session without an assumption.");
      return session;
    },
    sessionByKey: (key) => known.get(key),
    isBusy: () => false,
    hasPending: () => false,
    countPending: () => 0,
    isDeleted: () => false,
    isReplaceable: () => false,
    isReserved: () => true,
    hasSegment: () => false,
  };
}
