/** Runs work on a Postgres connection. */
import type { ClientBase } from "pg";
import type { Work } from "./work.ts";

/** Runs work to its end in one transaction. */
export async function runWork<T>(client: ClientBase, work: () => Work<T>): Promise<T> {
  await client.query("begin");
  try {
    const steps = work();
    let step = steps.next();
    while (!step.done) {
      const { sql, parameters } = step.value;
      // Without parameters it goes as a simple query, which may hold several statements.
      const result = await client.query(sql, parameters.length === 0 ? undefined : [...parameters]);
      step = steps.next({ rows: result.rows ?? [], affected: result.rowCount ?? 0 });
    }
    await client.query("commit");
    return step.value;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  }
}
