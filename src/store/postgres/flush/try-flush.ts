/** One try of the group commit on Postgres. */
import type { ClientBase } from "pg";
import type { CountedUsage, Outcome, Write } from "../../contract/store.ts";
import { ConcurrentChange, isDuplicateRun, isDuplicateSegment, keepsConnection } from "../../database-errors.ts";
import { sealChanges } from "../../encryption/changes.ts";
import type { Encryption } from "../../encryption/encryption.ts";
import { withTotals } from "../../flush/counted-usage.ts";
import { decide } from "../../flush/decide.ts";
import { sendTogether } from "../socket.ts";
import { checkedStatement, statementsOf, totalsIn } from "./changes.ts";
import { readFacts } from "./facts.ts";
import { optimisticFacts } from "./optimistic-facts.ts";
import { sendAll } from "./query.ts";
import type { RememberedSessions } from "./remembered-sessions.ts";
import type { Answer } from "./statement.ts";
import { parseKeys } from "./values.ts";

/**
 * Tries a flush on a connection that pipelines its queries. One statement writes changes that follow from optimistic facts, if it finds the facts to
 * be right. Everything else takes two round trips: one reads the facts under their locks, the other writes the changes with the commit.
 *
 * @param mayHaveCommitted whether an earlier try of these writes may have been committed
 */
export async function tryFlush(
  client: ClientBase,
  writes: readonly Write[],
  mayHaveCommitted: boolean,
  remembered: RememberedSessions,
  encryption?: Encryption,
): Promise<readonly Outcome[]> {
  let mayExist = mayHaveCommitted;
  if (!mayHaveCommitted) {
    try {
      const outcomes = await flushOptimistically(client, writes, remembered, encryption);
      if (outcomes !== undefined) return outcomes;
    } catch (error) {
      // The flush that reads its facts finds the same error and reports it.
      if (!keepsConnection(error)) throw error;
      mayExist = isDuplicateSegment(error);
    }
  }
  return flushRead(client, writes, mayExist, remembered, encryption);
}

/**
 * Writes the flush in one statement, and remembers the resulting sessions. Returns undefined, with nothing written, if a fact cannot be assumed or an
 * assumption is wrong.
 */
async function flushOptimistically(
  client: ClientBase,
  writes: readonly Write[],
  remembered: RememberedSessions,
  encryption: Encryption | undefined,
): Promise<readonly Outcome[] | undefined> {
  const assumed = optimisticFacts(writes, remembered);
  if (assumed === undefined) return undefined;
  const { outcomes, changes } = decide(writes, assumed.facts, false);
  sealChanges(changes, encryption, assumed.newSessions);
  const statement = checkedStatement(changes, assumed, encryption);
  if (statement === undefined) return undefined;
  const { rows } = await client.query(statement);
  const [answer] = rows as Answer[];
  if (!answer?.passed) return undefined;
  remembered.update(changes, assumed.facts);
  const totals = answer.totals ? (JSON.parse(answer.totals) as CountedUsage[]) : [];
  return withTotals(writes, withWatched(writes, outcomes, parseKeys(answer.watched)), totals);
}

/** Adds to the outcomes which runs are watched; only the database knows it. */
function withWatched(
  writes: readonly Write[],
  outcomes: readonly Outcome[],
  keys: readonly number[],
): readonly Outcome[] {
  if (keys.length === 0) return outcomes;
  const watched = new Set(keys);
  return outcomes.map((outcome, place) => {
    const isWatched = outcome.kind === "committed" && watched.has(writes[place]?.key ?? -1);
    return isWatched ? { ...outcome, watched: true } : outcome;
  });
}

async function flushRead(
  client: ClientBase,
  writes: readonly Write[],
  mayHaveCommitted: boolean,
  remembered: RememberedSessions,
  encryption: Encryption | undefined,
): Promise<readonly Outcome[]> {
  const [isOpen, reading] = sendTogether(
    client,
    () => [client.query("begin"), readFacts(client, writes, mayHaveCommitted, encryption)] as const,
  );
  try {
    const [facts] = await Promise.all([reading, isOpen]);
    const { outcomes, changes } = decide(writes, facts, mayHaveCommitted);
    sealChanges(changes, encryption);
    const queries = statementsOf(changes, encryption);
    const rows = await sendAll(client, [...queries, "commit"]);
    remembered.update(changes, facts);
    return withTotals(writes, outcomes, totalsIn(queries, rows));
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    // An earlier try was committed after this one had read its runs.
    throw mayHaveCommitted && isDuplicateRun(error) ? new ConcurrentChange("an earlier try created the run") : error;
  }
}
