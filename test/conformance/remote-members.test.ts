/** Remote components as members of a team and as steps of a workflow: two servers on real sockets. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  agentFactory,
  defineAgent,
  definePlatform,
  defineTeam,
  defineTool,
  defineWorkflow,
  type PlatformOptions,
  type RemoteOptions,
  remoteAgent,
  remoteTeam,
  remoteWorkflow,
  type Server,
  step,
} from "../../src/index.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { scriptedServer } from "../support/http-script.ts";
import { tcpRelay } from "../support/tcp-relay.ts";
import { bearer } from "../support/tokens.ts";
import type { Client, EventStream } from "./support/client.ts";
import type { Frame } from "./support/frames.ts";
import { startServer } from "./support/server.ts";

/** A leader that delegates the message to the member that its first word names, and repeats the answer. */
function lead({ message, results }: ScriptedCall): ScriptedTurn | string {
  const [result] = results;
  if (result) return `It said: ${result.text}`;
  const [member_id, ...task] = message.split(" ");
  return { toolCalls: [{ name: "delegate_task_to_member", input: { member_id, task: task.join(" ") } }] };
}

const ask = defineTool({ name: "ask", description: "Asks.", input: z.object({}), external: true });

function gateway(url: string, more: Partial<RemoteOptions> = {}, platform: Partial<PlatformOptions> = {}) {
  const far = remoteAgent({ id: "far", name: "Far Agent", role: "Far away", url, remoteId: "plain-agent", ...more });
  const farTeam = remoteTeam({ id: "far-team", url, remoteId: "duo-team", ...more });
  const byA2a = remoteAgent({ id: "a2a", a2a: `${url.replace(/\/$/, "")}/a2a/agents/plain-agent` });
  const flow = remoteWorkflow({ id: "far-flow", url, remoteId: "simple-flow", ...more });
  const team = defineTeam({ id: "team", model: scriptedModel(lead), members: [far, farTeam, byA2a], ...parallel });
  const asks = defineAgent({ id: "asks", model: scriptedModel(askOnce), tools: [ask] });
  const chain = defineWorkflow({
    ...{ id: "chain", ...parallel },
    steps: [
      far,
      step({ name: "team", team: farTeam, input: () => "delegate it" }),
      step({ name: "flow", workflow: flow }),
    ],
  });
  const later = defineWorkflow({ id: "later", steps: [asks, step({ name: "far", agent: far })] });
  return definePlatform({ id: "gateway", teams: [team], workflows: [chain, later], ...platform });
}

function askOnce({ results }: ScriptedCall): ScriptedTurn | string {
  return results.length > 0 ? "asked" : { toolCalls: [{ name: "ask", input: {} }] };
}

const parallel = { sessionPolicy: "parallel" } as const;
const runs = "/teams/team/runs";

/** The data of a run's events, without members that differ from server to server. */
function told(frames: readonly Frame[], runId: string, ours: readonly (readonly [string, string])[] = []): unknown[] {
  const named = (text: string) => ours.reduce((all, [one, other]) => all.replaceAll(one, other), text);
  const own = frames
    .map(({ data }) => JSON.parse(named(JSON.stringify(data))))
    .filter(({ run_id }) => run_id === runId);
  return own.map(
    ({ created_at: _, event_index: __, relayed: ___, parent_run_id: ____, agent_name: _____, ...rest }) => rest,
  );
}

const names = (frames: readonly Frame[]): string[] => frames.map(({ data }) => data.event);
const numbered = (frames: readonly Frame[]): void =>
  expect(frames.map(({ id }) => Number(id))).toEqual(frames.map((_, place) => place));

/** The id of the member's run in a team's stream. */
async function memberOf(stream: EventStream, event = "RunStarted"): Promise<string> {
  for (;;) {
    const found = stream.events.find(({ data }) => data.event === event && data.run_id !== stream.runId);
    if (found) return found.data.run_id;
    await stream.untilEvents(stream.events.length + 1);
  }
}

