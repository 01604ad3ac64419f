/** Traces of runs over HTTP: listings, search, the tree of a run, and who may see it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Platform } from "../../src/define/platform.ts";
import { defineAgent, definePlatform, defineTeam, defineTool, defineWorkflow, step } from "../../src/index.ts";
import type { Server } from "../../src/platform/server.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Answer, Client } from "./support/client.ts";
import { eachServer, startServer } from "./support/server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

/** Tool calls about a slow city wait here. */
let gate = new Gate();
const usage = { input: 10, output: 4 };

function answer({ message, results, tools }: ScriptedCall): ScriptedTurn {
  if (message.includes("fail")) return { error: { message: "The model is broken.", status: 400 } };
  if (results.length > 0) return { text: `It is ${results.map(({ text }) => text).join(", ")}.`, usage };
  const call = (name: string, input: Record<string, unknown>) => ({ toolCalls: [{ name, input }], usage });
  if (tools.includes("delegate_task_to_member"))
    return call("delegate_task_to_member", { member_id: "weather-agent", task: message });
  if (message.includes("weather"))
    return call("get_weather", { city: message.includes("slow") ? "slow" : "secret-city" });
  return message.includes("pay") ? call("pay", { amount: 5 }) : { text: "Hello.", usage };
}

function platform(authorization?: Platform["authorization"]): Platform {
  const model = scriptedModel(answer);
  const agent = defineAgent({
    ...{ id: "weather-agent", name: "Weather Agent", model, sessionPolicy: "parallel", maxModelAttempts: 1 },
    tools: [
      defineTool({
        ...{ name: "get_weather", description: "Weather.", input: z.object({ city: z.string() }) },
        execute: async ({ city }) => {
          if (city === "slow") await gate.pass();
          return "sunny";
        },
      }),
      defineTool({
        ...{ name: "pay", description: "Pay.", input: z.object({ amount: z.number() }), confirm: true },
        execute: () => "paid",
      }),
    ],
  });
  return definePlatform({
    id: "traced",
    agents: [agent],
    teams: [
      defineTeam({ id: "weather-team", name: "Weather Team", model, members: [agent], sessionPolicy: "parallel" }),
    ],
    workflows: [
      defineWorkflow({
        ...{ id: "weather-flow", name: "Weather Flow", sessionPolicy: "parallel" },
        steps: [step({ name: "look", agent }), step({ name: "tell", run: () => "told" })],
      }),
    ],
    settings: { compactionInterval: 50 },
    ...(authorization && { authorization }),
  });
}

const ofAgent = "/agents/weather-agent/runs";

async function run(client: Client, path: string, message: string, session: string, headers = {}): Promise<Any> {
  return (await client.post(path, { message, stream: false, session_id: session }, headers)).json;
}

/** The stored traces that fit the query, once there are any. */
function stored(client: Client, query: string, headers = {}): Promise<Any> {
  return eventually(async () => {
    const { json } = await client.get(`/traces?${query}`, headers);
    expect(json.data.length).toBeGreaterThan(0);
    return json;
  });
}

const traceIdOf = (runId: string): string => runId.replaceAll("-", "");

