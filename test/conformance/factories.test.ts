/** Factories: components that are built for each run from the request's input and its caller. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  agentFactory,
  defineAgent,
  definePlatform,
  defineTeam,
  defineWorkflow,
  type PlatformOptions,
  type Server,
  step,
  TroupeError,
  teamFactory,
  workflowFactory,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type OpenDatabase, type TestDatabase } from "../support/databases.ts";
import { SocketClient } from "../support/socket-client.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { asRead } from "./support/answers.ts";
import type { Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

const echo = scriptedModel(({ message, system }) => `${system} answers: ${message}`);
const kinds = ["agent", "team", "workflow"] as const;

/** What the factories received, and how they behave. */
const told: Record<string, unknown>[] = [];
let mood: "good" | "forbids" | "breaks" | "hangs" | "mistakes" = "good";
let version = "";

function platform(more: Partial<PlatformOptions> = {}) {
  const agent = agentFactory({
    id: "made-agent",
    description: "Made to measure",
    input: z.object({ city: z.string().default("nowhere") }),
    async build({ input: { city }, principal, userId, dependencies }) {
      told.push({ city, caller: principal.userId, userId, dependencies });
      if (mood === "forbids") throw new TroupeError("forbidden", `Nobody may go to ${city}`);
      if (mood === "breaks") throw new Error("secret: the catalogue is away");
      if (mood === "hangs") await new Promise(() => {});
      if (mood === "mistakes") return defineTeam({ id: "t", model: echo, members: [named("m")] }) as never;
      return { ...named("made"), name: `Guide of ${city}`, instructions: city, sessionPolicy: "parallel" };
    },
  });
  const team = teamFactory({
    id: "made-team",
    build: ({ input }) =>
      defineTeam({ id: "x", name: "Made", model: echo, members: [named(String(input.member ?? "m"))] }),
  });
  const flow = workflowFactory({
    id: "made-workflow",
    input: z.object({ steps: z.int().max(3).default(1) }),
    build({ input: { steps } }) {
      told.push({ steps });
      const confirm = { name: "ask", run: () => "asked", confirm: "ok?" };
      const up = (place: number) => step({ name: `s${place}`, run: ({ previous }) => `${previous ?? ""}${place}` });
      if (mood === "forbids") throw new TroupeError("forbidden", "No more workflows");
      const length = steps + version.length;
      return defineWorkflow({
        ...{ id: "x", name: `Made of ${steps}`, onDefinitionChange: "ask" },
        steps: [step(confirm), ...Array.from({ length }, (_, place) => up(place))],
      });
    },
  });
  const open = agentFactory({ id: "open-agent", resumable: true, build: () => named("open") });
  const settings = { factoryTimeout: 300 };
  return definePlatform({
    id: "p",
    agents: [named("plain"), agent, open],
    teams: [team],
    workflows: [flow],
    settings,
    ...more,
  });
}

function named(id: string) {
  return defineAgent({ id, model: echo, instructions: "somebody" });
}

const runs = (kind: string) => `/${kind}s/made-${kind}/runs`;
const input = (value: unknown) => ({ factory_input: JSON.stringify(value) });

