/**
 * The plans of the statements that use the pool on Postgres. The server makes each plan once per connection, and keeps it while the tables grow,
 * until it analyzes them.
 */
import type { CompiledQuery } from "kysely";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Shares } from "../../src/model/shares.ts";
import { poolConfig } from "../../src/store/postgres/client.ts";
import { openPostgres } from "../../src/store/postgres/database.ts";
import { approvalStore } from "../../src/store/queries/approvals.ts";
import { pushStore } from "../../src/store/queries/push-targets.ts";
import { rateLimitStore } from "../../src/store/queries/rate-limits.ts";
import { taskStore } from "../../src/store/queries/runs/tasks.ts";
import { scheduleStore } from "../../src/store/queries/schedules/schedules.ts";
import { serviceAccountStore } from "../../src/store/queries/service-accounts.ts";
import { makeStore } from "../../src/store/store.ts";
import { testRuntime } from "../support/runtime.ts";
import { fill, filledDatabase, isKeyed, preparedReads, sizes, wayOf } from "./postgres-plans.ts";
import { observed } from "./query-plans.ts";
import { everybody, isolated } from "./store-fixtures.ts";

type Database = Parameters<typeof makeStore>[0];
type Step = () => unknown;
/** A subject, the steps whose statements are checked, and the indexes that they use besides indexes of keys. */
type Subject = readonly [name: string, steps: readonly Step[], indexes?: readonly string[]];

const ofOwner = isolated("owner-4");
const component = { kind: "agent", componentId: "agent-1" } as const;
const components = ["agent-1", "agent-2", "agent-3", "agent-5"].map((id) => ({ kind: "agent", id }) as const);
const after = { key: 30, sessionKey: 6, sessionSeq: 3, createdAt: 30 };
const runs = { ...component, limit: 10 };
const texts = { limit: 10, offset: 0, maxBytes: 1_000_000 };
const sessions = { ...texts, sortBy: "createdAt", descending: true } as const;
const resolution = { status: "approved", resolvedBy: null, data: null, at: 5 } as const;
const target = { id: "target", url: "https://example.com", version: "1.0" } as const;

