/** Repeated starts with one Idempotency-Key, and the bounds of the queue of background runs. */
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import type { PlatformOptions } from "../../src/define/platform.ts";
import { operator, system } from "../../src/model/principal.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { isolated } from "../contract/store-fixtures.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";

eachDatabase("a start with an Idempotency-Key", (openDatabase) => {
  async function open(settings: PlatformOptions["settings"] = {}, gate?: Gate) {
    const model = scriptedModel(async ({ message }) => {
      await gate?.pass();
      return `Re: ${message}`;
    });
    const agents = ["one", "two"].map((id) => defineAgent({ id, model }));
    const server = await openServer(await openDatabase(), { agents, settings });
    onTestFinished(() => server.end(0));
    const runs = async (): Promise<number> =>
      (await server.store.listRuns(system, { kind: "agent", componentId: "one" })).length;
    return { server, client: server.client, runs };
  }
  const keyed = (key: string = randomUUID()) => ({ "idempotency-key": key });
  const path = "/agents/one/runs";
  const waited = { message: "hello", stream: false };
  const background = { ...waited, background: true };

  test("a repeated start returns the same body and starts no second run, also after the run has ended", async () => {
    const { client, runs } = await open();
    const headers = keyed();
    const first = await client.post(path, waited, headers);
    const again = await client.post(path, waited, headers);
    expect([first.status, first.body.content]).toEqual([200, "Re: hello"]);
    expect(again.body).toEqual(first.body);
    expect([first.headers["idempotency-replayed"], again.headers["idempotency-replayed"]]).toEqual([undefined, "true"]);
    expect(await runs()).toBe(1);
    expect((await client.post(path, waited, keyed())).body.run_id).not.toBe(first.body.run_id);
  });

  test("twenty starts at once with one key start one run", async () => {
    const gate = new Gate();
    const { client, runs } = await open({}, gate);
    const headers = keyed();
    const sent = Array.from({ length: 20 }, (_, n) => client.post(path, n < 10 ? waited : { ...waited }, headers));
    await gate.crowd(1);
    gate.open();
    const answers = await Promise.all(sent);
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ headers: { "idempotency-replayed": replayed } }) => replayed === "true").length).toBe(19);
    expect([await runs(), gate.passed]).toEqual([1, 1]);
  });

  test("[J17] a start with a run id of another caller is a conflict and creates no run", async () => {
    const { server, runs } = await open();
    const options = { stream: false, background: false };
    const what = { kind: "agent", componentId: "one", message: "x", media: [], execution: "now", options } as const;
    const start = { ...what, userId: undefined, runId: randomUUID(), sessionId: "s" };
    await server.engine.start(isolated("alice"), start);
    expect((await server.engine.start(isolated("alice"), start)).isRepeated).toBe(true);
    await expect(server.engine.start(isolated("bob"), start)).rejects.toMatchObject({ code: "conflict" });
    expect(await runs()).toBe(1);
  });

  test("a repeated background start returns 202 with the same body", async () => {
    const { client, runs } = await open();
    const headers = keyed();
    const first = await client.post(path, background, headers);
    const again = await client.post(path, background, headers);
    expect([again.status, again.body]).toEqual([202, first.body]);
    expect(await runs()).toBe(1);
  });

  test("a repeated stream replays from the beginning, or from the cursor in Last-Event-ID", async () => {
    const { client, runs } = await open();
    const headers = keyed();
    const first = await client.stream(path, { message: "hello" }, headers);
    await first.closed;
    const again = await client.stream(path, { message: "hello" }, headers);
    await again.closed;
    expect(again.events).toEqual(first.events);
    const rest = await client.stream(path, { message: "hello" }, { ...headers, "last-event-id": "2" });
    await rest.closed;
    expect(rest.events).toEqual(first.events.slice(3));
    expect(rest.metas).toEqual([]);
    expect(await runs()).toBe(1);
  });

  test("a cursor with a key of no earlier start returns 404 and starts no run", async () => {
    const { client, runs } = await open();
    const answer = await client.post(path, waited, { ...keyed(), "last-event-id": "2" });
    expect([answer.status, answer.body.error_code]).toEqual([404, "NOT_FOUND"]);
    expect(await runs()).toBe(0);
  });

  test("a key that another request has used returns 422", async () => {
    const { client, runs } = await open();
    const headers = keyed();
    await client.post(path, waited, headers);
    const others = [{ ...waited, message: "other" }, { ...waited, session_id: "s" }, { ...background }];
    for (const fields of others) {
      const { status, body } = await client.post(path, fields, headers);
      expect([status, body.error_code, body.detail]).toEqual([
        422,
        "VALIDATION_ERROR",
        expect.stringContaining("another request"),
      ]);
    }
    expect((await client.post("/agents/two/runs", waited, headers)).status).toBe(422);
    expect(await runs()).toBe(1);
  });

  test.each(["a b", "ä".repeat(3), "x".repeat(256)])("an invalid key returns 422: %j", async (key) => {
    const { client, runs } = await open();
    const { status, body } = await client.post(path, waited, {
      "idempotency-key": Buffer.from(key).toString("latin1"),
    });
    expect([status, body.error_code]).toEqual([422, "VALIDATION_ERROR"]);
    expect(await runs()).toBe(0);
  });

  test("an expired key starts a new run", async () => {
    const { client, runs } = await open({ idempotencyDuration: 1 });
    const headers = keyed();
    const ids = new Set<string>();
    for (let use = 0; use < 3; use++) {
      ids.add((await client.post(path, waited, headers)).body.run_id);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect([ids.size, await runs()]).toEqual([3, 3]);
  });

  test("a key stays valid after a restart, in another process", async () => {
    const database = await openDatabase();
    const hosted = { agents: [defineAgent({ id: "one", model: scriptedModel(() => "Hello.") })] };
    const headers = keyed();
    const before = await openServer(database, hosted);
    const first = await before.client.post(path, waited, headers);
    await before.end(0);
    await using after = await openServer(database, hosted);
    expect((await after.client.post(path, waited, headers)).body).toEqual(first.body);
  });

  test("background starts above maxQueuedRuns get 429, and accepted runs and keys are kept", async () => {
    const gate = new Gate();
    const { client, runs } = await open({ maxQueuedRuns: 2, maxBackgroundRuns: 1 }, gate);
    await client.post(path, background);
    await gate.crowd(1);
    const headers = keyed();
    await client.post(path, background, headers);
    // The engine rejects by a count younger than this; by then the first run executes.
    await new Promise((resolve) => setTimeout(resolve, 150));
    await client.post(path, background);
    const { status, body, headers: told } = await client.post(path, background);
    expect([status, body.error_code, told["retry-after"]]).toEqual([429, "TOO_MANY_REQUESTS", "5"]);
    expect((await client.post(path, background, headers)).status).toBe(202);
    const waiting = client.post(path, waited);
    await gate.crowd(2);
    gate.open();
    expect((await waiting).status).toBe(200);
    expect(await runs()).toBe(4);
  });

  test("twenty background starts at once are accepted up to maxQueuedRuns", async () => {
    const { server } = await open({ maxQueuedRuns: 2, maxBackgroundRuns: 1 }, new Gate());
    const options = { stream: false, background: true };
    const what = {
      kind: "agent",
      componentId: "one",
      message: "x",
      media: [],
      execution: "dispatch",
      options,
    } as const;
    const starts = Array.from({ length: 20 }, () =>
      server.engine.start(operator, { ...what, sessionId: undefined, userId: undefined }),
    );
    const ends = await Promise.allSettled(starts);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  });

  test("starts that are not committed yet count in the queue, and a failed start frees its place", async () => {
    const gate = new Gate();
    const { server, client } = await open({ maxQueuedRuns: 2, maxBackgroundRuns: 1 }, gate);
    await client.post(path, background);
    await gate.crowd(1);
    // The engine rejects by a count younger than this.
    const recount = () => new Promise((resolve) => setTimeout(resolve, 150));
    await recount();
    const { store } = server;
    const nextRunKey = store.nextRunKey.bind(store);
    const recording = new Gate();
    let fails = true;
    store.nextRunKey = async () => {
      await recording.pass();
      if (!fails) return nextRunKey();
      fails = false;
      throw new Error("no key");
    };
    const two = [client.post(path, background), client.post(path, background)];
    await recording.crowd(2);
    await recount();
    const third = await Promise.race([client.post(path, background), recording.crowd(3)]);
    expect(third?.status).toBe(429);
    recording.open();
    expect((await Promise.all(two)).map(({ status }) => status).sort()).toEqual([202, 500]);
    expect((await client.post(path, background)).status).toBe(202);
    expect((await client.post(path, background)).status).toBe(429);
    gate.open();
  });

  test("one user cannot fill the queue, and the next users still find places", async () => {
    const gate = new Gate();
    const { client } = await open({ maxQueuedRuns: 6, maxBackgroundRuns: 1 }, gate);
    const start = async (user_id: string) => (await client.post(path, { ...background, user_id })).status;
    expect(await start("alice")).toBe(202);
    await gate.crowd(1);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const ofAlice = [];
    for (let n = 0; n < 5; n++) ofAlice.push(await start("alice"));
    expect(ofAlice).toEqual([202, 202, 202, 429, 429]);
    expect([await start("bob"), await start("bob"), await start("bob")]).toEqual([202, 202, 429]);
    expect(await start("carol")).toBe(202);
    expect(await start("dave")).toBe(429);
    gate.open();
  });

  test("a session accepts at most maxQueuedRunsPerSession waiting runs, and other sessions are not affected", async () => {
    const gate = new Gate();
    const { client, runs } = await open({ maxQueuedRunsPerSession: 2 }, gate);
    const inSession = { ...waited, session_id: "busy" };
    const first = client.post(path, inSession);
    await gate.crowd(1);
    const waiting = [];
    for (let n = 1; n <= 2; n++) {
      waiting.push(client.post(path, inSession));
      await eventually(async () => expect(await runs()).toBe(n + 1));
    }
    const refused = await client.post(path, inSession);
    expect([refused.status, refused.body.error_code, refused.headers["retry-after"]]).toEqual([
      ...[429, "TOO_MANY_REQUESTS", "5"],
    ]);
    const elsewhere = client.post(path, waited);
    gate.open();
    const answers = await Promise.all([first, ...waiting, elsewhere]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await client.post(path, inSession)).status).toBe(200);
  });

  test.for([
    ["background", background],
    ["waited for", waited],
  ] as const)("many %s starts in one session at once are accepted up to maxQueuedRunsPerSession", async ([, form]) => {
    const gate = new Gate();
    const { client, runs } = await open({ maxQueuedRunsPerSession: 10, maxBackgroundRuns: 1 }, gate);
    const inSession = { ...form, session_id: "busy" };
    const first = client.post(path, inSession);
    await gate.crowd(1);
    const starts = Array.from({ length: 60 }, () => client.post(path, inSession));
    const refused: unknown[] = [];
    for (const start of starts) void start.then(({ status }) => status === 429 && refused.push(status));
    await eventually(() => expect(refused).toHaveLength(50));
    expect(await runs()).toBe(11);
    gate.open();
    await Promise.all([first, ...starts]);
    expect(refused).toHaveLength(50);
  });
});
