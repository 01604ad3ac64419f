/** Statements as they are sent. */
import type { ClientBase } from "pg";
import { together } from "../postgres-client.ts";

/** A named statement: the server keeps its plan. */
export interface Named {
  readonly name: string;
  readonly text: string;
}

/** A statement with its values. */
export interface Query extends Named {
  readonly values: unknown[];
}

/** Sends statements in one write; answers their rows. */
export async function sendAll(client: ClientBase, queries: readonly (Query | string)[]): Promise<readonly unknown[][]> {
  const answers = await allInOrder(together(client, () => queries.map((query) => client.query(query as Query))));
  return answers.map(({ rows }) => rows);
}

/** Waits for all, and fails with the first failure in order: those behind it failed because of it. */
export async function allInOrder<T extends readonly Promise<unknown>[]>(
  promises: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(promises);
  for (const result of settled) if (result.status === "rejected") throw result.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}