eachDatabase("a remote component inside a local run", (openDatabase) => {
  let there: { server: Server; client: Client };
  let here: { server: Server; client: Client };
  beforeAll(async () => {
    there = await startServer(await openDatabase());
    here = await startServer(await openDatabase(), gateway(there.client.base.href));
  });
  afterAll(async () => {
    await here?.server.close({ shutdownTimeout: 0 });
    await there?.server.close({ shutdownTimeout: 0 });
  });

  async function original(path: string, session_id: string): Promise<{ run_id: string; events: readonly Frame[] }> {
    const { json: list } = await there.client.get(`${path}?session_id=${session_id}`);
    expect(list).toHaveLength(1);
    const log = await there.client.stream(`${path}/${list[0].run_id}/resume`, { last_event_index: -1 });
    await log.all();
    return { run_id: list[0].run_id, events: log.events };
  }

  test("as a member: its events equal the events of the remote run, and the leader receives its answer", async () => {
    const session_id = "member";
    const stream = await here.client.stream(runs, { message: "far hello", session_id, user_id: "u1" });
    const all = await stream.all();
    numbered(all);
    expect(all.at(-1)?.data).toMatchObject({
      event: "TeamRunCompleted",
      content: "It said: Hello there, you said: hello",
    });
    const memberId = await memberOf(stream);
    const { run_id, events } = await original("/agents/plain-agent/runs", session_id);
    const ours = [[run_id, memberId] as const, ['"plain-agent"', '"far"'] as const];
    const [mine, theirs] = [told(all, memberId), told(events, memberId, ours)];
    expect(mine.slice(0, -1)).toEqual(theirs.slice(0, -1));
    expect(mine.at(-1)).toMatchObject({ event: "RunCompleted", content: "Hello there, you said: hello" });
    const started = all.find(({ data }) => data.run_id === memberId)?.data;
    expect(started).toMatchObject({ agent_name: "Far Agent", parent_run_id: stream.runId, nested_depth: 0 });
    expect(started.relayed).toEqual({ run_id: memberId, event_index: 0 });
    const { json } = await here.client.get(`${runs}/${stream.runId}?session_id=${session_id}`);
    expect(json.member_responses).toMatchObject([
      { run_id: memberId, agent_id: "far", status: "COMPLETED", content: "Hello there, you said: hello" },
    ]);
    expect(json.member_responses[0]).not.toHaveProperty("model");
    const [{ user_id }] = (await there.client.get(`/agents/plain-agent/runs?session_id=${session_id}`)).json;
    expect(user_id).toBe("u1");
  });

  test("as a member that is a team: the runs of its own members are nested below it", async () => {
    const stream = await here.client.stream(runs, { message: "far-team delegate it", session_id: "team" });
    const all = await stream.all();
    numbered(all);
    const memberId = await memberOf(stream, "TeamRunStarted");
    const inner = all.find(({ data }) => data.event === "RunStarted")?.data;
    expect(inner).toMatchObject({ agent_id: "agent-a", parent_run_id: memberId, session_id: "team" });
    expect(all.find(({ data }) => data.run_id === memberId)?.data.team_id).toBe("far-team");
    expect(names(all).filter((name) => name === "TeamRunCompleted")).toHaveLength(2);
  });

  test("as a member over A2A: its answer reaches the leader and the remote task completes", async () => {
    const stream = await here.client.stream(runs, { message: "a2a hello", session_id: "a2a" });
    const all = await stream.all();
    numbered(all);
    const memberId = await memberOf(stream);
    expect(names(all.filter(({ data }) => data.run_id === memberId))[0]).toBe("RunStarted");
    expect(all.at(-1)?.data.content).toBe("It said: Hello there, you said: hello");
    const [task] = (await there.client.get("/agents/plain-agent/runs?session_id=a2a")).json;
    expect(task.status).toBe("COMPLETED");
  });

  test("as a step: a remote agent, team and workflow complete, and their events name their steps", async () => {
    const session_id = "steps";
    const stream = await here.client.stream("/workflows/chain/runs", { message: "hello", session_id });
    const all = await stream.all();
    numbered(all);
    const { data: end } = all.at(-1)!;
    expect(end.event).toBe("WorkflowCompleted");
    expect(
      end.step_results.map(({ executor_type, success }: Record<string, unknown>) => [executor_type, success]),
    ).toEqual(["agent", "team", "workflow"].map((type) => [type, true]));
    const agentStarted = all.find(({ event }) => event === "RunStarted")?.data;
    expect(agentStarted).toMatchObject({ agent_id: "far", workflow_run_id: stream.runId, step_name: "Far Agent" });
    const inner = all.filter(({ event }) => event === "RunStarted")[1]?.data;
    expect(inner).toMatchObject({ agent_id: "agent-a", workflow_run_id: stream.runId, step_name: "team" });
    const nested = all.filter(({ event }) => event === "WorkflowStarted")[1]?.data;
    expect(nested).toMatchObject({ workflow_id: "far-flow", nested_depth: 1 });
    expect(end.content).toMatch(/^UP:/);
    const { json } = await here.client.get(`/workflows/chain/runs/${stream.runId}?session_id=${session_id}`);
    expect(json.status).toBe("COMPLETED");
  });

  test("as a member that fails: the leader receives the error, and as a step: the workflow fails", async () => {
    const failed = await here.client.post(runs, { message: "far explode", stream: false, session_id: "fails" });
    expect([failed.status, failed.json.status]).toEqual([200, "COMPLETED"]);
    expect(failed.json.content).toMatch(/Far Agent failed: .*model exploded/);
    const step = await here.client.post("/workflows/chain/runs", { message: "explode", stream: false });
    expect([step.status, step.json.detail]).toEqual([500, expect.stringMatching(/model exploded/)]);
    const nobody = await here.client.post(runs, { message: "nobody hello", stream: false });
    expect(nobody.json.content).toMatch(/member_id/);
  });

  test("a cancel and a member's timeout cancel the remote run", async () => {
    const stream = await here.client.stream(runs, { message: "far endless", session_id: "cancel" });
    await memberOf(stream, "RunContent");
    await here.client.post(`${runs}/${stream.runId}/cancel`);
    expect((await stream.all()).at(-1)?.event).toBe("TeamRunCancelled");
    const statusOf = async (session_id: string) =>
      (await there.client.get(`/agents/plain-agent/runs?session_id=${session_id}`)).json[0]?.status;
    await eventually(async () => expect(await statusOf("cancel")).toBe("CANCELLED"));
    const own = await startServer(await openDatabase(), gateway(there.client.base.href, { timeout: 1_500 }));
    const late = await own.client.post(runs, { message: "far endless", stream: false, session_id: "late" });
    expect(late.json.content).toMatch(/Far Agent failed: It took longer than 1.5 s/);
    await eventually(async () => expect(await statusOf("late")).toBe("CANCELLED"));
    await own.server.close({ shutdownTimeout: 0 });
  });

  test("after a cut connection and a restart, the run continues without repeated or discarded events, and there is one remote run", async () => {
    await using relay = await tcpRelay(there.client.base);
    const own = await openDatabase();
    let near = await startServer(own, gateway(relay.url));
    const session_id = "broken";
    const stream = await near.client.stream(runs, { message: "far endless", session_id });
    const memberId = await memberOf(stream, "RunContent");
    relay.cut();
    await stream.untilEvents(stream.events.length + 15);
    await near.server.close({ shutdownTimeout: 0 });
    near = await startServer(own, gateway(relay.url));
    const rest = await near.client.stream(`${runs}/${stream.runId}/resume`, {
      last_event_index: stream.events.length - 1,
    });
    await rest.untilEvents(20);
    await near.client.post(`${runs}/${stream.runId}/cancel`);
    await rest.all();
    const all = [...stream.events, ...rest.events];
    numbered(all);
    expect(names(all)).toContain("TeamRunRecovered");
    expect(names(all)).not.toContain("RunRecovered");
    await near.server.close({ shutdownTimeout: 0 });
    const { run_id, events } = await original("/agents/plain-agent/runs", session_id);
    const ours = [[run_id, memberId] as const, ['"plain-agent"', '"far"'] as const];
    const mine = told(all, memberId);
    expect(mine).toEqual(told(events, memberId, ours).slice(0, mine.length));
  });

  test("a run that is cancelled after a restart cancels its remote run", async () => {
    const own = await openDatabase();
    const near = await startServer(own, gateway(there.client.base.href));
    const stream = await near.client.stream(runs, { message: "far endless", session_id: "left" });
    await memberOf(stream, "RunContent");
    await near.server.close({ shutdownTimeout: 0 });
    // The next server takes the run over at once; the cancel may arrive before the remote run is followed again.
    const next = await startServer(own, gateway(there.client.base.href));
    expect((await next.client.post(`${runs}/${stream.runId}/cancel`)).status).toBe(200);
    await eventually(async () => {
      const { json } = await there.client.get("/agents/plain-agent/runs?session_id=left");
      expect(json).toMatchObject([{ status: "CANCELLED" }]);
    });
    await next.server.close({ shutdownTimeout: 0 });
  });

  test("team, workflow and card show a remote component with its local definition", async () => {
    const { json } = await here.client.get("/teams/team");
    expect(json.members.map(({ id, role, model }: Record<string, unknown>) => [id, role, model])).toEqual([
      ["far", "Far away", undefined],
      ["far-team", undefined, undefined],
      ["a2a", undefined, undefined],
    ]);
    const { json: chain } = await here.client.get("/workflows/chain");
    expect(chain.steps).toMatchObject([
      { agent: { id: "far" } },
      { team: { id: "far-team" } },
      { workflow: { id: "far-flow" } },
    ]);
    const card = await here.client.get("/a2a/teams/team/.well-known/agent-card.json");
    expect(JSON.stringify(card.json.skills)).toContain("team/far");
  });
});

