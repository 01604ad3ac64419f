/** One try of the group commit on Postgres. */
import type { ClientBase } from "pg";
import type { Outcome, Write } from "../../contract/store.ts";
import { isKnownRun, Overtaken } from "../../faults.ts";
import { decide } from "../../flush/decide.ts";
import { together } from "../socket.ts";
import { queriesOf } from "./changes.ts";
import { readFacts } from "./facts.ts";
import { guess } from "./guess.ts";
import { flushGuess } from "./guessed.ts";
import { flushPlain, plainFlush } from "./plain.ts";
import { sendAll } from "./query.ts";
import type { RememberedSessions } from "./remembered-sessions.ts";

/**
 * Tries a flush on a connection that pipelines its queries. Events and messages, and changes that follow from guessed session facts, take one round
 * trip. Everything else takes two: one reads the facts under their locks, the other writes the changes with the commit.
 *
 * @param suspect whether an earlier try of these writes may have been committed
 */
export async function tryFlush(
  client: ClientBase,
  writes: readonly Write[],
  suspect: boolean,
  remembered: RememberedSessions,
): Promise<readonly Outcome[]> {
  if (suspect) return flushRead(client, writes, true, remembered);
  const plain = plainFlush(writes);
  // If it fails, some runs are lost or not RUNNING, or an earlier try of the whole flush was committed: reading the facts finds out which.
  if (plain !== undefined) return (await flushPlain(client, plain)) ?? flushRead(client, writes, true, remembered);
  const guessed = guess(writes, remembered);
  const outcomes = guessed && (await flushGuess(client, writes, guessed, remembered));
  return outcomes ?? flushRead(client, writes, false, remembered);
}

async function flushRead(
  client: ClientBase,
  writes: readonly Write[],
  suspect: boolean,
  remembered: RememberedSessions,
): Promise<readonly Outcome[]> {
  const [isOpen, reading] = together(
    client,
    () => [client.query("begin"), readFacts(client, writes, suspect)] as const,
  );
  try {
    const [facts] = await Promise.all([reading, isOpen]);
    const { outcomes, changes } = decide(writes, facts, suspect);
    await sendAll(client, [...queriesOf(changes), "commit"]);
    remembered.note(changes, facts);
    return outcomes;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    // An earlier try was committed after this one had read its runs.
    throw suspect && isKnownRun(error) ? new Overtaken("an earlier try made the run") : error;
  }
}
