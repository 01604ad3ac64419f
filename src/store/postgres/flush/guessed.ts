/** The group commit on Postgres when all facts can be guessed: the check of the guess is sent together with the changes that follow from it. */
import type { ClientBase } from "pg";
import type { Outcome, Write } from "../../contract/store.ts";
import { keepsConnection } from "../../faults.ts";
import { decide } from "../../flush/decide.ts";
import { queriesOf } from "./changes.ts";
import type { Guess } from "./guess.ts";
import { hold } from "./guess-statement.ts";
import { type Query, transact } from "./query.ts";
import type { RememberedSessions } from "./remembered-sessions.ts";
import { keysOf, listOf } from "./values.ts";

/**
 * Writes the flush in one transaction and one round trip, and remembers the resulting sessions. Returns undefined, with nothing written, if the guess
 * is wrong.
 */
export async function flushGuess(
  client: ClientBase,
  writes: readonly Write[],
  guess: Guess,
  remembered: RememberedSessions,
): Promise<readonly Outcome[] | undefined> {
  const { outcomes, changes } = decide(writes, guess.facts, false);
  const written = queriesOf(changes, guess);
  const isHeld = guess.heads.size > 0 || guess.reservations.length > 0;
  try {
    const [first] = await transact(client, isHeld ? [holdingOf(guess), ...written] : written);
    remembered.note(changes, guess.facts);
    if (!isHeld) return outcomes;
    const [held] = first as { watched: string | null }[];
    return withWatched(writes, outcomes, keysOf(held?.watched));
  } catch (error) {
    // The flush that reads its facts will find the same error and report it.
    if (keepsConnection(error)) return undefined;
    throw error;
  }
}

function holdingOf({ heads, sessions, reservations }: Guess): Query {
  const rows = [...sessions.values()].map(({ key, nextSeq, usage }) => ({ key, next_seq: nextSeq, usage }));
  const runs = [...heads];
  const [keys, attempts] = [listOf(runs, ([key]) => key), listOf(runs, ([, attempt]) => attempt)];
  return { ...hold, values: [keys, attempts, JSON.stringify(rows), JSON.stringify(reservations)] };
}

/** Adds to the outcomes which runs are watched; only the database knows it. */
function withWatched(writes: readonly Write[], outcomes: readonly Outcome[], keys: readonly number[]): Outcome[] {
  return outcomes.map((outcome, place) => {
    const isWatched = outcome.kind === "committed" && keys.includes(writes[place]?.key ?? -1);
    return isWatched ? { ...outcome, watched: true } : outcome;
  });
}
