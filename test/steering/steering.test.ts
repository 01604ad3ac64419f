/** Messages that callers put into live runs. */
import { expect, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../client/index.ts";
import { defineAgent, defineTeam, defineTool, defineWorkflow, type PlatformOptions, step } from "../../src/index.ts";
import { system } from "../../src/model/principal.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import { Client } from "../conformance/support/client.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

/** The user messages and the texts of the model in a prompt, in order. */
function heard({ prompt }: ScriptedCall): string[] {
  return prompt.flatMap((message) => {
    if (message.role !== "user" && message.role !== "assistant") return [];
    const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
    return text === "" ? [] : [`${message.role}: ${text}`];
  });
}

/** A platform whose tool waits at a gate, and the prompts of its model. */
function office(gate = new Gate()) {
  const prompts: string[][] = [];
  const wait = defineTool({
    name: "wait",
    description: "Waits.",
    input: z.object({}),
    async execute() {
      await gate.pass();
      return "waited";
    },
  });
  const ask = defineTool({
    name: "ask",
    description: "Asks.",
    input: z.object({}),
    confirm: true,
    execute: () => "yes",
  });
  const script = (call: ScriptedCall): ScriptedTurn | string => {
    const said = heard(call);
    prompts.push(said);
    const { message, results } = call;
    if (results.length === 0 && message === "work") return { toolCalls: [{ name: "wait" }] };
    if (results.length === 0 && message === "ask") return { toolCalls: [{ name: "ask" }] };
    if (message === "endless") return { text: Array.from({ length: 10_000 }, () => "on "), delay: 10 };
    if (message.startsWith("run ")) return { text: ["So ", "far. ", `You said ${message}.`], delay: 10 };
    if (message === "slow") return { text: Array.from({ length: 20 }, (_, place) => `w${place} `), delay: 10 };
    return `You said ${message}.`;
  };
  const model = scriptedModel(script);
  const clerk = defineAgent({ id: "clerk", model, tools: [wait, ask] });
  const member = defineAgent({ id: "member", model });
  const desk = defineTeam({ id: "desk", model, members: [member], tools: [wait] });
  const flow = defineWorkflow({ id: "flow", steps: [step({ name: "one", agent: clerk })] });
  const hosted: Omit<PlatformOptions, "id"> = { agents: [clerk], teams: [desk], workflows: [flow] };
  return { gate, prompts, hosted };
}

const clientOf = (server: OpenServer): Client => new Client(server.client.address.href);
const runs = "/agents/clerk/runs";

async function begin(client: Client, message: string, path = runs, fields: object = {}): Promise<Any> {
  const { status, json } = await client.post(path, { message, stream: false, background: true, ...fields });
  expect(status).toBe(202);
  return json;
}

const send = (client: Client, run: Any, message: string, fields: object = {}, headers = {}, path = runs) =>
  client.post(`${path}/${run.run_id}/messages`, { message, ...fields }, headers);

async function finished(client: Client, run: Any, path = runs): Promise<Any> {
  return await eventually(async () => {
    const { json } = await client.get(`${path}/${run.run_id}?session_id=${run.session_id}`);
    expect(["COMPLETED", "ERROR", "CANCELLED"]).toContain(json.status);
    return json;
  });
}

/** Names of the events of a run without the chunks of its answers. */
async function eventsOf(server: OpenServer, run: Any, path = "agents/clerk"): Promise<Any[]> {
  const frames = await server.client.log(path, run.run_id);
  return frames.map(({ data }) => data).filter(({ event }) => !/RunContent$/.test(event));
}

eachDatabase("a message to a live run", (openDatabase, kind) => {
  test("is taken after the current tool results and before the next model request, once for its key", async () => {
    const { gate, prompts, hosted } = office();
    await using server = await openServer(await openDatabase(), hosted);
    const client = clientOf(server);
    const run = await begin(client, "work");
    await gate.crowd(1);
    const key = { "idempotency-key": "k1" };
    const first = await send(client, run, "and this", {}, key);
    expect([first.status, first.json]).toEqual([
      202,
      {
        ...{ message_id: expect.any(String), run_id: run.run_id, session_id: run.session_id, mode: "queue" },
        run_status: "RUNNING",
      },
    ]);
    const again = await send(client, run, "and this", {}, key);
    expect([again.status, again.json, again.headers["idempotency-replayed"]]).toEqual([202, first.json, "true"]);
    expect((await send(client, run, "something else", {}, key)).status).toBe(422);
    await send(client, run, "and that");
    gate.open();
    const record = await finished(client, run);
    expect(record.content).toBe("You said and that.");
    expect(prompts).toEqual([["user: work"], ["user: work", "user: and this", "user: and that"]]);
    const events = await eventsOf(server, run);
    expect(events.map(({ event }) => event)).toEqual([
      ...["RunStarted", "ModelRequestStarted", "ModelRequestCompleted", "ToolCallStarted", "ToolCallCompleted"],
      ...["RunMessage", "RunMessage", "ModelRequestStarted", "ModelRequestCompleted", "RunContentCompleted"],
      "RunCompleted",
    ]);
    expect(events[5]).toMatchObject({ message_id: first.json.message_id, content: "and this", mode: "queue" });
  });

  test("continues the run after the answer that the model gives meanwhile", async () => {
    const { prompts, hosted } = office();
    await using server = await openServer(await openDatabase(), hosted);
    const client = clientOf(server);
    const run = await begin(client, "slow");
    await eventually(() => expect(prompts).toHaveLength(1));
    expect((await send(client, run, "more")).status).toBe(202);
    const record = await finished(client, run);
    expect(record.content).toContain("w19");
    expect(record.content).toContain("You said more.");
    expect(prompts[1]?.at(-1)).toBe("user: more");
  });

  test("with the mode interrupt stops the model request, and the run keeps what was said", async () => {
    const { prompts, hosted } = office();
    await using server = await openServer(await openDatabase(), hosted);
    const client = clientOf(server);
    const stream = await server.client.start("agents/clerk", "x", { message: "endless" });
    const run = { run_id: stream.runId, session_id: "" };
    await eventually(() =>
      expect(stream.frames.filter(({ event }) => event === "RunContent").length).toBeGreaterThan(3),
    );
    expect((await send(client, run, "stop that", { mode: "interrupt" })).status).toBe(202);
    await stream.closed;
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toEqual(["user: endless", expect.stringMatching(/^assistant: on /), "user: stop that"]);
    const events = stream.events.map(({ data }) => data).filter(({ event }) => event !== "RunContent");
    expect(events.find(({ event }) => event === "ModelRequestCompleted")).toMatchObject({ interrupted: true });
    expect(events.at(-1)).toMatchObject({
      event: "RunCompleted",
      content: expect.stringMatching(/You said stop that\.$/),
    });
  });

  test("waits while the run is paused or waits for its turn", async () => {
    const { gate, prompts, hosted } = office();
    await using server = await openServer(await openDatabase(), hosted);
    const client = clientOf(server);
    const paused = (await client.post(runs, { message: "ask", stream: false })).json;
    const sent = await send(client, paused, "by the way");
    expect([sent.status, sent.json.run_status]).toEqual([202, "PAUSED"]);
    const tools = JSON.stringify(paused.tools.map((tool: object) => ({ ...tool, confirmed: true })));
    const go = { tools, session_id: paused.session_id, stream: false };
    const { json } = await client.post(`${runs}/${paused.run_id}/continue`, go);
    expect(json.content).toBe("You said by the way.");
    const before = await begin(client, "work", runs, { session_id: "busy" });
    await gate.crowd(1);
    const waiting = await begin(client, "hello", runs, { session_id: "busy" });
    expect((await send(client, waiting, "hello again")).json.run_status).toBe("PENDING");
    gate.open();
    await finished(client, before);
    expect((await finished(client, waiting)).content).toBe("You said hello again.");
    expect(prompts.at(-1)).toEqual(["user: hello", "user: hello again"]);
  });

  test("is rejected once the accepted messages of the run have 16 MiB; a repeated one is still answered", async () => {
    await using server = await openServer(await openDatabase(), office().hosted);
    const client = clientOf(server);
    const paused = (await client.post(runs, { message: "ask", stream: false })).json;
    const [large, headers] = ["x".repeat(1024 * 1024), { "idempotency-key": "first" }];
    const first = await send(client, paused, large, {}, headers);
    for (let count = 1; count < 16; count++) expect((await send(client, paused, large)).status).toBe(202);
    expect((await send(client, paused, "more")).status).toBe(429);
    const repeated = await send(client, paused, large, {}, headers);
    expect([repeated.status, repeated.json.message_id]).toEqual([202, first.json.message_id]);
  });

  test("goes to the leader of a team; runs of workflows and ended runs answer 409, unknown ones 404", async () => {
    const { gate, hosted } = office();
    await using server = await openServer(await openDatabase(), hosted);
    const client = clientOf(server);
    const team = await begin(client, "work", "/teams/desk/runs");
    await gate.crowd(1);
    expect((await send(client, team, "for the leader", {}, {}, "/teams/desk/runs")).status).toBe(202);
    const flow = await begin(client, "work", "/workflows/flow/runs");
    await gate.crowd(2);
    expect((await send(client, flow, "x", {}, {}, "/workflows/flow/runs")).status).toBe(409);
    gate.open();
    expect((await finished(client, team, "/teams/desk/runs")).content).toBe("You said for the leader.");
    const late = await send(client, team, "late", {}, {}, "/teams/desk/runs");
    expect([late.status, late.json.detail]).toEqual([409, expect.stringContaining("COMPLETED")]);
    expect((await send(client, { run_id: "none" }, "x")).status).toBe(404);
    expect((await send(client, team, "x")).status).toBe(404);
    const live = await begin(client, "endless");
    expect((await send(client, live, " ")).status).toBe(400);
    expect((await send(client, live, "x", { mode: "shout" })).status).toBe(422);
    await client.post(`${runs}/${live.run_id}/cancel`);
  });

  test("continues the answer of a run that was about to end with the result of a tool", async () => {
    const gate = new Gate();
    const prompts: string[][] = [];
    const model = scriptedModel((call) => {
      prompts.push(heard(call));
      if (call.message !== "finish") return `You said ${call.message}.`;
      return { text: "A moment.", toolCalls: [{ name: "finish" }] };
    });
    const finish = defineTool({
      ...{ name: "finish", description: "Ends the run.", input: z.object({}), stopAfterCall: true },
      execute: () => "All done.",
    });
    const hooks = { afterRun: () => gate.pass() };
    const closer = defineAgent({ id: "closer", model, tools: [finish], hooks });
    await using server = await openServer(await openDatabase(), { agents: [closer] });
    const client = clientOf(server);
    const path = "/agents/closer/runs";
    const stream = await server.client.start("agents/closer", "x", { message: "finish" });
    await gate.crowd(1);
    expect((await send(client, { run_id: stream.runId }, "more", {}, {}, path)).status).toBe(202);
    gate.open();
    await stream.closed;
    const text = "All done.\n\nYou said more.";
    expect(stream.events.at(-1)?.data).toMatchObject({ event: "RunCompleted", content: text });
    const contents = stream.events.filter(({ event }) => event === "RunContent").map(({ data }) => data.content);
    expect(contents.join("")).toBe(`A moment.${text}`);
    expect(prompts.at(-1)).toEqual(["user: finish", "assistant: A moment.", "assistant: All done.", "user: more"]);
  });

  test("of another user, or without the scope to run the component, is rejected", async () => {
    const pair = makePair();
    const { gate, hosted } = office();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using server = await openServer(await openDatabase(), { ...hosted, authorization });
    const client = clientOf(server);
    const as = (sub: string, ...scopes: string[]) => bearer(token({ sub, scopes }, pair));
    const alice = as("alice", "agents:run", "agents:read");
    const start = { message: "work", stream: false, background: true, session_id: "s" };
    const { json: run } = await client.post(runs, start, alice);
    await gate.crowd(1);
    const session = { session_id: "s" };
    expect((await send(client, run, "x", session, as("bob", "agents:run"))).status).toBe(404);
    expect((await send(client, run, "x", session, as("alice", "agents:read"))).status).toBe(403);
    expect((await send(client, run, "x", session)).status).toBe(401);
    expect((await send(client, run, "x", {}, alice)).status).toBe(400);
    expect((await send(client, run, "x", session, alice)).status).toBe(202);
    gate.open();
  });

  test("is neither lost nor repeated when another process takes the run over", async () => {
    const first = office();
    const database = await openDatabase();
    const one = await openServer(database, first.hosted);
    const client = clientOf(one);
    const run = await begin(client, "work");
    await first.gate.crowd(1);
    await send(client, run, "before");
    first.gate.open();
    // The run has taken the message, and its answer to the next one does not end.
    await eventually(() => expect(first.prompts).toHaveLength(2));
    const open = await begin(client, "endless", runs, { session_id: "other" });
    await send(client, open, "still waiting");
    await one.end(0);
    const second = office();
    second.gate.open();
    await using two = await openServer(database, second.hosted);
    const done = await finished(clientOf(two), run);
    expect(done.status).toBe("COMPLETED");
    const messages = (await eventsOf(two, run)).filter(({ event }) => event === "RunMessage");
    expect(messages.map(({ content }) => content)).toEqual(["before"]);
    const other = await finished(clientOf(two), open);
    expect(other.content).toMatch(/You said still waiting\.$/);
    const taken = (await eventsOf(two, open)).filter(({ event }) => event === "RunMessage");
    expect(taken.map(({ content }) => content)).toEqual(["still waiting"]);
  });

  test("that is accepted while the run ends is answered: no accepted message is lost", async () => {
    const { hosted } = office();
    const database = await openDatabase();
    await using one = await openServer(database, hosted);
    await using two = kind === "postgres" ? await openServer(database, hosted) : undefined;
    const client = clientOf(one);
    const other = two ? clientOf(two) : client;
    await Promise.all(
      Array.from({ length: 30 }, async (_, place) => {
        const run = await begin(client, `run ${place}`, runs, { session_id: `s${place}` });
        for (let tries = 0; tries < place % 6; tries++) await client.get("/health");
        const { status } = await send(other, run, `late ${place}`);
        const record = await finished(client, run);
        expect([status, record.status]).toEqual([expect.toBeOneOf([202, 409]), "COMPLETED"]);
        expect(String(record.content).endsWith(`You said late ${place}.`)).toBe(status === 202);
      }),
    );
  });

  test("whose signal is lost is taken before the run ends", async () => {
    const { gate, prompts, hosted } = office();
    await using server = await openServer(await openDatabase(), hosted);
    const client = clientOf(server);
    const run = await begin(client, "work");
    await gate.crowd(1);
    const located = await server.store.locateRun(system, run.run_id);
    const message = { id: "m1", content: "unheard", mode: "queue" } as const;
    const outcome = await server.store.steer(located?.key ?? 0, message, Date.now());
    expect(outcome).toMatchObject({ kind: "accepted", isRepeated: false });
    gate.open();
    const record = await finished(client, run);
    expect(record.content).toContain("You said unheard.");
    // The first answer does not know the message.
    expect(prompts.map((said) => said.at(-1))).toEqual(["user: work", "user: work", "user: unheard"]);
    const names = (await eventsOf(server, run)).map(({ event }) => event);
    expect(names.filter((name) => name === "RunStarted" || name === "RunCompleted")).toHaveLength(2);
  });

  test("is sent by run.send of the client, and its event is typed", async () => {
    const { gate, hosted } = office();
    await using server = await openServer(await openDatabase(), hosted);
    const client = createClient({ url: server.client.address.href });
    const run = await client.agent("clerk").start("work");
    await gate.crowd(1);
    const id = await run.send("and this");
    gate.open();
    const found: unknown[] = [];
    for await (const event of run) if (event.event === "RunMessage") found.push([event.message_id, event.content]);
    expect(found).toEqual([[id, "and this"]]);
    await expect(run.send("late")).rejects.toMatchObject({ status: 409 });
  });
});
