/** Limits that several runs share: per session and per day. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import type { PlatformOptions } from "../../src/define/platform.ts";
import type { Limits } from "../../src/model/usage/limits.ts";
import { type Script, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { openServer } from "../support/open-server.ts";
import { silentLog } from "../support/runtime.ts";

import { note, prices, turns } from "./support/limited-agent.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Run = any;

async function open(database: TestDatabase, hosted: Omit<PlatformOptions, "id">) {
  const { app, client, end, store, engine } = await openServer(database, { prices, ...hosted });
  onTestFinished(() => end(0));
  const start = async (fields: Record<string, string> = {}): Promise<Run> => {
    const { status, headers, body } = await client.post("/agents/agent/runs", {
      message: "go",
      stream: "false",
      ...fields,
    });
    return { http: status, headers, ...body };
  };
  return { app, client, start, store, engine };
}

const agentOf = (count: number, limits = {}, model = scriptedModel(turns(count))) =>
  defineAgent({ id: "agent", model, tools: [note], limits });

eachDatabase("shared limits", (openDatabase, kind) => {
  test("a limit per session counts all runs of the session, and no others", async () => {
    const { start } = await open(await openDatabase(), { agents: [agentOf(2, { perSession: { modelRequests: 3 } })] });
    expect((await start({ session_id: "s" })).status).toBe("COMPLETED");
    const second = await start({ session_id: "s" });
    expect([second.status, second.limit]).toEqual([
      "ERROR",
      {
        ...{ scope: "agent", id: "agent", period: "session", metric: "model_requests" },
        used: 3,
        allowed: 3,
        reset_at: null,
      },
    ]);
    expect((await start({ session_id: "other" })).status).toBe("COMPLETED");
  });

  test("a limit per day ends a run in progress, and then rejects starts with 429 and the time of the reset", async () => {
    const { start, client } = await open(await openDatabase(), {
      agents: [agentOf(9)],
      limits: { perDay: { cost: 0.005 } },
    });
    const first = await start();
    expect([first.status, first.limit.scope, first.limit.period, first.limit.used]).toEqual([
      ...["ERROR", "platform", "day", 0.006],
    ]);
    const second = await start();
    const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000).toISOString();
    expect([second.http, second.error_code, second.limit]).toEqual([
      ...[429, "LIMIT_EXCEEDED"],
      {
        ...{ scope: "platform", id: null, period: "day", metric: "cost" },
        used: 0.006,
        allowed: 0.005,
        reset_at: midnight,
      },
    ]);
    const wait = (Date.parse(midnight) - Date.now()) / 1000;
    expect(Math.abs(Number(second.headers["retry-after"]) - wait)).toBeLessThan(60);
    const background = await client.post("/agents/agent/runs", { message: "go", background: "true", stream: "false" });
    expect(background.status).toBe(429);
  });

  test("a schedule's fire over a limit per day fails at once with the rejection", async () => {
    const { start, app } = await open(await openDatabase(), { agents: [agentOf(1, { perDay: { modelRequests: 1 } })] });
    expect((await start()).status).toBe("COMPLETED");
    const payload = {
      name: "daily",
      cron_expr: "0 0 1 1 *",
      endpoint: "/agents/agent/runs",
      payload: { message: "go" },
    };
    const created = await app.inject({ method: "POST", url: "/schedules", payload });
    const { id } = created.json();
    await app.inject({ method: "POST", url: `/schedules/${id}/trigger` });
    const fire = await eventually(async () => {
      const { data } = (await app.inject({ url: `/schedules/${id}/runs` })).json();
      const failed = data.find(({ status }: Run) => status === "failed");
      expect(failed).toBeDefined();
      return failed;
    });
    expect([fire.status_code, fire.error]).toEqual([429, expect.stringContaining("1 model requests in one day")]);
  });

  test("a user's limit per day counts the runs of that user in all sessions", async () => {
    const limits = {
      user: ({ id }: { id: string }) => (id === "alice" ? { perDay: { modelRequests: 3 } } : undefined),
    };
    const { start } = await open(await openDatabase(), { agents: [agentOf(2)], limits });
    expect((await start({ user_id: "alice" })).status).toBe("COMPLETED");
    expect((await start({ user_id: "alice" })).limit).toMatchObject({
      scope: "user",
      id: "alice",
      used: 3,
      allowed: 3,
    });
    expect((await start({ user_id: "alice" })).http).toBe(429);
    expect((await start({ user_id: "bob" })).status).toBe("COMPLETED");
    expect((await start()).status).toBe("COMPLETED");
  });

  test.each([
    ["an unknown name", { per_day: { modelRequests: 1 } }, 'limits has no "per_day"'],
    ["an amount that is no number", { tokens: Number.NaN }, "limits tokens must be a number above 0"],
    ["a promise", Promise.resolve({ tokens: 1 }), "limits must be an object, not a promise"],
  ])("a user's limits from the platform's function reject the start if they contain %s", async (_, limits, fault) => {
    const model = scriptedModel(turns(2));
    const agents = [agentOf(2, {}, model)];
    const entries: unknown[] = [];
    const log = { ...silentLog, error: (entry: unknown) => void entries.push(entry) };
    const hosted = { agents, limits: { user: () => limits as Limits } };
    const { client, end } = await openServer(await openDatabase(), hosted, log);
    onTestFinished(() => end(0));
    const { status } = await client.post("/agents/agent/runs", { message: "go", stream: "false", user_id: "alice" });
    expect([status, model.calls.length]).toEqual([500, 0]);
    expect(String((entries[0] as { error: unknown }).error)).toContain(fault);
  });

  test("a component's counters are separate from those of other components", async () => {
    const other = defineAgent({
      id: "other",
      model: scriptedModel(turns(1)),
      limits: { perDay: { modelRequests: 1 } },
    });
    const { start, client } = await open(await openDatabase(), {
      agents: [agentOf(2, { perDay: { modelRequests: 2 } }), other],
    });
    expect((await start()).status).toBe("COMPLETED");
    const statuses = [];
    for (let n = 0; n < 2; n++)
      statuses.push((await client.post("/agents/other/runs", { message: "go", stream: "false" })).status);
    expect([...statuses, (await start()).http]).toEqual([200, 429, 429]);
  });

  test("deleting a session deletes its counters", async () => {
    const { start, store, engine } = await open(await openDatabase(), {
      agents: [agentOf(1, { perSession: { modelRequests: 9 } })],
    });
    const { run_id } = await start({ session_id: "s" });
    const { sessionKey } = (await store.findRun({ isAdmin: true } as never, run_id)) as { sessionKey: number };
    const counter = { period: `session/${sessionKey}`, scope: "agent", key: "agent" };
    expect((await store.readUsage([counter])).map(({ modelRequests }) => modelRequests)).toEqual([1]);
    await engine.deleteSession(sessionKey);
    expect(await store.readUsage([counter])).toEqual([]);
  });

  if (kind === "postgres") {
    test("two replicas exceed a limit per day by at most the requests in flight", async () => {
      const database = await openDatabase();
      const allowed = 30;
      const runs = 6;
      const made = [0, 0];
      const replicas = await Promise.all(
        made.map((_, place) => {
          const script = turns(100) as Extract<Script, (...given: never[]) => unknown>;
          const model = scriptedModel((call) => {
            made[place] = (made[place] ?? 0) + 1;
            return { ...(script(call) as object), wait: Math.random() * 20 };
          });
          return open(database, { agents: [agentOf(100, {}, model)], limits: { perDay: { modelRequests: allowed } } });
        }),
      );
      const ends = await Promise.all(replicas.flatMap(({ start }) => Array.from({ length: runs }, () => start())));
      expect(ends.map(({ limit }) => limit?.metric)).toEqual(ends.map(() => "model_requests"));
      const total = (made[0] ?? 0) + (made[1] ?? 0);
      expect(Math.min(...made)).toBeGreaterThan(0);
      expect(total).toBeGreaterThanOrEqual(allowed);
      // Each of the runs had at most one request in flight when the limit was reached.
      expect(total).toBeLessThan(allowed + 2 * runs);
      const [counter] = await (replicas[0] as { store: Awaited<ReturnType<typeof open>>["store"] }).store.readUsage([
        { period: new Date().toISOString().slice(0, 10), scope: "platform", key: "" },
      ]);
      expect(counter?.modelRequests).toBe(total);
    });
  }
});