function runSubjects(database: Database): readonly Subject[] {
  const store = makeStore(database);
  const orphans = { fresh: 1, stalled: 1 };
  return [
    [
      "claims",
      [
        () => store.claim({ owner: "p1", slots: 3, freshSlots: 1, orphans: false, components }),
        () => store.claim({ owner: "p1", slots: 8, orphans: true }),
        () => store.claim({ owner: "p1", slots: 8, orphans }),
        () => store.claim({ owner: "p1", slots: 1, key: 6, orphans: true }),
        () => store.claim({ owner: "p1", slots: 1, sessionKey: 11, orphans: false, components }),
        () => store.cancelRequests("p1"),
      ],
      // The list of running runs is as short as that of unfinished runs.
      ["heads_ready", "heads_begun", "heads_running", "heads_unfinished", "heads_cancels"],
    ],
    [
      "the queue",
      [() => store.countQueued(100), () => store.queue(100), () => store.unhostedRuns(components)],
      ["heads_queued", "heads_unfinished"],
    ],
    ["paused runs of other components", [() => store.unhostedRuns(components, true)], ["heads_open"]],
    // A table with one row per process.
    ["leases", [() => store.renewProcess("p1", 1_000), () => store.renewProcess("p1", 1_000)], ["all of processes"]],
    [
      "changes of a run's state",
      [
        () => store.requestCancel(6),
        () => store.watch(6),
        () => store.release(5, 1),
        () => store.continueRun(56, 1, [], [{ id: "approval-56", ...resolution }]),
        () => store.approvalsOf(56),
      ],
    ],
    ["deadlines", [() => store.untilOverdue(), () => store.overduePauses(10)], ["answer_deadlines_due"]],
    ["followers", [() => store.head(6), () => store.segments(7, -1, 1_000)]],
    [
      "reads of a run",
      [
        () => store.findRun(everybody, "run-7"),
        () => store.findRun(ofOwner, "run-7"),
        () => store.locateRun(ofOwner, "run-7"),
        () => store.memberRuns([3]),
        () => store.memberRuns([3, 8]),
        () => store.messages([3]),
        () => store.messages([3, 8], true),
        () => store.marks([3, 8]),
        () => store.listedBytes([3, 8], "members"),
        () => store.listedRuns([3, 8], "members"),
      ],
    ],
    [
      "a session's runs",
      [
        () => store.sessionMark(3, 4, "mark"),
        () => store.history({ key: 3, beforeSeq: 4 }, { kind: "agent", id: "agent-1" }, 10),
        () => store.sessionRuns({ sessionKey: 3, limit: 10, descending: true }),
        () => store.sessionRuns({ sessionKey: 3, limit: 10, after, statuses: ["COMPLETED"] }),
        () => store.sessionRunKeys(3),
        () => store.sessionRunKeys(3, true),
        () => store.listRuns(everybody, { ...runs, sessionId: "s-3" }),
        () => store.listRuns(everybody, { ...runs, sessionId: "s-3", after, descending: true }),
      ],
    ],
    [
      "listings of a component's runs",
      [
        () => store.listRuns(everybody, { ...runs, descending: true }),
        () => store.listRuns(everybody, { ...runs, descending: true, after }),
        () => store.listRuns(everybody, { ...runs, after, statuses: ["COMPLETED"] }),
        () => store.listRuns(ofOwner, { ...runs, descending: true }),
        () => store.listRuns(ofOwner, { ...runs, descending: true, after }),
      ],
      ["runs_listed"],
    ],
    [
      "listings of a user's runs",
      [
        () => store.listRuns(everybody, { ...runs, userId: "user-1" }),
        () => store.listRuns(everybody, { ...runs, userId: "user-1", after }),
      ],
      ["runs_of_user"],
    ],
    [
      "listings of unfinished runs",
      [
        () => store.listRuns(everybody, { ...runs, statuses: ["PENDING", "RUNNING"], after }),
        () => store.listRuns(everybody, { ...runs, statuses: ["PAUSED"], userId: "user-1" }),
      ],
      ["heads_open", "heads_paused"],
    ],
    [
      "listings of failed and replaced runs",
      [
        () => store.listRuns(everybody, { ...runs, statuses: ["ERROR"], after }),
        () => store.listRuns(everybody, { ...runs, statuses: ["REGENERATED"], after }),
      ],
      ["runs_failed", "runs_regenerated"],
    ],
    [
      "listings of a user's failed runs",
      [
        () => store.listRuns(everybody, { ...runs, statuses: ["ERROR"], userId: "user-1" }),
        () => store.listRuns(everybody, { ...runs, statuses: ["ERROR"], userId: "user-1", after }),
      ],
      ["runs_failed_of_user"],
    ],
    [
      "sessions",
      [
        () => store.findSession(everybody, "s-3"),
        () => store.findSession(ofOwner, "s-4"),
        () => store.updateSession(3, { name: "x" }, 5),
        () => store.listSessions(everybody, sessions),
        () => store.listSessions(everybody, { ...sessions, offset: 20 }),
        () => store.listSessions(everybody, { ...sessions, name: "x" }),
        () => store.listSessions(everybody, { ...sessions, ...component }),
        () => store.listSessions(everybody, { ...sessions, userId: "user-1" }),
        () => store.listSessions(ofOwner, sessions),
        () => store.listSessions(ofOwner, { ...sessions, userId: "user-1" }),
      ],
      // The count of all sessions reads the keys of at most 10,000.
      ["sessions_created", "sessions_of_component", "sessions_of_user", "sessions_of_owner", "sessions_pkey"],
    ],
    [
      "sessions by their last change",
      [() => store.listSessions(everybody, { ...sessions, sortBy: "updatedAt" })],
      // Every run changes this column, so no index has it: the newest 10,000 sessions are sorted.
      ["sessions_created"],
    ],
    [
      "idempotency keys",
      [
        () => store.reserveIdempotencyKey({ digest: "d", runId: "r", fingerprint: "f", at: 1_000, since: 10 }),
        () => store.reserveIdempotencyKey({ digest: "d", runId: "r", fingerprint: "f", at: 1_000, since: 10 }),
        () => store.releaseIdempotencyKey({ digest: "d", runId: "r", unlessStarted: true }),
      ],
      ["starts_created"],
    ],
    [
      "compaction",
      [
        () => store.uncompacted(10),
        () => store.uncompacted(10, 5),
        async () => store.compact((await store.uncompacted(1))[0]!, 10),
        () => store.expireEvents(7, 1),
      ],
      ["heads_uncompacted"],
    ],
    // In a small table the index of replaced runs is read as a whole.
    [
      "deletions",
      [() => store.deleteRun(13), () => store.deleteSession(5)],
      ["deleted_runs_at", "knowledge_citations_pkey", "runs_replaced", "webhook_deliveries_run"],
    ],
    [
      "usage counters",
      [
        () => store.readUsage(["user-1", "user-2"].map((key) => ({ period: "2026-01-02", scope: "user", key }))),
        () => store.forgetUsage("2026-01-03"),
      ],
    ],
  ];
}

