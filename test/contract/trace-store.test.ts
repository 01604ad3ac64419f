/** Stored traces: compaction writes them once, and every listing uses an index. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { encodeFrames } from "../../src/model/frame.ts";
import type { Principal } from "../../src/model/principal.ts";
import type { TraceField, TraceFilter } from "../../src/model/trace/filter.ts";
import { fromStoredSpans } from "../../src/model/trace/stored.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { traceStore } from "../../src/store/queries/trace/traces.ts";
import { eachDatabase } from "../support/databases.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { create, everybody, openOn, put, to, write } from "./store-fixtures.ts";

const all: TraceFilter = { op: "and", conditions: [] };
const page = { limit: 10, offset: 0, maxBytes: 1_000_000 };
const eq = (field: TraceField, value: string | number): TraceFilter => ({ op: "eq", field, value });

/** A scan of all traces. On SQLite a part of the query that is limited has the alias of the table. */
function scanIn(plan: string): string | undefined {
  const rest =
    plan.includes("CO-ROUTINE t") || plan.includes("MATERIALIZE t") ? plan.replaceAll(/"SCAN t"/g, "") : plan;
  return /"SCAN (t|traces)"|Seq Scan on traces|AUTOMATIC/.exec(rest)?.[0];
}

/** Creates a run whose log begins and ends it, and completes it. */
async function ended(store: Store, change: Parameters<typeof create>[1] = {}): Promise<{ key: number; runId: string }> {
  const runId = crypto.randomUUID();
  const key = await create(store, { runId, ...change });
  const common = `"created_at":2,"run_id":"${runId}","agent_id":"agent-1","agent_name":"Agent One"`;
  const events = ["RunStarted", "RunCompleted"].map((name, place) => ({
    name,
    members: `"event":"${name}",${common},"created_at_ms":${2_000 + place * 250}`,
  }));
  const segment = { firstIndex: 0, lastIndex: 1, frames: encodeFrames(0, events) };
  await put(store, write(key, { segment, transition: to("COMPLETED") }));
  return { key, runId };
}

eachDatabase("the trace store", (openDatabase) => {
  test("compaction stores a run's trace once, also when several processes compact it", async () => {
    const { store, traces } = await openOn(await openDatabase());
    const { key, runId } = await ended(store);
    expect(await traces.list(everybody, { ...page, filter: all })).toEqual({ rows: [], total: 0 });
    await Promise.all([1_000, 2_000, 3_000].map((bytes) => store.compact(key, bytes)));
    await store.compact(key, 1_000);
    const { rows, total } = await traces.list(everybody, { ...page, filter: all });
    expect(total).toBe(1);
    expect(rows).toEqual([
      {
        ...{ key, runId, traceId: runId.replaceAll("-", ""), sessionId: "s", userId: "user-1", kind: "agent" },
        ...{ componentId: "agent-1", name: "run agent agent-1", status: "OK", startedAt: 1_000, endedAt: 2_250 },
        ...{ spanCount: 2, errorCount: 0, inputTokens: 0, outputTokens: 0, input: '{"message":"hello"}' },
      },
    ]);
    const spans = await traces.spans([key], 1_000_000);
    const [row] = rows;
    expect(fromStoredSpans(spans.get(key) ?? "", row!).map(({ name, startedAt }) => [name, startedAt])).toEqual([
      ["run agent agent-1", 1_000],
      ["invoke_agent Agent One", 2_000],
    ]);
    expect(await traces.spans([key], 10)).toEqual(new Map());
  });

  test("a run that was deleted during its compaction leaves no trace", async () => {
    const { store, traces } = await openOn(await openDatabase());
    const { key } = await ended(store);
    await Promise.all([store.compact(key, 1_000), store.deleteRun(key)]);
    expect((await traces.list(everybody, { ...page, filter: all })).rows).toEqual([]);
  });

  test("sessions that are adopted take their traces with them", async () => {
    const { store, traces, access } = await openOn(await openDatabase());
    const { key } = await ended(store);
    await store.compact(key, 1_000);
    const user: Principal = { ...everybody, kind: "user", userId: "user-1", isAdmin: false, owner: "user-1" };
    expect((await traces.list(user, { ...page, filter: all })).rows).toEqual([]);
    expect(await access.adoptSessions()).toBe(1);
    expect((await traces.list(user, { ...page, filter: all })).rows).toHaveLength(1);
    expect((await traces.list({ ...user, owner: "user-2" }, { ...page, filter: all })).rows).toEqual([]);
  });

  test("each filter and each kind of caller uses an index, and no query sorts or scans all traces", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const user: Principal = { ...everybody, kind: "user", userId: "u", isAdmin: false, owner: "u" };
    const plansOf = async (filter: TraceFilter, caller = everybody): Promise<string> => {
      const seen: CompiledQuery[] = [];
      const store = traceStore(observed(opened, seen));
      await store.list(caller, { ...page, filter });
      await store.sessions(caller, { ...page, filter });
      await store.find(caller, "t", 2);
      const plans = await Promise.all(
        seen.map((statement) => planOf(database, statement, ["set enable_seqscan = off"])),
      );
      return plans.join("\n");
    };
    const expected: readonly (readonly [filter: TraceFilter, index: string, caller?: Principal])[] = [
      [all, "traces_started"],
      [{ op: "gte", field: "startedAt", value: 5 }, "traces_started"],
      [eq("traceId", "t"), "traces_id"],
      [eq("runId", "r"), "runs_id"],
      [eq("sessionId", "s"), "traces_of_session"],
      [eq("userId", "u"), "traces_of_user"],
      [eq("agentId", "a"), "traces_of_component"],
      [eq("status", "ERROR"), "traces_failed"],
      [{ op: "contains", field: "name", value: "x" }, "traces_started"],
      [all, "traces_of_owner", user],
      [eq("userId", "u"), "traces_of_owner", user],
      // Postgres decides by its statistics.
      ...(database.kind === "sqlite" ? [[eq("sessionId", "s"), "traces_of_session", user] as const] : []),
    ];
    for (const [filter, index, caller] of expected) {
      const plan = await plansOf(filter, caller);
      expect([filter, plan.includes(index) ? index : plan]).toEqual([filter, index]);
      expect([filter, scanIn(plan)]).toEqual([filter, undefined]);
    }
  });
});
