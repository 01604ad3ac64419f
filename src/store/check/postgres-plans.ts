/** Checks that the frequent statements read large tables by an index. Statements are planned, and not executed. */
import type { CompiledQuery } from "kysely";
import type pg from "pg";
import { system } from "../../model/principal.ts";
import type { Database } from "../database.ts";
import { postgresDialect } from "../dialect.ts";
import { pushStore } from "../queries/push-targets.ts";
import { scheduleStore } from "../queries/schedules/schedules.ts";
import { serviceAccountStore } from "../queries/service-accounts.ts";
import { makeStore } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import type { Finding } from "./finding.ts";

/** Rows from which reading a whole table is reported. */
const minRows = 10_000;

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Plans each statement on this connection, and returns those that read a whole large table. */
export async function checkPlans(client: pg.ClientBase): Promise<readonly Finding[]> {
  const sizes = await client.query<{ table: string; rows: number }>(
    `select c.relname as table, greatest(c.reltuples, s.n_live_tup)::float8 as rows from pg_class c join pg_stat_user_tables s on s.relid = c.oid
       where c.relnamespace = current_schema()::regnamespace`,
  );
  const large = new Set(sizes.rows.filter(({ rows }) => rows >= minRows).map(({ table }) => table));
  if (large.size === 0) return [];
  const tables = new Set<string>();
  for (const [place, text] of (await hotStatements()).entries()) {
    const values = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
    await client.query(`prepare troupe_check_${place} as ${text}`);
    const parameters = values === 0 ? "" : `(${Array(values).fill("null")})`;
    const { rows } = await client.query(`explain (format json) execute troupe_check_${place}${parameters}`);
    await client.query(`deallocate troupe_check_${place}`);
    const [{ Plan: plan }] = JSON.parse(rows[0]["QUERY PLAN"]) as [{ readonly Plan: PlanNode }];
    for (const table of wholeReads(plan)) if (large.has(table)) tables.add(table);
  }
  return [...tables].map((table) => ({
    problem: `frequent statements read the whole table ${table}`,
    remedy: `Create its missing indexes, and run: analyze ${table};`,
  }));
}

function* wholeReads(plan: PlanNode): Generator<string> {
  const { "Node Type": type, "Relation Name": table, Plans: parts = [] } = plan;
  if (type === "Seq Scan" && table !== undefined) yield table;
  for (const part of parts) yield* wholeReads(part);
}

/** The statements as the store builds them. Nothing is executed: every statement seems to return no rows. */
async function hotStatements(): Promise<readonly string[]> {
  const seen: CompiledQuery[] = [];
  const database = {
    dialect: postgresDialect,
    async read(query: CompiledQuery) {
      seen.push(query);
      return [];
    },
    async write<T>(work: () => Transaction<T>): Promise<T> {
      const steps = work();
      let step = steps.next();
      while (!step.done) {
        seen.push(step.value);
        step = steps.next({ rows: [], affected: 0 });
      }
      return step.value;
    },
  } as unknown as Database;
  const store = makeStore(database);
  const schedules = scheduleStore(database, 1);
  const components = [{ kind: "agent", id: "agent" }] as const;
  const runs = { kind: "agent", componentId: "agent", limit: 10, descending: true } as const;
  const owner = "process";
  const steps: readonly (() => unknown)[] = [
    () => store.claim({ owner, slots: 3, freshSlots: 1, orphans: false, components }),
    () => store.claim({ owner, slots: 8, orphans: true }),
    () => store.claim({ owner, slots: 1, key: 1, orphans: true }),
    () => store.cancelRequests(owner),
    () => store.queue(10),
    () => store.requestCancel(1),
    () => store.head(1),
    () => store.segments(1, -1, 1_000),
    () => store.findRun(system, "run"),
    () => store.messages([1, 2]),
    () => store.marks([1, 2]),
    () => store.memberRuns([1, 2]),
    () => store.history({ key: 1, beforeSeq: 2 }, { kind: "agent", id: "agent" }, 10),
    () => store.sessionMark(1, 2, "mark"),
    () => store.sessionRuns({ sessionKey: 1, limit: 10, descending: true }),
    () => store.listRuns(system, runs),
    () => store.listRuns(system, { ...runs, userId: "user" }),
    () => store.findSession(system, "session"),
    () => store.uncompacted(10),
    () => store.untilOverdue(),
    () => schedules.untilDue(),
    () => schedules.claim({ owner, limit: 10, orphans: true }),
    () => pushStore(database).claim({ owner, limit: 10, orphans: true }),
    () => serviceAccountStore(database).findByTokenHash("hash"),
  ];
  for (const step of steps) {
    // A step may need a row to continue: its statements until then are planned.
    await Promise.resolve()
      .then(step)
      .catch(() => undefined);
  }
  return [...new Set(seen.map(({ sql }) => sql))].filter((text) =>
    /^\s*(with|select|update|delete|insert)\b/i.test(text),
  );
}