test("a RunRecovered event of a remote log is translated to the index in the local log", async () => {
  const fields = [
    { event: "RunStarted" },
    { event: "RunContent", content: "lost" },
    { event: "RunRecovered", attempt: 2, discard_from_index: 1 },
    { event: "RunContent", content: "kept", relayed: { run_id: "theirs", event_index: 99 } },
    { event: "RunCompleted", content: "kept" },
  ];
  await using far = await scriptedServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [event_index, one] of fields.entries())
      response.write(`event: x\ndata: ${JSON.stringify({ ...one, run_id: "r", session_id: "s", event_index })}\n\n`);
    response.end();
  });
  await using database = await openDatabaseOf("sqlite");
  const near = await startServer(database, gateway(far.url));
  const stream = await near.client.stream(runs, { message: "far hello" });
  const all = await stream.all();
  await near.server.close({ shutdownTimeout: 0 });
  const memberId = await memberOf(stream);
  const member = all.filter(({ data }) => data.run_id === memberId);
  const [started, , recovered] = member;
  expect(recovered?.data.discard_from_index).toBe(Number(started?.id) + 1);
  expect(member.map(({ data }) => data.relayed?.event_index)).toEqual([0, 1, 2, 3, undefined]);
  expect(member.at(-1)?.data.content).toBe("kept");
});

