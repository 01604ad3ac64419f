/** Webhooks of a running server: events, signatures, order, retries, replicas, replay, isolation and addresses. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTool, type PlatformOptions, type WebhookOptions } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { Client } from "../conformance/support/client.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { openReceiver, type Receiver, secret } from "./support/receiver.ts";

const ask = defineTool({
  name: "ask",
  description: "Asks",
  input: z.object({}),
  confirm: true,
  execute: () => "asked",
});

const clerk = defineAgent({
  id: "clerk",
  tools: [ask],
  sessionPolicy: "parallel",
  model: scriptedModel(({ message, results: [result] }) => {
    if (result) return `The tool said ${result.text}`;
    if (message === "ask") return { toolCalls: [{ name: "ask", input: {} }] };
    if (message === "explode") return { error: { message: "secret of the model", status: 400 } };
    if (message === "endless") return { text: Array.from({ length: 10_000 }, () => "on "), delay: 20 };
    return `You said: ${message}`;
  }),
});

const all = ["run.completed", "run.failed", "run.cancelled", "run.paused"] as const;
const local = { allowHttp: true, allowPrivate: true };
const quick = { webhookRetryInterval: 30, maxWebhookRetryInterval: 60, maxWebhookAttempts: 1_000 };

function hosted(webhooks: readonly WebhookOptions[], more: Partial<PlatformOptions> = {}): Omit<PlatformOptions, "id"> {
  return { agents: [clerk], webhooks, runWebhooks: local, ...more, settings: { ...quick, ...more.settings } };
}

const to = ({ url }: Receiver, more: Partial<WebhookOptions> = {}): WebhookOptions => ({
  ...{ url, secret, events: all, id: "books" },
  ...local,
  ...more,
});

const clientOf = (server: OpenServer): Client => new Client(server.client.address.href);
const runs = "/agents/clerk/runs";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

const start = async (client: Client, message: string, fields: object = {}, headers = {}): Promise<Any> =>
  (await client.post(runs, { message, stream: false, ...fields }, headers)).json;

const types = (got: Receiver["got"]): string[] => got.map(({ body }) => body.type);

eachDatabase("a webhook", (openDatabase, kind) => {
  test("receives the end of each run, with the stored event and an id of run and event index", async () => {
    await using receiver = await openReceiver();
    await using server = await openServer(await openDatabase(), hosted([to(receiver)]));
    const client = clientOf(server);
    const run = await start(client, "hello", { session_id: "s", metadata: JSON.stringify({ order: 7 }) });
    await eventually(() => expect(types(receiver.got)).toEqual(["run.completed"]));
    const [{ id, body } = { id: "", body: {} as Any }] = receiver.got;
    const { event_index: index } = body.data;
    expect(id).toBe(`${run.run_id}.${index}`);
    expect(body).toEqual({
      type: "run.completed",
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        ...{ run_id: run.run_id, session_id: "s", user_id: null, component_type: "agent", component_id: "clerk" },
        ...{ component_name: "clerk", metadata: { order: 7 }, event_index: index },
        event: expect.objectContaining({ event: "RunCompleted", content: "You said: hello", event_index: index }),
      },
    });
    const failed = await start(client, "explode");
    const { run_id: endless } = (await client.post(runs, { message: "endless", stream: false, background: true })).json;
    await eventually(async () => {
      const { json } = await client.post(`${runs}/${endless}/cancel`, {});
      expect(json.detail).toBeUndefined();
    });
    await eventually(() =>
      expect(types(receiver.got).sort()).toEqual(["run.cancelled", "run.completed", "run.failed"]),
    );
    const failure = receiver.got.find(({ body: { type } }) => type === "run.failed")?.body;
    expect(failure.data).toMatchObject({ run_id: failed.run_id, event: { event: "RunError" } });
  });

  test("receives the pause before the end, also while it was down, and each message once per id", async () => {
    await using receiver = await openReceiver(secret, 503);
    await using server = await openServer(await openDatabase(), hosted([to(receiver)]));
    const client = clientOf(server);
    const started = await Promise.all(Array.from({ length: 5 }, () => start(client, "ask")));
    for (const { run_id, session_id, tools } of started) {
      const answer = JSON.stringify(tools.map((tool: object) => ({ ...tool, confirmed: true })));
      const go = { tools: answer, session_id, stream: false };
      expect((await client.post(`${runs}/${run_id}/continue`, go)).json.status).toBe("COMPLETED");
    }
    // Each run waits with its first message; the second one is never sent before it.
    await eventually(() => expect(receiver.asked.length).toBeGreaterThan(15));
    expect(new Set(receiver.asked).size).toBe(5);
    receiver.answer(200);
    await eventually(() => expect(receiver.got).toHaveLength(10));
    expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(10);
    for (const { run_id } of started) {
      const own = receiver.got.filter(({ body }) => body.data.run_id === run_id);
      expect(types(own)).toEqual(["run.paused", "run.completed"]);
    }
    await eventually(async () => {
      const { json: log } = await client.get("/webhooks/deliveries?limit=100");
      expect(log.map(({ state }: Any) => state)).toEqual(Array.from({ length: 10 }, () => "delivered"));
    });
  });

  test("of a run receives its events until it answers 410", async () => {
    await using receiver = await openReceiver(secret, 410);
    await using server = await openServer(await openDatabase(), hosted([]));
    const client = clientOf(server);
    const webhooks = JSON.stringify([{ url: receiver.url, secret, events: ["run.paused", "run.completed"] }]);
    const run = await start(client, "ask", { webhooks });
    const path = `/webhooks/deliveries?run_id=${run.run_id}`;
    await eventually(async () => expect((await client.get(path)).json[0]?.state).toBe("failed"));
    receiver.answer(200);
    const tools = JSON.stringify(run.tools.map((tool: object) => ({ ...tool, confirmed: true })));
    await client.post(`${runs}/${run.run_id}/continue`, { tools, session_id: run.session_id, stream: false });
    await eventually(async () => {
      const { json } = await client.get(path);
      expect(json.map(({ event, state, status_code }: Any) => [event, state, status_code])).toEqual([
        ["run.completed", "disabled", null],
        ["run.paused", "failed", 410],
      ]);
    });
    expect(receiver.got).toEqual([]);
    expect(JSON.stringify((await client.get(`${runs}/${run.run_id}?session_id=${run.session_id}`)).json)).not.toContain(
      "whsec_",
    );
  });

  test("gets a delivery again on request, with the same id; the list has filters and pages", async () => {
    await using receiver = await openReceiver();
    await using server = await openServer(await openDatabase(), hosted([to(receiver)]));
    const client = clientOf(server);
    for (const message of ["one", "two", "explode"]) await start(client, message);
    await eventually(() => expect(receiver.got).toHaveLength(3));
    await eventually(async () => expect((await client.get("/webhooks/deliveries?state=pending")).json).toEqual([]));
    const first = await client.get("/webhooks/deliveries?limit=2");
    const link = first.headers.link as string;
    const next = /^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? "";
    const rest = await client.get(next);
    expect([...first.json, ...rest.json].map(({ event }: Any) => event)).toEqual([
      ...["run.failed", "run.completed", "run.completed"],
    ]);
    expect(rest.headers.link).toBeUndefined();
    expect((await client.get("/webhooks/deliveries?event=run.failed")).json).toHaveLength(1);
    expect((await client.get("/webhooks/deliveries?webhook_id=other")).json).toEqual([]);
    expect((await client.get("/webhooks/deliveries?cursor=x")).status).toBe(422);
    const [one] = rest.json;
    expect((await client.get(`/webhooks/deliveries/${one.id}`)).json).toEqual(one);
    expect(one).toMatchObject({ state: "delivered", attempts: 1, status_code: 200, webhook_id: "books" });
    const replayed = await client.send(`/webhooks/deliveries/${one.id}/replay`, { method: "POST" });
    expect(replayed).toMatchObject({
      status: 200,
      json: { id: one.id, state: expect.stringMatching(/^(pending|delivered)$/) },
    });
    await eventually(() => expect(receiver.got).toHaveLength(4));
    expect(receiver.got[3]).toEqual(receiver.got.find(({ id }) => one.id.startsWith(id)));
    expect((await client.send("/webhooks/deliveries/unknown/replay", { method: "POST" })).status).toBe(404);
  });

  test("verifies with each secret of a list, and gets runs of its components only", async () => {
    const next = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
    await using old = await openReceiver(secret);
    await using fresh = await openReceiver(next);
    const rotated = { secret: [secret, next] };
    const other = defineAgent({ id: "other", model: scriptedModel(() => "other") });
    const hooks = [to(old, rotated), to(fresh, { ...rotated, id: "fresh", components: ["agents/other"] })];
    await using server = await openServer(await openDatabase(), hosted(hooks, { agents: [clerk, other] }));
    const client = clientOf(server);
    await start(client, "hello");
    await client.post("/agents/other/runs", { message: "hello", stream: false });
    await eventually(() => expect([old.got.length, fresh.got.length]).toEqual([2, 1]));
    expect(fresh.got[0]?.body.data.component_id).toBe("other");
  });

  test("shows deliveries to the user of the run and to admins only, and a start with webhooks needs the scope", async () => {
    const pair = makePair();
    await using receiver = await openReceiver();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    await using server = await openServer(await openDatabase(), hosted([to(receiver)], { authorization }));
    const client = clientOf(server);
    const usual = ["agents:run", "agents:read", "sessions:read"];
    const as = (sub: string, ...scopes: string[]) => bearer(token({ sub, scopes: [...usual, ...scopes] }, pair));
    const alice = as("alice", "webhooks:read", "webhooks:write");
    const bob = as("bob", "webhooks:read", "webhooks:write");
    await start(client, "hello", {}, alice);
    await eventually(() => expect(receiver.got).toHaveLength(1));
    const [delivery] = (await client.get("/webhooks/deliveries", alice)).json;
    expect(delivery).toBeDefined();
    expect((await client.get("/webhooks/deliveries", bob)).json).toEqual([]);
    expect((await client.get(`/webhooks/deliveries/${delivery.id}`, bob)).status).toBe(404);
    const replay = { method: "POST", headers: bob };
    expect((await client.send(`/webhooks/deliveries/${delivery.id}/replay`, replay)).status).toBe(404);
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    expect((await client.get("/webhooks/deliveries", admin)).json).toHaveLength(1);
    expect((await client.get("/webhooks/deliveries", as("alice"))).status).toBe(403);
    const webhooks = JSON.stringify([{ url: receiver.url, secret }]);
    const rejected = await client.post(runs, { message: "hello", stream: false, webhooks }, as("alice"));
    expect(rejected.status).toBe(403);
    await start(client, "hello", { webhooks }, alice);
    await eventually(() => expect(receiver.got).toHaveLength(3));
  });

  test("with a hostile address or a malformed field is rejected, and no run starts", async () => {
    await using server = await openServer(await openDatabase(), { agents: [clerk] });
    const client = clientOf(server);
    const bad = [
      ...["http://client.example/", "https://127.0.0.1/", "https://localhost/", "https://169.254.169.254/latest"],
      ...["https://[::1]/", "https://10.0.0.1/", "https://user:pw@client.example/", "https://client.example:25/", "x"],
    ].map((url) => ({ url, secret }));
    const good = { url: "https://client.example/", secret };
    const faulty: unknown[] = [
      ...bad,
      ...[
        { ...good, secret: "short" },
        { ...good, secret: [] },
        { ...good, events: [] },
        { ...good, events: ["no"] },
      ],
      { ...good, events: ["schedule.failed"] },
    ];
    for (const hook of faulty) {
      const { status } = await client.post(runs, { message: "hello", stream: false, webhooks: JSON.stringify([hook]) });
      expect([hook, status]).toEqual([hook, 422]);
    }
    const many = JSON.stringify(Array.from({ length: 6 }, () => good));
    expect((await client.post(runs, { message: "hello", webhooks: many })).status).toBe(422);
    expect((await client.post(runs, { message: "hello", webhooks: "{" })).status).toBe(422);
    expect((await client.get("/runs")).json).toEqual([]);
  });

  test("that resolves to an inner address is not called", async () => {
    await using receiver = await openReceiver();
    const strict = to(receiver, { allowPrivate: false, url: receiver.url.replace("127.0.0.1", "localhost") });
    const settings = { maxWebhookAttempts: 2 };
    await using server = await openServer(await openDatabase(), hosted([strict], { settings }));
    const client = clientOf(server);
    await start(client, "hello");
    await eventually(async () => {
      expect((await client.get("/webhooks/deliveries")).json[0]).toMatchObject({ state: "failed", status_code: null });
    });
    expect(receiver.asked).toEqual([]);
  });

  test("receives the failure of a schedule that is not retried", async () => {
    await using receiver = await openReceiver();
    const hook = to(receiver, { events: ["schedule.failed"] });
    await using server = await openServer(await openDatabase(), hosted([hook]));
    const client = clientOf(server);
    const body = {
      ...{ name: "nightly", cron_expr: "0 3 * * *", endpoint: runs, payload: { message: "explode" }, max_retries: 0 },
    };
    const headers = { "content-type": "application/json" };
    const schedule = (await client.send("/schedules", { method: "POST", headers, body: JSON.stringify(body) })).json;
    await client.send(`/schedules/${schedule.id}/trigger`, { method: "POST" });
    await eventually(() => expect(types(receiver.got)).toEqual(["schedule.failed"]));
    expect(receiver.got[0]?.body.data).toEqual({ schedule_id: schedule.id, fire_id: expect.any(String) });
    const { json } = await client.get(`/webhooks/deliveries?schedule_id=${schedule.id}`);
    expect(json).toHaveLength(1);
    await client.send(`/schedules/${schedule.id}`, { method: "DELETE" });
    expect((await client.get("/webhooks/deliveries")).json).toEqual([]);
  });

  test.runIf(kind === "postgres")(
    "is called by any replica, also for messages of a replica that has stopped",
    async () => {
      await using receiver = await openReceiver(secret, 503);
      const database = await openDatabase();
      const options = hosted([to(receiver)]);
      await using one = await openServer(database, options);
      await using two = await openServer(database, options);
      const clients = [clientOf(one), clientOf(two)];
      await Promise.all(Array.from({ length: 20 }, (_, place) => start(clients[place % 2] as Client, `${place}`)));
      await one.end(0);
      receiver.answer(200);
      await eventually(() => expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(20));
      await eventually(async () =>
        expect((await (clients[1] as Client).get("/webhooks/deliveries?state=pending")).json).toEqual([]),
      );
    },
  );
});

describe("definePlatform", () => {
  const good = { url: "https://client.example/hooks", secret, events: ["run.completed"] as const };
  test.each([
    [{ ...good, url: "http://client.example/" }, /url must begin with https/],
    [{ ...good, secret: "whsec_AAAA" }, /secret must be/],
    [{ ...good, events: ["run.complete"] }, /did you mean "run.completed"/],
    [{ ...good, id: "run-1" }, /id must have/],
    [{ ...good, components: ["agents/clerc"] }, /did you mean "agents\/clerk"/],
    [{ ...good, secrets: [secret] }, /no option "secrets"/],
  ])("rejects the webhook %j", async (hook, message) => {
    const { definePlatform } = await import("../../src/index.ts");
    expect(() => definePlatform({ id: "test", agents: [clerk], webhooks: [hook as WebhookOptions] })).toThrow(message);
  });
});