function otherSubjects(database: Database): readonly Subject[] {
  const [tasks, approvals, pushes] = [taskStore(database), approvalStore(database), pushStore(database)];
  const schedules = scheduleStore(database, 100);
  const accounts = serviceAccountStore(database);
  let time = 0;
  const monotonic = (): number => {
    time += 100_000;
    return time;
  };
  const rates = rateLimitStore(database, { ...testRuntime.clock, monotonic });
  const claimed = { key: 4, target, claim: 1, statusChanges: 1 } as unknown as Parameters<typeof pushes.finish>[0];
  return [
    [
      "tasks",
      [
        () => tasks.list(everybody, runs),
        () => tasks.list(everybody, { ...runs, after: { key: 40, updatedAt: 40 } }),
        () => tasks.list(everybody, { ...runs, since: 5 }),
        () => tasks.list(everybody, { ...runs, statuses: ["PAUSED"], awaited: "approval" }),
        () => tasks.list(ofOwner, runs),
        () => tasks.changes(4),
        () => tasks.changedAt(4),
        () => tasks.exchanges([4, 8]),
      ],
      ["heads_open", "heads_over", "heads_paused"],
    ],
    ["a session's tasks", [() => tasks.list(everybody, { ...runs, sessionId: "s-3" })]],
    ["counts of tasks", [() => tasks.count(everybody, component, 100)], ["heads_open", "runs_listed"]],
    [
      "approvals",
      [
        () => approvals.list(everybody, texts),
        () => approvals.list(ofOwner, { ...texts, offset: 10 }),
        () => approvals.list(everybody, { ...texts, userId: "user-1" }),
      ],
      // Their count reads an index from its begin to its end.
      ["approvals_age", "approvals_run"],
    ],
    [
      "pending approvals",
      [
        () => approvals.list(everybody, { ...texts, status: "pending" }),
        () => approvals.list(ofOwner, { ...texts, status: "pending" }),
        () => approvals.countPending(everybody, "user-1"),
      ],
      ["approvals_pending"],
    ],
    [
      "the approvals of a run or a schedule",
      [
        () => approvals.list(everybody, { ...texts, runId: "run-6" }),
        () => approvals.list(everybody, { ...texts, scheduleId: "schedule-1" }),
        () => approvals.lastResolved(everybody, "run-6"),
        () => approvals.find(ofOwner, "approval-6"),
        () => approvals.resolve(ofOwner, "approval-6", resolution),
        () => approvals.delete(ofOwner, "approval-6"),
      ],
    ],
    [
      "the schedule poller",
      [
        () => schedules.untilDue(),
        () => schedules.plan(10, () => ({ fires: [], cancelsOpen: true, nextRunAt: null })),
        () => schedules.claim({ owner: "p1", limit: 30, orphans: true, lostFires: ["fire-9"] }),
        () => schedules.claim({ owner: "p1", limit: 30, orphans: false }),
        () => schedules.cancelRequests("p1"),
        () => schedules.heldFires("p1"),
        () => schedules.release("p1"),
      ],
      ["schedules_due", "schedule_fires_waiting", "schedule_fires_running"],
    ],
    [
      "schedules and their fires",
      [
        () => schedules.find(ofOwner, "schedule-4"),
        () => schedules.list(everybody, texts),
        () => schedules.findFire("schedule-1", "fire-1"),
        () => schedules.listFires("schedule-1", texts),
      ],
      ["schedules_age"],
    ],
    [
      "push targets",
      [
        () => pushes.untilDue(),
        () => pushes.untilDue(new Shares([["user-1", 5]]), 1),
        () => pushes.claim({ owner: "p1", limit: 100, orphans: true }),
        () => pushes.finish(claimed, { cursor: 1, retryIn: null, failures: 0 }),
        () => pushes.release("p1"),
        () => pushes.find(4, "target"),
        () => pushes.list(4, { limit: 10 }),
        () => pushes.put(4, target, { cursor: 1, maxTargets: 10 }),
      ],
      ["push_targets_due", "push_targets_user", "push_targets_owner"],
    ],
    [
      "rate limits",
      [() => rates.take("a", 10_000, 10), () => rates.take("a", 10_000, 10)],
      // Once a minute. Every request changes the column: an index would cost each of them more.
      ["all of rate_limits"],
    ],
    ["service accounts", [() => accounts.findByTokenHash("hash-1"), () => accounts.findActive("name-1")]],
  ];
}