test.each(["at once", "with its first event"])(
  "a remote start that outlives its local run is cancelled when its response names the remote run %s",
  async (when) => {
    const answers: (() => void)[] = [];
    await using far = await scriptedServer(({ url }, response) => {
      if (url.includes("/cancel")) return void response.end("{}");
      answers.push(() => {
        response.writeHead(200, {
          "content-type": "text/event-stream",
          ...(when === "at once" && { "x-run-id": "r" }),
        });
        if (when === "at once") response.write(": nothing yet\n\n");
        else response.write('event: x\ndata: {"event":"RunStarted","run_id":"r","session_id":"s","event_index":0}\n\n');
      });
    });
    await using database = await openDatabaseOf("sqlite");
    const near = await startServer(database, gateway(far.url, { timeout: 500 }));
    const late = await near.client.post(runs, { message: "far hello", stream: false, session_id: "late" });
    expect(late.json.content).toMatch(/Far Agent failed: It took longer than 0.5 s/);
    expect(answers).toHaveLength(1);
    answers[0]?.();
    await eventually(() => expect(far.heard.at(-1)?.url).toMatch(/\/runs\/r\/cancel\?session_id=/));
    await near.server.close({ shutdownTimeout: 0 });
  },
);

describe("the token of the caller", () => {
  test("goes to remote members and steps, and a continued run uses the token of the caller who continues it", async () => {
    const events =
      'event: x\ndata: {"event":"RunStarted","run_id":"r","session_id":"s","event_index":0}\n\n' +
      'event: x\ndata: {"event":"RunCompleted","run_id":"r","content":"done","event_index":1}\n\n';
    await using far = await scriptedServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(events);
    });
    await using database = await openDatabaseOf("sqlite");
    const near = await startServer(database, gateway(far.url));
    const first = await near.client.post(runs, { message: "far hello", stream: false }, bearer("first"));
    expect(first.json.content).toBe("It said: done");
    const workflow = "/workflows/later/runs";
    const session_id = "one";
    const paused = await near.client.post(workflow, { message: "x", stream: false, session_id }, bearer("second"));
    expect(paused.json.status).toBe("PAUSED");
    const waits = await near.client.stream(workflow, { message: "y", session_id }, bearer("third"));
    const { run_id, step_requirements } = paused.json;
    const [requirement] = step_requirements;
    const answered = {
      ...requirement,
      executor_requirements: requirement.executor_requirements.map((one: { tool_execution: object }) => ({
        ...one,
        tool_execution: { ...one.tool_execution, result: "told" },
      })),
    };
    const fields = { session_id, step_requirements: JSON.stringify([answered]), stream: false };
    const continued = await near.client.post(`${workflow}/${run_id}/continue`, fields, bearer("fourth"));
    expect(continued.json).toMatchObject({ status: "COMPLETED", content: "done" });
    await waits.untilEvents(1);
    await near.server.close({ shutdownTimeout: 0 });
    expect(far.heard.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer fourth"]);
  });
});

describe("definitions with factories", () => {
  test("defineTeam and defineWorkflow throw for a factory as member or step", () => {
    const factory = agentFactory({ id: "made", build: () => defineAgent({ id: "made", model: "openai:x" }) });
    const team = () => defineTeam({ id: "t", model: "openai:x", members: [factory as never] });
    expect(team).toThrow('Team "t" holds the factory "made": write a factory that builds all of it instead.');
    expect(() => defineWorkflow({ id: "w", steps: [factory as never] })).toThrow(/holds the factory "made"/);
  });
});
