/** Versions of components under runs: which version a run uses, and that it keeps it. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import type { PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { Gate } from "../support/gate.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";

/** Answers with the instructions of the request. */
const echo = scriptedModel(({ system }) => `I am told: ${system}`);

const researcher = defineAgent({ id: "researcher", model: echo, instructions: "code" });

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Body = any;

/** The routes of components and of runs, with JSON bodies. */
class Calls {
  readonly #server: OpenServer;

  constructor(server: OpenServer) {
    this.#server = server;
  }

  async send(
    method: "GET" | "POST" | "PATCH" | "DELETE",
    url: string,
    payload?: object,
  ): Promise<{ status: number; body: Body }> {
    const response = await this.#server.app.inject({ method, url, ...(payload && { payload }) });
    return { status: response.statusCode, body: response.body === "" ? undefined : response.json() };
  }

  /** Saves and publishes a version; returns its number. */
  async publish(id: string, config: object, more: object = {}): Promise<number> {
    const { status, body } = await this.send("POST", `/components/${id}/configs`, {
      config,
      stage: "published",
      ...more,
    });
    expect([status, body]).toMatchObject([201, { stage: "published" }]);
    return body.version;
  }

  async setCurrent(id: string, version: number): Promise<void> {
    const { status } = await this.send("POST", `/components/${id}/configs/${version}/set-current`);
    expect(status).toBe(200);
  }

  /** Runs a component to its end. */
  async run(path: string, fields: object = {}): Promise<{ status: number; body: Body }> {
    return await this.send("POST", `/${path}/runs`, { message: "hi", stream: false, ...fields });
  }
}

/** The status of a run, also of one whose component has no path any more. */
async function statusOf(database: TestDatabase, runId: string): Promise<string | undefined> {
  const head = `select h.status from run_heads h join runs r on r.key = h.run_key where r.run_id = '${runId}'`;
  return (await querySql<{ status: string }>(database, head))[0]?.status;
}

/** An agent whose runs keep their session busy until the gate opens. */
function holder(gate: Gate): ReturnType<typeof defineAgent> {
  const model = scriptedModel(async () => {
    await gate.pass();
    return "Done.";
  });
  return defineAgent({ id: "holder", model });
}

async function open(
  database: TestDatabase,
  hosted: Omit<PlatformOptions, "id">,
): Promise<{ server: OpenServer; calls: Calls }> {
  const server = await openServer(database, hosted);
  return { server, calls: new Calls(server) };
}

