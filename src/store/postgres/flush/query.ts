/** Sends statements. */
import type { ClientBase } from "pg";
import { Unresolved } from "../../faults.ts";
import { together } from "../socket.ts";

/** A named statement: the server keeps its plan. */
export interface Named {
  readonly name: string;
  readonly text: string;
}

/** A statement with its values. */
export interface Query extends Named {
  readonly values: unknown[];
}

/** Sends statements in one write; returns their rows. */
export async function sendAll(client: ClientBase, queries: readonly (Query | string)[]): Promise<readonly unknown[][]> {
  const answers = await allInOrder(together(client, () => queries.map((query) => client.query(query as Query))));
  return answers.map(({ rows }) => rows);
}

/**
 * Sends statements as one transaction, in one write; returns their rows. A single statement is its own transaction.
 * @throws Unresolved if the transaction was not begun: each statement may have been committed separately
 */
export async function transact(client: ClientBase, queries: readonly Query[]): Promise<readonly unknown[][]> {
  if (queries.length === 1) return sendAll(client, queries);
  const [begun, sent] = together(
    client,
    () => [client.query("begin"), sendAll(client, [...queries, "commit"])] as const,
  );
  const [opening, writing] = await Promise.allSettled([begun, sent]);
  if (opening.status === "rejected") throw new Unresolved("the transaction was not begun", { cause: opening.reason });
  if (writing.status === "fulfilled") return writing.value;
  await client.query("rollback").catch(() => undefined);
  throw writing.reason;
}

/** Waits for all, and rejects with the first failure in order: the later ones failed because of it. */
export async function allInOrder<T extends readonly Promise<unknown>[]>(
  promises: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(promises);
  for (const result of settled) if (result.status === "rejected") throw result.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}
