/** Sends statements. */
import type { ClientBase } from "pg";
import { sendTogether } from "../socket.ts";

/** A named statement: the server keeps its plan. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** A statement with its values. */
export interface BoundStatement extends NamedStatement {
  readonly values: unknown[];
}

/** Sends statements in one write; returns their rows. */
export async function sendAll(
  client: ClientBase,
  queries: readonly (BoundStatement | string)[],
): Promise<readonly unknown[][]> {
  const answers = await allInOrder(
    sendTogether(client, () => queries.map((query) => client.query(query as BoundStatement))),
  );
  return answers.map(({ rows }) => rows);
}

/** Waits for all, and rejects with the first failure in order: the later ones failed because of it. */
export async function allInOrder<T extends readonly Promise<unknown>[]>(
  promises: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}
