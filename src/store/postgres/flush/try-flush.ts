/** One try of the group commit on Postgres. */
import type { ClientBase } from "pg";
import type { Outcome, Write } from "../../contract/store.ts";
import { ConcurrentChange, isDuplicateRun } from "../../database-errors.ts";
import { decide, withTotals } from "../../flush/decide.ts";
import { sendTogether } from "../socket.ts";
import { statementsOf, totalsIn } from "./changes.ts";
import { readFacts } from "./facts.ts";
import { optimisticFacts } from "./optimistic-facts.ts";
import { flushOptimistically } from "./optimistic-flush.ts";
import { flushPlain, plainFlush } from "./plain.ts";
import { sendAll } from "./query.ts";
import type { RememberedSessions } from "./remembered-sessions.ts";

/**
 * Tries a flush on a connection that pipelines its queries. Events and messages, and changes that follow from optimistic facts, take one round
 * trip. Everything else takes two: one reads the facts under their locks, the other writes the changes with the commit.
 *
 * @param mayHaveCommitted whether an earlier try of these writes may have been committed
 */
export async function tryFlush(
  client: ClientBase,
  writes: readonly Write[],
  mayHaveCommitted: boolean,
  remembered: RememberedSessions,
): Promise<readonly Outcome[]> {
  if (mayHaveCommitted) return flushRead(client, writes, true, remembered);
  const plain = plainFlush(writes);
  // If it fails, some runs are lost or not RUNNING, or an earlier try of the whole flush was committed: reading the facts finds out which.
  if (plain !== undefined) return (await flushPlain(client, plain)) ?? flushRead(client, writes, true, remembered);
  const assumed = optimisticFacts(writes, remembered);
  const outcomes = assumed && (await flushOptimistically(client, writes, assumed, remembered));
  return outcomes ?? flushRead(client, writes, false, remembered);
}

async function flushRead(
  client: ClientBase,
  writes: readonly Write[],
  mayHaveCommitted: boolean,
  remembered: RememberedSessions,
): Promise<readonly Outcome[]> {
  const [isOpen, reading] = sendTogether(
    client,
    () => [client.query("begin"), readFacts(client, writes, mayHaveCommitted)] as const,
  );
  try {
    const [facts] = await Promise.all([reading, isOpen]);
    const { outcomes, changes } = decide(writes, facts, mayHaveCommitted);
    const queries = statementsOf(changes);
    const rows = await sendAll(client, [...queries, "commit"]);
    remembered.update(changes, facts);
    return withTotals(writes, outcomes, totalsIn(queries, rows));
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    // An earlier try was committed after this one had read its runs.
    throw mayHaveCommitted && isDuplicateRun(error) ? new ConcurrentChange("an earlier try created the run") : error;
  }
}
