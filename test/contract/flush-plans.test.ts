/** The plans of the group commit's statements on Postgres. Each is prepared once, on whatever the tables hold then, and the server keeps its plan. */
import pg from "pg";
import { describe, expect, inject, onTestFinished, test } from "vitest";
import { appendConfig } from "../../src/store/postgres/client.ts";
import * as facts from "../../src/store/postgres/flush/facts-statements.ts";
import * as rare from "../../src/store/postgres/flush/rare-statements.ts";
import { allParts, compose } from "../../src/store/postgres/flush/statement.ts";
import { createDatabase } from "../support/databases.ts";

const unchecked = allParts.filter((part) => "writes" in part);
const statements = [...Object.values({ ...facts, ...rare }), compose(allParts), compose(unchecked)];

/** Indexes that find a row, or the few rows of a run or of a session's queue. */
const keyed: ReadonlySet<string> = new Set([
  ...["sessions_pkey", "sessions_id", "runs_pkey", "runs_id", "run_heads_pkey", "heads_unfinished", "heads_members"],
  ...[
    "segments_pkey",
    "messages_pkey",
    "marks_pkey",
    "starts_pkey",
    "starts_run",
    "deleted_runs_pkey",
    "push_targets_pkey",
  ],
  ...[
    "approvals_pkey",
    "approvals_run",
    "schedule_fires_pkey",
    "schedule_fires_run",
    "answer_deadlines_pkey",
    "usage_counters_pkey",
  ],
]);

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
}

function* nodesOf(plan: PlanNode): Generator<PlanNode> {
  yield plan;
  for (const part of plan.Plans ?? []) yield* nodesOf(part);
}

/** Reads of a table that are not by key, in words. */
async function walks(client: pg.Client): Promise<string[]> {
  const found: string[] = [];
  for (const { name, text } of statements) {
    const values = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)));
    await client.query(`prepare ${name} as ${text}`);
    const { rows } = await client.query(`explain (format json) execute ${name}(${Array(values).fill("null")})`);
    await client.query(`deallocate ${name}`);
    for (const node of nodesOf(JSON.parse(rows[0]["QUERY PLAN"])[0].Plan)) {
      const { "Node Type": type, "Relation Name": table, "Index Name": index, "Index Cond": condition } = node;
      if (type === "Seq Scan") found.push(`${name}: all of ${table}`);
      if (index !== undefined && !(keyed.has(index) && condition)) found.push(`${name}: ${index} ${condition}`);
    }
  }
  return found;
}

const rowsOf = (count: number): string[] => [
  `insert into sessions (key, session_id, owner, kind, component_id, state, next_seq, created_at, updated_at)
    select i, 's-' || i, '', 'agent', 'agent-1', '{}', 1, i, i from generate_series(1, ${count}) i`,
  `insert into runs (key, run_id, root_key, kind, component_id, component_name, session_key, session_seq, input, options, created_at)
    select i, 'run-' || i, i, 'agent', 'agent-1', 'Agent', i, 0, '{}', '{}', i from generate_series(1, ${count}) i`,
  `insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, cancel_requested, first_kept, updated_at)
    select i, i, i, 0, 'queue', 'COMPLETED', 1, 0, 0, i from generate_series(1, ${count}) i`,
  `insert into segments (run_key, last_index, first_index, attempt, encoding, size, frames)
    select i, 0, 0, 1, 0, 1, 'x' from generate_series(1, ${count}) i`,
  `insert into messages (run_key, position, id, created_at, body) select i, 0, 'm', i, '{}' from generate_series(1, ${count}) i`,
];

const sizes = { empty: 0, small: 20, large: 20_000 } as const;

describe("the group commit on Postgres", () => {
  test.each(Object.entries(sizes))("reads %s tables by key, with and without statistics", async (_, count) => {
    const database = await createDatabase(inject("postgresUrl"), inject("postgresTemplate"));
    const client = new pg.Client(appendConfig(database.url));
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await database.drop();
    });
    for (const insert of rowsOf(count)) await client.query(insert);
    expect(await walks(client)).toEqual([]);
    await client.query("analyze");
    expect(await walks(client)).toEqual([]);
  });
});