interface Statements {
  readonly subject: string;
  readonly indexes: readonly string[];
  readonly texts: readonly string[];
}

/** The statements of each subject, as the store sends them on a database with rows of every kind. */
async function statementsOf(): Promise<readonly Statements[]> {
  const { url, close } = await filledDatabase(200, (database) => poolConfig(database, 1, false));
  const fixed = { migrate: true, runtime: testRuntime, directDatabase: undefined, poolSize: 2, processId: "p1" };
  const opened = await openPostgres({ ...fixed, database: url });
  const seen: CompiledQuery[] = [];
  const database = observed(opened, seen);
  const statements: Statements[] = [];
  for (const [subject, steps, indexes = []] of [...runSubjects(database), ...otherSubjects(database)]) {
    seen.length = 0;
    for (const step of steps) await step();
    statements.push({ subject, indexes, texts: [...new Set(seen.map((query) => query.sql))] });
  }
  await opened.close();
  await close();
  return statements;
}

describe("the pool's statements on Postgres", () => {
  let statements: readonly Statements[] = [];
  const used = new Set<string>();

  beforeAll(async () => {
    statements = await statementsOf();
  });

  /** Prepares the statements, and returns a function that lists the reads which use no index of a key and no index of their subject. */
  async function prepared(client: Parameters<typeof preparedReads>[0]): Promise<() => Promise<readonly string[]>> {
    const plans: { of: Statements; text: string; reads: Awaited<ReturnType<typeof preparedReads>> }[] = [];
    for (const of of statements) {
      for (const text of of.texts)
        plans.push({ of, text, reads: await preparedReads(client, `plan_${plans.length}`, text) });
    }
    return async () => {
      const others: string[] = [];
      for (const { of, text, reads } of plans) {
        for (const read of await reads()) {
          const way = wayOf(read);
          if (isKeyed(read)) continue;
          if (of.indexes.includes(way)) used.add(`${of.subject}: ${way}`);
          else others.push(`${of.subject}: ${way} ${read.condition ?? "without a condition"}: ${text}`);
        }
      }
      return others;
    };
  }

  test.each(Object.entries(sizes))("use their indexes on %s tables, with and without statistics", async (_, count) => {
    const { client, close } = await filledDatabase(count, (database) => poolConfig(database, 1, false));
    onTestFinished(close);
    expect(await (await prepared(client))()).toEqual([]);
    await client.query("deallocate all");
    await client.query("analyze");
    const others = await prepared(client);
    if (count === 0) {
      // The server expects an analyzed empty table to stay empty. It makes new plans when it has analyzed the first rows.
      await others();
      await fill(client, sizes.small as number);
      await client.query("analyze");
    }
    expect(await others()).toEqual([]);
  });

  test("use no parallel workers, even where the planner expects them to cost nothing", async () => {
    const { client, close } = await filledDatabase(1_000, (database) => poolConfig(database, 1, false));
    onTestFinished(close);
    await client.query("analyze");
    const free = ["parallel_setup_cost", "parallel_tuple_cost", "min_parallel_index_scan_size"];
    for (const cost of [...free, "min_parallel_table_scan_size"]) await client.query(`set ${cost} = 0`);
    const joined = "explain select count(*) from runs r join run_heads h on h.run_key = r.key";
    const planOf = async () => JSON.stringify((await client.query(joined)).rows);
    expect(await planOf()).not.toContain("Gather");
    await client.query("reset max_parallel_workers_per_gather; set max_parallel_workers_per_gather = 2");
    expect(await planOf()).toContain("Gather");
  });

  test("use every index of their subject", () => {
    const named = statements.flatMap(({ subject, indexes }) => indexes.map((index) => `${subject}: ${index}`));
    expect(named.filter((name) => !used.has(name))).toEqual([]);
  });
});