eachDatabase("versions of components", (openDatabase, kind) => {
  test("a published version is used by the next run, and the code again when its component is deleted", async () => {
    const { server, calls } = await open(await openDatabase(), { agents: [researcher] });
    await using _ = server;
    const first = await calls.run("agents/researcher");
    expect(first.body.content).toBe("I am told: code");
    expect(first.body).not.toHaveProperty("component_version");
    const version = await calls.publish("researcher", { instructions: "one" });
    const second = await calls.run("agents/researcher");
    expect(second.body).toMatchObject({ content: "I am told: one", component_version: version });
    expect((await calls.send("GET", "/agents/researcher")).body).toMatchObject({
      ...{ is_component: true, current_version: version, stage: "published" },
      system_message: { instructions: "one" },
    });
    expect((await calls.send("DELETE", "/components/researcher")).status).toBe(204);
    expect((await calls.run("agents/researcher")).body.content).toBe("I am told: code");
    // Its number is never used again, so that earlier runs keep their version.
    expect(await calls.publish("researcher", { instructions: "again" })).toBeGreaterThan(version);
    expect(
      (await calls.send("GET", `/agents/researcher/runs/${second.body.run_id}?session_id=${second.body.session_id}`))
        .body,
    ).toMatchObject({
      component_version: version,
    });
  });

  test("a component without code is found on every surface while a version of it is published", async () => {
    const { server, calls } = await open(await openDatabase(), { agents: [researcher] });
    await using _ = server;
    expect((await calls.run("agents/poet")).status).toBe(404);
    const created = await calls.send("POST", "/components", {
      ...{ name: "Poet", component_type: "agent", config: { instructions: "rhyme" }, description: "Writes" },
    });
    expect([created.status, created.body.component_id]).toEqual([201, "poet"]);
    // A draft answers no runs.
    expect((await calls.run("agents/poet")).status).toBe(404);
    expect((await calls.send("PATCH", "/components/poet/configs/1", { stage: "published" })).status).toBe(200);
    expect((await calls.run("agents/poet")).body).toMatchObject({
      content: expect.stringMatching(/rhyme$/),
      agent_name: "Poet",
    });
    const listed = async (path: string) => JSON.stringify((await calls.send("GET", path)).body);
    for (const path of [
      "/agents",
      "/config",
      "/registry",
      "/v1/models",
      "/a2a/agents/poet/.well-known/agent-card.json",
    ])
      expect(await listed(path)).toMatch(/poet/i);
    expect((await calls.send("GET", "/info")).body.agent_count).toBe(2);
    const events = await calls.send("POST", "/v1/chat/completions", {
      ...{ model: "agent:poet", messages: [{ role: "user", content: "hi" }] },
    });
    expect([events.status, JSON.stringify(events.body)]).toEqual([200, expect.stringContaining("rhyme")]);
    await calls.send("DELETE", "/components/poet");
    expect(await listed("/agents")).not.toMatch(/poet/i);
    expect((await calls.run("agents/poet")).status).toBe(404);
  });

  test("a paused run of a draft continues with its config, although its component has no published version", async () => {
    const sign = defineTool({
      ...{ name: "sign", description: "Signs", input: z.object({}), confirm: true },
      execute: () => "signed",
    });
    const model = scriptedModel(({ system, results }) =>
      results.length > 0 ? `I am told: ${system}` : { toolCalls: [{ name: "sign", input: {} }] },
    );
    const clerk = defineAgent({ id: "clerk", model, tools: [sign] });
    const { server, calls } = await open(await openDatabase(), { agents: [clerk] });
    await using _ = server;
    await calls.send("POST", "/components", {
      ...{ name: "Notary", component_type: "agent", config: { instructions: "draft", tools: ["sign"] } },
    });
    const { body: paused } = await calls.run("agents/notary", { version: "1" });
    expect(paused.status).toBe("PAUSED");
    const continued = await calls.send("POST", `/agents/notary/runs/${paused.run_id}/continue`, {
      ...{ session_id: paused.session_id, stream: false },
      tools: JSON.stringify([{ ...paused.tools[0], confirmed: true }]),
    });
    expect(continued).toMatchObject({ status: 200, body: { status: "COMPLETED", content: "I am told: draft" } });
    const other = await calls.send("POST", "/agents/notary/runs/none/continue", { session_id: "s", tools: "[]" });
    expect(other.status).toBe(404);
  });

  test("a draft of a component without code is executed in the background", async () => {
    const { server, calls } = await open(await openDatabase(), { agents: [researcher] });
    await using _ = server;
    await calls.send("POST", "/components", {
      name: "Poet",
      component_type: "agent",
      config: { instructions: "rhyme" },
    });
    const { status, body } = await calls.run("agents/poet", { version: "1", background: "true" });
    expect(status).toBe(202);
    await eventually(async () => {
      const run = await calls.send("GET", `/agents/poet/runs/${body.run_id}?session_id=${body.session_id}`);
      expect(run.body).toMatchObject({ status: "COMPLETED", content: "I am told: rhyme" });
    });
  });

  test("a waiting run of a component that was removed, created again and deleted is executed", async () => {
    const database = await openDatabase();
    const gate = new Gate();
    const { server, calls } = await open(database, { agents: [researcher, holder(gate)] });
    await using _ = server;
    const poet = { name: "Poet", component_type: "agent", config: { instructions: "rhyme" }, stage: "published" };
    await calls.send("POST", "/components", poet);
    await calls.send("DELETE", "/components/poet");
    // The retention removes versions of deleted components.
    await executeSql(database, "delete from component_versions");
    const again = await calls.send("POST", "/components", poet);
    expect([again.status, again.body.current_version]).toEqual([201, 2]);
    const background = { session_id: "s", background: "true" };
    await calls.run("agents/holder", background);
    await gate.crowd(1);
    const { body } = await calls.run("agents/poet", background);
    expect((await calls.send("DELETE", "/components/poet")).status).toBe(204);
    expect(await statusOf(database, body.run_id)).toBe("PENDING");
    gate.open();
    await eventually(async () => expect(await statusOf(database, body.run_id)).toBe("COMPLETED"));
  });

  test("a paused run of a deleted component that continues behind another run is executed when its turn comes", async () => {
    const database = await openDatabase();
    const gate = new Gate();
    const sign = defineTool({
      ...{ name: "sign", description: "Signs", input: z.object({}), confirm: true },
      execute: () => "signed",
    });
    const model = scriptedModel(({ results }) =>
      results.length > 0 ? "Signed." : { toolCalls: [{ name: "sign", input: {} }] },
    );
    const clerk = defineAgent({ id: "clerk", model, tools: [sign] });
    const { server, calls } = await open(database, { agents: [clerk, holder(gate)] });
    await using _ = server;
    await calls.send("POST", "/components", {
      ...{ name: "Notary", component_type: "agent", config: { tools: ["sign"] }, stage: "published" },
    });
    const { body: paused } = await calls.run("agents/notary", { session_id: "s" });
    expect(paused.status).toBe("PAUSED");
    expect((await calls.send("DELETE", "/components/notary")).status).toBe(204);
    await calls.run("agents/holder", { session_id: "s", background: "true" });
    await gate.crowd(1);
    const continued = await calls.send("POST", `/agents/notary/runs/${paused.run_id}/continue`, {
      ...{ session_id: "s", stream: false, background: "true" },
      tools: JSON.stringify([{ ...paused.tools[0], confirmed: true }]),
    });
    expect([continued.status, await statusOf(database, paused.run_id)]).toEqual([202, "PENDING"]);
    gate.open();
    await eventually(async () => expect(await statusOf(database, paused.run_id)).toBe("COMPLETED"));
  });

  test("metadata of more than 20,000 characters is rejected", async () => {
    const { server, calls } = await open(await openDatabase(), { agents: [researcher] });
    await using _ = server;
    const component = { name: "Poet", component_type: "agent", metadata: { text: "x".repeat(20_000) } };
    expect((await calls.send("POST", "/components", component)).status).toBe(422);
    expect((await calls.send("POST", "/components", { ...component, metadata: {} })).status).toBe(201);
    expect((await calls.send("PATCH", "/components/poet", { metadata: component.metadata })).status).toBe(422);
  });

  test("a start names a version: a published one, a draft, and none that does not exist", async () => {
    const { server, calls } = await open(await openDatabase(), { agents: [researcher] });
    await using _ = server;
    // Code alone defines the component: the number has no effect.
    expect((await calls.run("agents/researcher", { version: "7" })).body.content).toBe("I am told: code");
    const one = await calls.publish("researcher", { instructions: "one" });
    const two = await calls.publish("researcher", { instructions: "two" });
    const draft = await calls.send("POST", "/components/researcher/configs", { config: { instructions: "draft" } });
    const started = async (version: number | string) =>
      (await calls.run("agents/researcher", { version: String(version) })).body;
    expect(await started(one)).toMatchObject({ content: "I am told: one", component_version: one });
    expect(await started(two)).toMatchObject({ content: "I am told: two", component_version: two });
    expect(await started(draft.body.version)).toMatchObject({
      content: "I am told: draft",
      component_version: draft.body.version,
    });
    expect((await calls.run("agents/researcher")).body.content).toBe("I am told: two");
    for (const [version, text] of [
      ["9", "Config researcher v9 not found"],
      ["latest", "Config researcher with this version not found"],
    ] as const) {
      const { status, body } = await calls.run("agents/researcher", { version });
      expect([status, body.detail]).toEqual([404, text]);
    }
    const inCode = await calls.run("agents/researcher", { version: "code" });
    expect(inCode.body.content).toBe("I am told: code");
    expect(inCode.body).not.toHaveProperty("component_version");
  });

  test("a run keeps its version while another one is published, across a restart in the middle of a call", async () => {
    const database = await openDatabase();
    let held: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (held = resolve));
    const platform = (hold?: () => void): Omit<PlatformOptions, "id"> => {
      const look = defineTool({
        ...{ name: "look", description: "Looks", input: z.object({}), idempotent: true },
        async execute(_, { signal }) {
          hold?.();
          if (hold)
            await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          return "seen";
        },
      });
      const model = scriptedModel(({ results, system }) =>
        results.length > 0 ? `I am told: ${system}` : { toolCalls: [{ name: "look", input: {} }] },
      );
      const member = defineAgent({
        id: "member",
        model,
        instructions: "code",
        tools: [look],
        onDefinitionChange: "fail",
      });
      const leader = scriptedModel(({ results: [result], system }) =>
        result
          ? `${/leader \w+/.exec(system)?.[0]} hears ${result.text}`
          : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "member", task: "look" } }] },
      );
      const team = defineTeam({
        id: "desk",
        model: leader,
        instructions: "leader code",
        members: [member],
        onDefinitionChange: "fail",
      });
      return { agents: [member], teams: [team] };
    };
    let runId = "";
    {
      const { server, calls } = await open(database, platform(held));
      await using _ = server;
      await calls.publish("member", { instructions: "one" });
      await calls.publish("desk", { instructions: "leader one" });
      const stream = await server.client.stream("/teams/desk/runs", { message: "go", session_id: "s" });
      ({ runId } = stream);
      await waits;
      await calls.publish("member", { instructions: "two" });
      await calls.publish("desk", { instructions: "leader two" });
      await calls.send("DELETE", "/components/member");
    }
    const { server, calls } = await open(database, platform());
    await using _ = server;
    const record = await eventually(async () => {
      const found = await server.client.record("teams/desk", { runId, sessionId: "s" });
      expect(found.status).toBe("COMPLETED");
      return found;
    });
    expect(record).toMatchObject({ content: "leader one hears I am told: one", component_version: 1 });
    expect((await calls.run("teams/desk")).body.content).toBe("leader two hears I am told: code");
    const events = await server.client.stream(`/teams/desk/runs/${runId}/resume`, { last_event_index: "-1" });
    await events.closed;
    const begun = events.events
      .filter(({ event }) => event?.endsWith("RunStarted"))
      .map(({ data }) => data.component_version);
    expect(new Set(begun)).toEqual(new Set([1]));
  });

  test("a version that cannot be built leaves the one before in use, and a new process uses the code", async () => {
    const database = await openDatabase();
    const look = defineTool({ name: "look", description: "Looks", input: z.object({}), execute: () => "" });
    {
      const { server, calls } = await open(database, { agents: [researcher], parts: { tools: [look] } });
      await using _ = server;
      await calls.publish("researcher", { instructions: "one", tools: ["look"] });
      await calls.send("POST", "/components", {
        ...{ name: "Poet", component_type: "agent", config: { tools: ["look"] }, stage: "published" },
      });
      expect((await calls.run("agents/poet")).status).toBe(200);
    }
    const lines: [object, string][] = [];
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (...line: [object, string]) => void lines.push(line),
    };
    const server = await openServer(database, { agents: [researcher] }, log);
    await using _ = server;
    const calls = new Calls(server);
    expect((await calls.run("agents/researcher")).body.content).toBe("I am told: code");
    const unusable = await calls.run("agents/poet");
    expect([unusable.status, unusable.body.detail]).toEqual([
      ...[503, 'Version 1 of the agent "poet" cannot be used by this server.'],
    ]);
    expect(lines.map(([fields]) => fields)).toEqual([
      { component: "agent/researcher", version: 1, reason: expect.stringContaining('"look"') },
      { component: "agent/poet", version: 1, reason: expect.stringContaining('"look"') },
    ]);
    const shown = await calls.send("GET", "/components/poet");
    expect(shown.body).toMatchObject({ current_version: 1, error: expect.stringContaining('"look"') });
    // A version that can be built mends it.
    await calls.publish("researcher", { instructions: "two" });
    expect((await calls.run("agents/researcher")).body.content).toBe("I am told: two");
  });

  if (kind === "postgres")
    test("another replica uses a new version, and after a rollback the earlier one", async () => {
      const database = await openDatabase();
      await using one = await openServer(database, { agents: [researcher] });
      await using other = await openServer(database, { agents: [researcher] });
      const [calls, others] = [new Calls(one), new Calls(other)];
      const answersAtOther = (text: string) =>
        eventually(async () => expect((await others.run("agents/researcher")).body.content).toBe(`I am told: ${text}`));
      const first = await calls.publish("researcher", { instructions: "one" });
      await answersAtOther("one");
      await calls.publish("researcher", { instructions: "two" });
      await answersAtOther("two");
      await calls.setCurrent("researcher", first);
      expect((await calls.run("agents/researcher")).body.content).toBe("I am told: one");
      await answersAtOther("one");
    });
});
