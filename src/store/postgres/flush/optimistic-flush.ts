/** The group commit on Postgres with optimistic facts: one round trip sends the check of the facts and the changes that follow from them. */
import type { ClientBase } from "pg";
import type { Outcome, Write } from "../../contract/store.ts";
import { keepsConnection } from "../../database-errors.ts";
import { decide, withTotals } from "../../flush/decide.ts";
import { statementsOf, totalsIn } from "./changes.ts";
import type { OptimisticFacts } from "./optimistic-facts.ts";
import { lockAssumed } from "./optimistic-statement.ts";
import { type BoundStatement, transact } from "./query.ts";
import type { RememberedSessions } from "./remembered-sessions.ts";
import { parseKeys, toIntegerArray } from "./values.ts";

/**
 * Writes the flush in one transaction and one round trip, and remembers the resulting sessions. Returns undefined, with nothing written, if an
 * assumption is wrong.
 */
export async function flushOptimistically(
  client: ClientBase,
  writes: readonly Write[],
  assumed: OptimisticFacts,
  remembered: RememberedSessions,
): Promise<readonly Outcome[] | undefined> {
  const { outcomes, changes } = decide(writes, assumed.facts, false);
  const written = statementsOf(changes, assumed);
  const needsLocks = assumed.heads.size > 0 || assumed.reservations.length > 0;
  try {
    const queries = needsLocks ? [lockStatement(assumed), ...written] : written;
    const rows = await transact(client, queries);
    remembered.update(changes, assumed.facts);
    if (!needsLocks) return outcomes;
    const [locked] = rows[0] as { watched: string | null }[];
    return withTotals(writes, withWatched(writes, outcomes, parseKeys(locked?.watched)), totalsIn(queries, rows));
  } catch (error) {
    // The flush that reads its facts will find the same error and report it.
    if (keepsConnection(error)) return undefined;
    throw error;
  }
}

function lockStatement({ heads, sessions, reservations }: OptimisticFacts): BoundStatement {
  const rows = [...sessions.values()].map(({ key, nextSeq, usage }) => ({ key, next_seq: nextSeq, usage }));
  const runs = [...heads];
  const [keys, attempts] = [toIntegerArray(runs, ([key]) => key), toIntegerArray(runs, ([, attempt]) => attempt)];
  return { ...lockAssumed, values: [keys, attempts, JSON.stringify(rows), JSON.stringify(reservations)] };
}

/** Adds to the outcomes which runs are watched; only the database knows it. */
function withWatched(writes: readonly Write[], outcomes: readonly Outcome[], keys: readonly number[]): Outcome[] {
  return outcomes.map((outcome, place) => {
    const isWatched = outcome.kind === "committed" && keys.includes(writes[place]?.key ?? -1);
    return isWatched ? { ...outcome, watched: true } : outcome;
  });
}
