/**
 * What can be known of a flush without asking the database, as long as nothing unusual happened: runs that this process has are as it left them,
 * nobody has changed their sessions, and sessions whose ids were made for their first runs are not there.
 */
import { InvariantError } from "../../../errors.ts";
import type { RunCreation, RunWrite, Write } from "../../contract/store.ts";
import type { Facts, KnownSession } from "../../flush/flush.ts";
import type { RememberedSession, RememberedSessions } from "./remembered-sessions.ts";
import { nameOf } from "./values.ts";

/** What is guessed for a flush. */
export interface Guess {
  readonly facts: Facts;
  /** Runs that are RUNNING at this attempt, are not to be cancelled, and were not taken over without getting further. */
  readonly heads: ReadonlyMap<number, number>;
  /** Sessions that are as they were, in which no run waits. */
  readonly sessions: ReadonlyMap<number, RememberedSession>;
  /** Sessions that are not there, each by its first run's creation. Its key becomes the session's. */
  readonly made: ReadonlyMap<number, RunCreation>;
  readonly reservations: readonly { readonly digest: string; readonly run_id: string }[];
}

/** The guess of a flush, unless it asks for what cannot be guessed, or would most likely be guessed wrong. */
export function guess(writes: readonly Write[], remembered: RememberedSessions): Guess | undefined {
  const creations = new Map<number, RunCreation>();
  for (const write of writes) if (write.kind === "create") creations.set(write.key, write.run);
  for (const run of creations.values()) if (!run.hasNewSession || run.replaces !== undefined) return undefined;

  const heads = new Map<number, number>();
  const sessions = new Map<number, RememberedSession>();
  for (const write of writes) {
    if (write.kind === "create" || creations.has(write.key)) continue;
    const session = remembered.of(write.key);
    if (!isGuessable(write, session)) return undefined;
    if ((heads.get(write.key) ?? write.attempt) !== write.attempt) return undefined;
    heads.set(write.key, write.attempt);
    if (session !== undefined && write.transition !== null) sessions.set(session.key, session);
  }

  const reservations = [...creations.values()].flatMap(({ reservation, runId }) =>
    reservation === undefined ? [] : [{ digest: reservation, run_id: runId }],
  );
  const guesses = { heads, sessions, made: firstOfEach(creations), reservations };
  return { ...guesses, facts: factsOf(guesses, remembered) };
}

/** Ends need the session, and members its key. What is in its state is not remembered, and runs that are cancelled are seldom as they were left. */
function isGuessable({ statePatch, transition, members }: RunWrite, session: RememberedSession | undefined): boolean {
  if (statePatch !== null || transition?.to === "CANCELLED") return false;
  return session !== undefined || (transition === null && members.length === 0);
}

/** Of several creations in one session the first makes it. */
function firstOfEach(creations: ReadonlyMap<number, RunCreation>): ReadonlyMap<number, RunCreation> {
  const names = new Set<string>();
  const firsts = [...creations].filter(([, run]) => {
    const name = nameOf(run);
    return !names.has(name) && names.add(name);
  });
  return new Map(firsts);
}

function factsOf({ heads, sessions, made }: Omit<Guess, "facts">, remembered: RememberedSessions): Facts {
  const known = new Map<number, KnownSession>();
  const madeByName = new Map<string, KnownSession>();
  for (const [key, run] of made) {
    const session = { key, nextSeq: 0, state: run.sessionState, isUntitled: true, usage: null };
    known.set(key, session);
    madeByName.set(nameOf(run), session);
  }
  // States of sessions are not guessed: whoever changes them asks for them.
  for (const session of sessions.values()) known.set(session.key, { ...session, state: "{}", isUntitled: false });
  return {
    head(key) {
      const attempt = heads.get(key);
      if (attempt === undefined) return undefined;
      const sessionKey = remembered.of(key)?.key ?? 0;
      return { status: "RUNNING", attempt, cancelRequested: false, stalledTakeovers: 0, sessionKey, watched: false };
    },
    run: () => undefined,
    session(creation) {
      const session = madeByName.get(nameOf(creation));
      if (session === undefined) throw new InvariantError("A creation in a session that nobody guessed.");
      return session;
    },
    sessionByKey: (key) => known.get(key),
    isBusy: () => false,
    isAwaited: () => false,
    waiting: () => 0,
    isDeleted: () => false,
    isReplaceable: () => false,
    isReserved: () => true,
    hasSegment: () => false,
  };
}
