/** Runs work on a Postgres connection. */
import type { ClientBase, QueryConfig } from "pg";
import type { Transaction } from "../transaction.ts";
import type { StatementNames } from "./statement-names.ts";

/** Runs the statements of `work` in one transaction. Without `names` no statement is prepared. */
export async function runTransaction<T>(
  client: ClientBase,
  work: () => Transaction<T>,
  names?: StatementNames,
): Promise<T> {
  await client.query("begin");
  try {
    const steps = work();
    let step = steps.next();
    while (!step.done) {
      const { sql, parameters } = step.value;
      const name = names?.nameOf(sql, parameters.length);
      // Without parameters it is sent as a simple query, which may contain several statements.
      const values = parameters.length === 0 ? undefined : [...parameters];
      const result = await client.query({ text: sql, values, name } as QueryConfig);
      step = steps.next({ rows: result.rows ?? [], affected: result.rowCount ?? 0 });
    }
    await client.query("commit");
    return step.value;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}