const search = (client: Client, body: unknown, headers = {}): Promise<Answer> =>
  client.send("/traces/search", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** The tree as names with their children. */
function outline({ name, spans = [] }: Any): Any {
  return spans.length === 0 ? name : [name, ...spans.map(outline)];
}

eachServer(
  "traces",
  (client) => {
    test("an agent's run with a tool is a tree of its request, run, model turns and tool call", async () => {
      const { run_id } = await run(client(), ofAgent, "weather?", "agent-tree");
      const { data } = await stored(client(), "session_id=agent-tree");
      expect(data).toEqual([
        {
          trace_id: traceIdOf(run_id),
          name: "run agent weather-agent",
          status: "OK",
          duration: expect.stringMatching(/^\d+(ms|\.\d\ds)$/),
          start_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          end_time: expect.stringMatching(/Z$/),
          total_spans: 5,
          error_count: 0,
          input: "weather?",
          ...{ run_id, session_id: "agent-tree", agent_id: "weather-agent" },
          created_at: expect.stringMatching(/Z$/),
        },
      ]);
      const { json, text } = await client().get(`/traces/${traceIdOf(run_id)}`);
      expect(json).toMatchObject({ ...data[0], output: "It is sunny." });
      expect(json.tree.map(outline)).toEqual([
        [
          "run agent weather-agent",
          ["invoke_agent Weather Agent", "chat scripted-model", "execute_tool get_weather", "chat scripted-model"],
        ],
      ]);
      const [root] = json.tree;
      expect(root.metadata).toMatchObject({ run_id, total_input_tokens: 20, total_output_tokens: 8 });
      const [model, tool] = root.spans[0].spans;
      expect(model).toMatchObject({ type: "LLM", status: "OK", metadata: { input_tokens: 10, output_tokens: 4 } });
      expect(tool).toMatchObject({ type: "TOOL", metadata: { tool_name: "get_weather" } });
      expect(tool.extra_data.attributes["gen_ai.operation.name"]).toBe("execute_tool");
      expect(text).not.toContain("secret-city");
    });

    test("a span is returned alone by its id, and an unknown span or trace returns 404", async () => {
      const { run_id } = await run(client(), ofAgent, "hi", "one-span");
      const path = `/traces/${traceIdOf(run_id)}`;
      const { json } = await client().get(path);
      const [inner] = json.tree[0].spans;
      const one = await client().get(`${path}?span_id=${inner.id}`);
      const { spans: _, ...alone } = inner;
      expect(one.json).toEqual(alone);
      const unknown = await client().get(`${path}?span_id=0123456789abcdef`);
      expect([unknown.status, unknown.json]).toMatchObject([404, { detail: "Span not found" }]);
      const none = await client().get("/traces/nope");
      expect([none.status, none.json]).toMatchObject([404, { detail: "Trace not found" }]);
    });

    test("a team's run is one trace with the run of its member", async () => {
      const { run_id } = await run(client(), "/teams/weather-team/runs", "weather?", "team-tree");
      await stored(client(), "session_id=team-tree");
      const { json } = await client().get(`/traces/${traceIdOf(run_id)}`);
      expect(json.tree.map(outline)).toEqual([
        [
          "run team weather-team",
          [
            "invoke_agent Weather Team",
            "chat scripted-model",
            "execute_tool delegate_task_to_member",
            ["invoke_agent Weather Agent", "chat scripted-model", "execute_tool get_weather", "chat scripted-model"],
            "chat scripted-model",
          ],
        ],
      ]);
      expect(json.tree[0].spans[0]).toMatchObject({ type: "TEAM", metadata: { run_id } });
    });

    test("a workflow's run is one trace with its steps and the runs of their executors", async () => {
      const { run_id } = await run(client(), "/workflows/weather-flow/runs", "weather?", "flow-tree");
      await stored(client(), "session_id=flow-tree");
      const { json } = await client().get(`/traces/${traceIdOf(run_id)}`);
      expect(json.tree.map(outline)).toEqual([
        [
          "run workflow weather-flow",
          [
            "invoke_workflow Weather Flow",
            [
              "step look",
              ["invoke_agent Weather Agent", "chat scripted-model", "execute_tool get_weather", "chat scripted-model"],
            ],
            "step tell",
          ],
        ],
      ]);
      expect(json.tree[0].spans[0].spans[0]).toMatchObject({ type: "STEP", step_type: "Step" });
    });

    test("a failed run has the status ERROR in its trace and its open spans", async () => {
      const { run_id } = await run(client(), ofAgent, "fail", "failed");
      const { data } = await stored(client(), "session_id=failed&status=ERROR");
      expect(data).toMatchObject([{ run_id, status: "ERROR", error_count: 3 }]);
      const { json } = await client().get(`/traces/${traceIdOf(run_id)}`);
      expect(json.error).toEqual(expect.any(String));
      expect(json.tree[0].spans[0].spans[0]).toMatchObject({ type: "LLM", status: "ERROR" });
    });

    test("the trace of a live run has open spans, and equal ids after the run", async () => {
      gate = new Gate();
      const events = await client().stream(ofAgent, { message: "slow weather?", session_id: "live", stream: true });
      await events.until((frames) => frames.some(({ event }) => event === "ToolCallStarted"));
      const { runId } = events;
      const live = await client().get(`/traces/${traceIdOf(runId)}`);
      expect(live.json).toMatchObject({ status: "UNSET", total_spans: 4 });
      gate.open();
      await events.all();
      await stored(client(), "session_id=live");
      const { json } = await client().get(`/traces/${traceIdOf(runId)}`);
      const ids = (node: Any): string[] => [node.id, ...(node.spans ?? []).flatMap(ids)];
      expect(json.tree.flatMap(ids).slice(0, 4)).toEqual(live.json.tree.flatMap(ids));
    });

    test("a pause is a span until the run continues", async () => {
      const paused = await run(client(), ofAgent, "pay", "pause");
      const path = `${ofAgent}/${paused.run_id}/continue`;
      const tools = JSON.stringify(paused.tools.map((tool: Any) => ({ ...tool, confirmed: true })));
      await client().post(path, { tools, session_id: "pause", stream: false });
      await stored(client(), "session_id=pause");
      const { json } = await client().get(`/traces/${traceIdOf(paused.run_id)}`);
      expect(outline(json.tree[0].spans[0])).toEqual([
        "invoke_agent Weather Agent",
        "chat scripted-model",
        "pause",
        "execute_tool pay",
        "chat scripted-model",
      ]);
    });

    test("listings filter by every field and page", async () => {
      for (const session of ["list-1", "list-2", "list-2"]) await run(client(), ofAgent, "hi", session);
      await eventually(async () => {
        expect((await client().get("/traces?session_id=list-2")).json.meta.total_count).toBe(2);
        expect((await client().get("/traces?session_id=list-1")).json.meta.total_count).toBe(1);
      });
      const first = await client().get("/traces?limit=1");
      const second = await client().get("/traces?limit=1&page=2");
      expect(first.json.meta).toMatchObject({ page: 1, limit: 1, total_pages: first.json.meta.total_count });
      expect(Date.parse(first.json.data[0].start_time)).toBeGreaterThanOrEqual(
        Date.parse(second.json.data[0].start_time),
      );
      expect(first.json.data[0].trace_id).not.toBe(second.json.data[0].trace_id);
      const past = await client().get("/traces?page=100000");
      expect([past.status, past.json.data]).toEqual([200, []]);
      const { run_id, start_time } = first.json.data[0];
      const counts = async (query: string) => (await client().get(`/traces?${query}`)).json.meta.total_count;
      expect(await counts(`run_id=${run_id}`)).toBe(1);
      expect(await counts(`run_id=${run_id}&agent_id=weather-agent&status=OK`)).toBe(1);
      expect(await counts(`run_id=${run_id}&team_id=weather-team`)).toBe(0);
      expect(await counts("user_id=nobody")).toBe(0);
      expect(await counts(`run_id=${run_id}&start_time=${encodeURIComponent(start_time)}`)).toBe(1);
      expect(await counts(`run_id=${run_id}&end_time=2020-01-01T00:00:00Z`)).toBe(0);
      expect(await counts("start_time=2999-01-01T00:00:00+05:30")).toBe(0);
    });

    test("a bad time returns 422", async () => {
      for (const name of ["start_time", "end_time"]) {
        const { status, json } = await client().get(`/traces?${name}=bad`);
        expect([status, json.detail]).toEqual([422, expect.stringContaining(`Invalid ${name} format`)]);
      }
    });

    test("statistics of sessions count their traces", async () => {
      for (const session of ["stats-1", "stats-1", "stats-2"]) await run(client(), ofAgent, "hi", session);
      await eventually(async () => {
        const { json } = await client().get("/trace_session_stats?limit=2&agent_id=weather-agent");
        expect(json.data).toMatchObject([
          { session_id: "stats-2", total_traces: 1, agent_id: "weather-agent" },
          { session_id: "stats-1", total_traces: 2, first_trace_at: expect.any(String) },
        ]);
        expect(json.meta.total_count).toBeGreaterThanOrEqual(2);
      });
      expect((await client().get("/trace_session_stats?page=0")).status).toBe(422);
      const grouped = await search(client(), {
        group_by: "session",
        filter: { op: "EQ", key: "session_id", value: "stats-1" },
      });
      expect(grouped.json.data).toMatchObject([{ session_id: "stats-1", total_traces: 2 }]);
    });

    test("a search filters by operators, and returns trees", async () => {
      const { run_id } = await run(client(), ofAgent, "weather?", "Search_Session");
      await stored(client(), "session_id=Search_Session");
      const found = async (filter: unknown) => {
        const { status, json } = await search(client(), { filter });
        expect([status, filter]).toEqual([200, filter]);
        return json.data.some((one: Any) => one.run_id === run_id);
      };
      const session = { op: "EQ", key: "session_id", value: "Search_Session" };
      const both = (...conditions: unknown[]) => found({ op: "AND", conditions: [session, ...conditions] });
      expect(await found(session)).toBe(true);
      expect(await found({ op: "CONTAINS", key: "session_id", value: "search_s" })).toBe(true);
      expect(await found({ op: "CONTAINS", key: "session_id", value: "search-s" })).toBe(false);
      expect(await found({ op: "STARTSWITH", key: "session_id", value: "Search_" })).toBe(true);
      expect(await found({ op: "STARTSWITH", key: "session_id", value: "search_" })).toBe(false);
      expect(await found({ op: "IN", key: "run_id", values: [run_id, "x"] })).toBe(true);
      expect(await found({ op: "NOT", condition: session })).toBe(false);
      expect(await both({ op: "NEQ", key: "status", value: "ERROR" })).toBe(true);
      expect(
        await both({ op: "GTE", key: "duration_ms", value: 0.5 }, { op: "LT", key: "duration_ms", value: 1e9 }),
      ).toBe(true);
      expect(await both({ op: "GT", key: "start_time", value: "2999-01-01T00:00:00Z" })).toBe(false);
      expect(await both({ op: "LTE", key: "created_at", value: "2999-01-01" })).toBe(true);
      const either = { op: "OR", conditions: [{ op: "EQ", key: "name", value: "x" }, session] };
      expect(await both(either)).toBe(true);
      const { json } = await search(client(), { filter: session });
      expect(json.data[0].tree).toHaveLength(1);
    });

    test("a filter that does not fit returns 400, and a body that does not fit 422", async () => {
      const nested = (levels: number): unknown =>
        levels === 0 ? { op: "EQ", key: "name", value: "x" } : { op: "NOT", condition: nested(levels - 1) };
      const bad = [
        [{ op: "BOGUS" }, "Unknown filter operator: BOGUS"],
        [{ op: "EQ", key: "nope", value: "x" }, "Invalid filter field: 'nope'"],
        [{ op: "EQ", key: "name" }, "EQ filter requires 'key' and 'value' fields"],
        [{ op: "GT", key: "name", value: "x" }, "Operator GT is not supported for field 'name'"],
        [{ op: "AND" }, "AND filter requires 'conditions' field"],
        [{ op: "GT", key: "start_time", value: "bad" }, "Invalid datetime format"],
        [{ op: "EQ", key: "name", value: "a\0b" }, "Invalid value"],
        [{ op: "EQ", key: "duration_ms", value: "1" }, "Field 'duration_ms' requires a number"],
        [nested(11), "exceeds maximum nesting depth of 10"],
        [{}, "must be a dict with 'op' key"],
      ] as const;
      for (const [filter, text] of bad) {
        const { status, json } = await search(client(), { filter });
        expect([status, json.detail]).toEqual([400, expect.stringContaining(text)]);
        expect(json.detail).toContain("Invalid filter expression: ");
      }
      for (const body of [{ limit: 101 }, { page: 0 }, { group_by: "x" }, { filter: 5 }]) {
        expect((await search(client(), body)).status).toBe(422);
      }
      const limit = await search(client(), { limit: 1 });
      expect(limit.json.meta).toMatchObject({ page: 1, limit: 1 });
      expect((await client().get("/traces?db_id=nope")).status).toBe(404);
    });

    test("the filter schema lists the recorded fields and operators", async () => {
      const { json } = await client().get("/traces/filter-schema");
      expect(json.fields.map(({ key }: Any) => key)).toEqual([
        ...["status", "user_id", "agent_id", "team_id", "workflow_id", "session_id", "run_id", "name", "trace_id"],
        ...["duration_ms", "start_time", "end_time", "created_at"],
      ]);
      expect(json.fields[0]).toEqual({
        ...{ key: "status", label: "Status", type: "enum", operators: ["EQ", "NEQ", "IN"], values: ["OK", "ERROR"] },
      });
      expect(json.fields[7].operators).toEqual(["EQ", "NEQ", "CONTAINS", "STARTSWITH"]);
      expect(json.logical_operators).toEqual(["AND", "OR"]);
    });

    test("the trace of a deleted run or session is deleted", async () => {
      const { run_id } = await run(client(), ofAgent, "hi", "deleted");
      const other = await run(client(), ofAgent, "hi", "deleted");
      await eventually(async () => {
        expect((await client().get("/traces?session_id=deleted")).json.meta.total_count).toBe(2);
      });
      await client().send(`${ofAgent}/${run_id}?session_id=deleted`, { method: "DELETE" });
      expect((await client().get(`/traces/${traceIdOf(run_id)}`)).status).toBe(404);
      expect((await client().get("/traces?session_id=deleted")).json.meta.total_count).toBe(1);
      await client().send("/sessions/deleted", { method: "DELETE" });
      expect((await client().get("/traces?session_id=deleted")).json.data).toEqual([]);
      expect((await client().get(`/traces/${traceIdOf(other.run_id)}`)).status).toBe(404);
    });
  },
  platform,
);

eachDatabase("traces under user isolation", (openDatabase) => {
  describe("", () => {
    const pair = makePair();
    let running: { server: Server; client: Client };
    beforeAll(async () => {
      const authorization = { verificationKeys: [pair.pem], userIsolation: true };
      running = await startServer(await openDatabase(), platform(authorization));
    });
    afterAll(() => running.server.close({ shutdownTimeout: 0 }));

    const as = (sub: string, scopes: string[]) => bearer(token({ sub, scopes, exp: 4_000_000_000 }, pair));
    const scopes = ["agents:run", "agents:read", "traces:read"];

    test("a caller sees its own traces only, and an admin sees all", async () => {
      const { client } = running;
      const [alice, bob, admin] = [as("alice", scopes), as("bob", scopes), as("root", ["agent_os:admin"])];
      const { run_id } = await run(client, ofAgent, "hi", "of-alice", alice);
      const { data } = await stored(client, "session_id=of-alice", alice);
      expect(data).toMatchObject([{ run_id, user_id: "alice" }]);
      for (const query of ["", "user_id=alice", `run_id=${run_id}`, "session_id=of-alice"]) {
        expect((await client.get(`/traces?${query}`, bob)).json.data).toEqual([]);
      }
      expect((await client.get(`/traces/${data[0].trace_id}`, bob)).status).toBe(404);
      expect((await client.get(`/traces/${data[0].trace_id}?run_id=${run_id}`, bob)).status).toBe(404);
      expect((await client.get("/trace_session_stats", bob)).json.data).toEqual([]);
      const filter = { op: "EQ", key: "user_id", value: "alice" };
      expect((await search(client, { filter }, bob)).json.data).toEqual([]);
      expect((await search(client, { filter }, alice)).json.data).toHaveLength(1);
      expect((await client.get("/traces?user_id=alice", admin)).json.data).toHaveLength(1);
      expect((await client.get(`/traces/${data[0].trace_id}`, admin)).status).toBe(200);
    });

    test("a caller without traces:read gets 403", async () => {
      const carol = as("carol", ["agents:run"]);
      for (const path of ["/traces", "/traces/filter-schema", "/traces/x", "/trace_session_stats"]) {
        expect((await running.client.get(path, carol)).status).toBe(403);
      }
      expect((await search(running.client, {}, carol)).status).toBe(403);
    });
  });
});
