/**
 * Time to list the last 50 runs of a component with 100,000 runs, compared with 100 runs: in order, of one session, of one user, and the few that
 * failed. Rows are inserted as the engine leaves them.
 */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Bench, QuestionOf } from "../parts/bench.ts";
import { Figures } from "../parts/bench.ts";
import { type BenchDatabase, execute } from "../parts/databases.ts";
import { median } from "../parts/statistics.ts";
import { printTable, spread } from "../parts/table.ts";

const sizes = [100, 100_000] as const;
const looks = 40;

/** Queries by their names in the table. */
const queries: Readonly<Record<string, string>> = {
  "last 50": "limit=50&sort_order=desc",
  "last 50 of a session": "limit=50&sort_order=desc&session_id=everything",
  "last 50 of a user": "limit=50&sort_order=desc&user_id=user-7",
  "the few that failed": "limit=50&sort_order=desc&status=ERROR",
  "what runs or waits": "limit=50&sort_order=desc&status=PENDING&status=RUNNING&status=PAUSED",
};

/** One run in 50,000 failed; one user in a hundred is user-7. */
function rowsFor(count: number): readonly string[] {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const input = `'{"message":"What is the weather in Paris?"}'`;
  const output = `'{"content":"It is sunny in Paris, as nearly always in these answers.","contentType":"str"}'`;
  const status = "case when i % 50000 = 0 then 'ERROR' else 'COMPLETED' end";
  return [
    `insert into sessions (session_id, owner, kind, component_id, user_id, state, next_seq, created_at, updated_at)
      values ('everything', '', 'agent', 'growing', 'user-1', '{}', ${count + 1}, 1, 1)`,
    `${numbers} insert into runs (key, run_id, root_key, kind, component_id, component_name, session_key, session_seq, user_id, input, options,
      output, created_at, failed_as) select 10000000 + i, 'run-' || i, 10000000 + i, 'agent', 'growing', 'Growing',
      (select max(key) from sessions), i, 'user-' || (i % 100), ${input}, '{"stream":false}', ${output}, 1700000000000 + i,
      case when i % 50000 = 0 then 'ERROR' end from n`,
    `${numbers} insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, cancel_requested, first_kept,
      compacted, ready, user_id, background, updated_at) select 10000000 + i, 10000000 + i, (select max(key) from sessions), i, 'parallel',
      ${status}, 1, 0, 0, 1, 0, 'user-' || (i % 100), 0, 1700000000000 + i from n`,
  ];
}

async function fill({ listen }: BenchDatabase, count: number): Promise<void> {
  if ("dataDir" in listen && listen.dataDir !== undefined) {
    const connection = new Sqlite(join(listen.dataDir, "troupe.sqlite"));
    for (const statement of rowsFor(count)) connection.exec(statement);
    connection.close();
  } else if ("database" in listen && listen.database !== undefined) {
    for (const statement of rowsFor(count)) await execute(listen.database, statement);
    await execute(listen.database, "vacuum analyze");
  }
}

/** A server on a database with that many runs. The first server creates the tables. */
async function serverWith(bench: Bench, engine: Bench["options"]["engines"][number], count: number) {
  const database = await bench.database(engine);
  const first = await bench.troupe(engine, { database });
  await first.process.end();
  await fill(database, count);
  return await bench.troupe(engine, { database, name: `${engine}, ${count} runs` });
}

export const listing: QuestionOf = async (bench) => {
  const rows = [];
  for (const engine of bench.options.engines) {
    const servers = [];
    for (const size of sizes) servers.push({ size, server: await serverWith(bench, engine, size) });
    for (const [name, query] of Object.entries(queries)) {
      const figures = new Figures();
      for (let pass = 0; pass < bench.options.passes; pass++) {
        const times: number[] = [];
        for (const { server } of servers) {
          const each: number[] = [];
          for (let look = 0; look < looks; look++) {
            const begun = performance.now();
            const answer = await fetch(`http://127.0.0.1:${server.port}/agents/growing/runs?${query}`);
            if (!answer.ok) throw new Error(`The listing answered ${answer.status}: ${await answer.text()}`);
            await answer.arrayBuffer();
            each.push(performance.now() - begun);
          }
          times.push(median(each));
        }
        const [few = 0, many = 0] = times;
        figures.add({ "100 runs ms": few, "100,000 runs ms": many, "100,000 / 100": many / few });
      }
      rows.push({ database: engine, look: name, ...figures.cells(spread) });
    }
    for (const { server } of servers) await server.process.end();
  }
  printTable("A page of runs of a component, by how many it has", rows);
};