eachDatabase("factories", (openDatabase: OpenDatabase) => {
  let database: TestDatabase;
  let running: { server: Server; client: Client };
  const start = (kind: string, fields = {}) =>
    running.client.post(runs(kind), { message: "hello", stream: false, session_id: `s-${kind}`, ...fields });

  beforeAll(async () => {
    database = await openDatabase();
    running = await startServer(database, platform());
  });
  afterAll(() => running?.server.close({ shutdownTimeout: 0 }));
  beforeEach(() => {
    told.length = 0;
    mood = "good";
    version = "";
  });

  test("are listed as factories with their input schema", async () => {
    const { client } = running;
    const shape = { type: "object", properties: { city: { type: "string", default: "nowhere" } } };
    const shown = { id: "made-agent", name: "made-agent", db_id: "main", is_factory: true, is_component: false };
    const made = { ...shown, description: "Made to measure", factory_input_schema: shape };
    expect((await client.get("/agents")).json).toContainEqual(made);
    expect((await client.get("/agents/made-agent")).json).toEqual(made);
    expect((await client.get("/teams/made-team")).json).toEqual({
      ...{ id: "made-team", name: "made-team", db_id: "main", is_factory: true, is_component: false },
    });
    const { json: flow } = await client.get("/workflows/made-workflow");
    expect(flow).toMatchObject({ id: "made-workflow", is_factory: true, workflow_agent: false, is_component: false });
    const { workflow_agent: _, ...summary } = flow;
    expect((await client.get("/workflows")).json).toEqual([summary]);
    const { json: info } = await client.get("/info");
    expect(info).toMatchObject({ agent_count: 3, team_count: 1, workflow_count: 1 });
    const { json: config } = await client.get("/config");
    expect(config.agents.map(({ id }: { id: string }) => id)).toEqual(["plain", "made-agent", "open-agent"]);
    expect(config.workflows[0]).toMatchObject({ id: "made-workflow", is_factory: true });
    expect((await client.get("/models")).json).toHaveLength(1);
  });

  test("build a component for each run from factory_input, under the factory's own id", async () => {
    const asked = { ...input({ city: "Paris" }), user_id: "u1", dependencies: JSON.stringify({ tenant: 7 }) };
    const { status, json } = await start("agent", asked);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ...{ agent_id: "made-agent", agent_name: "Guide of Paris", status: "COMPLETED", user_id: "u1" },
      content: "Paris answers: hello",
    });
    expect(told).toEqual([{ city: "Paris", caller: null, userId: "u1", dependencies: { tenant: 7 } }]);
    expect((await start("agent")).json).toMatchObject({ agent_name: "Guide of nowhere" });
    expect((await start("team", input({ member: "zoe" }))).json).toMatchObject({
      team_id: "made-team",
      team_name: "Made",
    });
    const stream = await running.client.stream(runs("agent"), { message: "hi", ...input({ city: "Rome" }) });
    await stream.all();
    expect(stream.events.at(-1)?.data).toMatchObject({ event: "RunCompleted", agent_name: "Guide of Rome" });
    const static_ = await running.client.post("/agents/plain/runs", {
      message: "x",
      stream: false,
      ...input({ a: 1 }),
    });
    expect(static_.json.content).toBe("somebody answers: x");
  });

  test("return 400 for input that does not match the schema, the factory's own 403, and 500 without details for an internal failure", async () => {
    const text = async (fields: object) => {
      const { status, json } = await start("agent", fields);
      return [status, json.detail, json.error_code];
    };
    expect(await text({ factory_input: "nope" })).toEqual([
      ...[400, "factory_input must be valid JSON: not a JSON text", "BAD_REQUEST"],
    ]);
    expect(await text({ factory_input: "[]" })).toEqual([
      ...[400, "factory_input must be a JSON object, got list", "BAD_REQUEST"],
    ]);
    expect(await text(input({ city: 7 }))).toEqual([
      ...[400, expect.stringMatching(/^factory_input does not fit: city: /), "BAD_REQUEST"],
    ]);
    mood = "forbids";
    expect(await text(input({ city: "Mars" }))).toEqual([403, "Nobody may go to Mars", undefined]);
    for (mood of ["breaks", "hangs", "mistakes"] as const)
      expect(await text({})).toEqual([500, "Agent factory error", "INTERNAL_SERVER_ERROR"]);
    const { json } = await running.client.get(`${runs("agent")}?session_id=refused`);
    expect(json.detail).toBe("Session not found");
  });

  test.each(kinds)(
    "runs of a %s factory are listed and read, and a workflow factory's factory_input is validated [W8] [W10]",
    async (kind) => {
      const session_id = `listed-${kind}`;
      const { json: run } = await start(kind, { session_id });
      const listed = await running.client.get(`${runs(kind)}?session_id=${session_id}`);
      expect(listed.json).toMatchObject([{ run_id: run.run_id, status: kind === "workflow" ? "PAUSED" : "COMPLETED" }]);
      const read = await running.client.get(`${runs(kind)}/${run.run_id}?session_id=${session_id}`);
      expect(read.json).toEqual(asRead(run));
      expect((await running.client.get(`/sessions/${session_id}?type=${kind}`)).status).toBe(200);
      if (kind !== "workflow") return;
      told.length = 0;
      const query = (value: unknown) =>
        `?session_id=${session_id}&factory_input=${encodeURIComponent(JSON.stringify(value))}`;
      for (const path of [runs(kind), `${runs(kind)}/${run.run_id}`]) {
        expect((await running.client.get(path + query({ steps: 2 }))).status).toBe(200);
        const refused = await running.client.get(path + query({ steps: 4 }));
        expect([refused.status, refused.json.detail]).toEqual([
          400,
          expect.stringMatching(/^factory_input does not fit: steps: /),
        ]);
      }
      expect(told).toEqual([{ steps: 2 }, { steps: 2 }]);
    },
  );

  test.each(kinds)(
    "resume returns 400 for runs of a %s factory, and streams if the factory sets resumable [R25]",
    async (kind) => {
      const { json: run } = await start(kind, { session_id: `resume-${kind}` });
      for (const id of [run.run_id, "x"]) {
        const refused = await running.client.post(`${runs(kind)}/${id}/resume`, {});
        expect([refused.status, refused.json]).toEqual([
          ...[400, { detail: `Stream resumption is not supported for factory ${kind}s`, error_code: "BAD_REQUEST" }],
        ]);
      }
      const open = await running.client.stream("/agents/open-agent/runs", { message: "hello" });
      await open.all();
      const again = await running.client.stream(`/agents/open-agent/runs/${open.runId}/resume`);
      expect((await again.all()).slice(1).map(({ raw }) => raw)).toEqual(open.events.map(({ raw }) => raw));
    },
  );

  test("a paused or queued run is built again from its own input, also after a restart", async () => {
    const { json: paused } = await start("workflow", { ...input({ steps: 3 }), session_id: "again" });
    expect(paused).toMatchObject({ status: "PAUSED", workflow_name: "Made of 3" });
    await running.server.close({ shutdownTimeout: 0 });
    running = await startServer(database, platform());
    const answer = { session_id: "again", step_requirements: JSON.stringify([{ step_name: "ask", confirmed: true }]) };
    told.length = 0;
    const path = `${runs("workflow")}/${paused.run_id}/continue`;
    const { json } = await running.client.post(path, { ...answer, stream: false, ...input({ steps: 1 }) });
    expect(json).toMatchObject({ status: "COMPLETED", content: "asked012" });
    expect(told).toEqual([{ steps: 3 }]);
    const { json: queued } = await start("agent", { background: true, ...input({ city: "Oslo" }), session_id: "bg" });
    await expect
      .poll(async () => (await running.client.get(`${runs("agent")}/${queued.run_id}?session_id=bg`)).json.content)
      .toBe("Oslo answers: hello");
  });

  test("a factory that builds other steps pauses the continued run again, and one that throws ends the run with an error", async () => {
    const answer = { step_requirements: JSON.stringify([{ step_name: "ask", confirmed: true }]), stream: false };
    const goOn = async (session_id: string, change: () => void) => {
      const { json: paused } = await start("workflow", { session_id });
      change();
      return await running.client.post(`${runs("workflow")}/${paused.run_id}/continue`, { ...answer, session_id });
    };
    const changed = await goOn("changed", () => {
      version = "2";
    });
    expect(changed.json).toMatchObject({ status: "PAUSED" });
    version = "";
    const refused = await goOn("refused", () => {
      mood = "forbids";
    });
    expect(refused.json).toMatchObject({ status: "ERROR", error_code: "RUN_FAILED" });
    expect(refused.json.detail).toBe("The factory did not build what the run needs: No more workflows");
  });

  test("start over the web socket with factory_input as an object", async () => {
    const socket = await SocketClient.open(running.client.base);
    socket.send({ action: "start-workflow", workflow_id: "made-workflow", message: "x", factory_input: { steps: 9 } });
    expect(await socket.event("error")).toMatchObject({ error: expect.stringMatching(/does not fit: steps/) });
    socket.send({ action: "start-workflow", workflow_id: "made-workflow", message: "x", factory_input: { steps: 2 } });
    expect(await socket.event("WorkflowPaused")).toMatchObject({ workflow_name: "Made of 2" });
    socket.close();
  });

  test("[J17] receive the caller, and resume returns 400 for the owner, another user and an admin", async () => {
    const pair = makePair();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true, dependenciesClaims: ["tenant"] };
    const { server, client } = await startServer(await openDatabase(), platform({ authorization }));
    const as = (sub: string, ...scopes: string[]) => bearer(token({ sub, scopes, tenant: "acme" }, pair));
    const alice = as("alice", "agents:run", "agents:read");
    const { json } = await client.post(runs("agent"), { message: "x", stream: false, session_id: "a" }, alice);
    expect(told).toEqual([{ city: "nowhere", caller: "alice", userId: "alice", dependencies: { tenant: "acme" } }]);
    const resume = async (headers: Record<string, string>, fields = {}) => {
      const answer = await client.post(`${runs("agent")}/${json.run_id}/resume`, fields, headers);
      return [answer.status, answer.json.detail];
    };
    expect(await resume(alice)).toEqual([400, "session_id is required for this action"]);
    const refusal = [400, "Stream resumption is not supported for factory agents"];
    expect(await resume(alice, { session_id: "a" })).toEqual(refusal);
    expect(await resume(as("bob", "agents:run"), { session_id: "a" })).toEqual(refusal);
    expect(await resume(as("root", "agent_os:admin"))).toEqual(refusal);
    await server.close({ shutdownTimeout: 0 });
  });
});

describe("invalid definitions of factories", () => {
  const build = () => named("a");
  test.each([
    [() => agentFactory({ id: "a/b", build }), /its id must not hold/],
    [() => agentFactory({ id: "a" } as never), /build must be a function/],
    [() => agentFactory({ id: "a", build, inputs: 1 } as never), /did you mean "input"/],
    [() => teamFactory({ id: "a", build, input: {} } as never), /input must be a zod schema/],
    [
      () => definePlatform({ id: "p", agents: [named("a"), agentFactory({ id: "a", build })] }),
      /Two agents have the id "a"/,
    ],
    [
      () => definePlatform({ id: "p", teams: [agentFactory({ id: "a", build })] as never }),
      /was not made by defineTeam/,
    ],
  ])("%s throws", (define, message) => {
    expect(define).toThrow(message);
  });
});
