import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type Agent,
  agentFactory,
  ConfigurationError,
  definePlatform,
  type PlatformOptions,
  remoteAgent,
  type ScheduleDefinition,
} from "../../src/index.ts";
import { createServer } from "../../src/platform/server.ts";
import { eachDatabase, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { silentLog } from "../support/runtime.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { type Answer, Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { databaseOptions } from "./support/server.ts";

const pair = makePair();
const as = (sub: string, ...scopes: string[]) => bearer(token({ sub, scopes }, pair));
const json = { "content-type": "application/json" };

async function serve(database: TestDatabase, options: Partial<PlatformOptions> = {}): Promise<Client> {
  const { agents, teams } = conformancePlatform();
  const platform = definePlatform({ id: "test-os", agents, teams, ...options });
  const server = await createServer(platform, {
    ...databaseOptions(database),
    ...{ port: 0, logLevel: "silent", environment: {} },
  });
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return new Client(await server.listen());
}

const daily = {
  name: "daily plain",
  cron_expr: "0 9 * * *",
  endpoint: "/agents/plain-agent/runs",
  payload: { message: "hello from schedule" },
};

function send(client: Client, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return client.send(`/schedules${path}`, { method, headers: { ...json, ...headers }, ...sent });
}

const post = (client: Client, body: unknown, headers = {}): Promise<Answer> => send(client, "POST", "", body, headers);

/** Polls the fires of a schedule until the condition holds. */
async function records(client: Client, id: string, enough: (rows: Answer["json"][]) => boolean) {
  for (;;) {
    const { data } = (await client.get(`/schedules/${id}/runs`)).json;
    if (enough(data)) return data as Answer["json"][];
    await sleep(50);
  }
}

const ended = (rows: Answer["json"][]): boolean => rows.some(({ completed_at }) => completed_at !== null);

const notFound = { detail: "Schedule not found", error_code: "NOT_FOUND" };

eachDatabase("schedules", (openDatabase) => {
  test("a schedule is created, listed, changed, disabled and enabled", async () => {
    const client = await serve(await openDatabase());
    const made = await post(client, daily);
    expect(made.status).toBe(201);
    expect(made.json).toEqual({
      ...daily,
      ...{ id: expect.any(String), description: null, method: "POST", timezone: "UTC", timeout_seconds: 3600 },
      ...{ max_retries: 0, retry_delay_seconds: 60, enabled: true, next_run_at: expect.any(Number) },
      ...{ created_at: expect.any(Number), updated_at: null, run_at: null, ends_at: null, max_fires: null },
      ...{ overlap: "skip", catch_up: "last", jitter_seconds: 0, pause_after_failures: null },
      ...{ disabled_reason: null, source: "api" },
    });
    expect(made.json.next_run_at % 86_400).toBe(9 * 3600);
    const { id } = made.json;
    const twice = await post(client, daily);
    expect([twice.status, twice.json.detail]).toEqual([409, "Schedule with name 'daily plain' already exists"]);
    const full = {
      name: "full",
      cron_expr: "* * * * * *",
      endpoint: "/health",
      method: "get",
      timezone: "Europe/Paris",
    };
    const other = await post(client, { ...full, payload: null, description: "d", max_fires: 1, ends_at: 1 });
    expect(other.json).toMatchObject({ method: "GET", payload: null, next_run_at: null, ends_at: 1 });
    const listed = await client.get("/schedules?limit=1&page=2");
    expect(listed.json).toEqual({
      data: [made.json],
      meta: { page: 2, limit: 1, total_pages: 2, total_count: 2, search_time_ms: expect.any(Number) },
    });
    expect((await client.get("/schedules?enabled=false")).json.data).toEqual([]);
    expect((await client.get(`/schedules/${id}`)).json).toEqual(made.json);

    const changed = await send(client, "PATCH", `/${id}`, { description: "new", cron_expr: "*/5 * * * *" });
    expect(changed.json).toMatchObject({
      description: "new",
      cron_expr: "*/5 * * * *",
      updated_at: expect.any(Number),
    });
    expect(changed.json.next_run_at % 300).toBe(0);
    for (const body of [{}, { enabled: false }]) {
      expect((await send(client, "PATCH", `/${id}`, body)).json).toEqual(changed.json);
    }
    expect((await send(client, "PATCH", `/${id}`, { name: "full" })).status).toBe(409);
    expect((await send(client, "PATCH", `/${id}`, { description: null })).json.description).toBeNull();

    const state = { id, name: "daily plain", next_run_at: changed.json.next_run_at, updated_at: expect.any(Number) };
    expect((await send(client, "POST", `/${id}/disable`)).json).toEqual({ ...state, enabled: false });
    const refused = await send(client, "POST", `/${id}/trigger`);
    expect([refused.status, refused.json.detail]).toEqual([409, "Schedule is disabled"]);
    expect((await send(client, "POST", `/${id}/enable`)).json).toMatchObject({ id, enabled: true });
  });

  test("[P9] [S1] [S3] [S4] [S5] [S6] a deleted schedule returns 404 on every route and fires no more", async () => {
    const client = await serve(await openDatabase());
    const { id } = (await post(client, { ...daily, cron_expr: "* * * * * *" })).json;
    const withBody = await client.send(`/schedules/${id}`, { method: "DELETE", headers: json, body: "{bad" });
    expect([withBody.status, withBody.text]).toEqual([204, ""]);
    for (const path of [`/${id}`, "/nope"]) {
      for (const [method, tail] of [
        ...[
          ["DELETE", ""],
          ["GET", ""],
          ["GET", "/runs"],
          ["GET", "/runs/x"],
        ],
        ...[
          ["POST", "/enable"],
          ["POST", "/disable"],
          ["POST", "/trigger"],
        ],
      ] as const) {
        const answer = await client.send(`/schedules${path}${tail}`, { method, headers: json });
        expect([method, tail, answer.status, answer.json]).toEqual([method, tail, 404, notFound]);
      }
      expect((await send(client, "PATCH", path, { description: "x" })).json).toEqual(notFound);
    }
    const runs = async () => (await client.get("/agents/plain-agent/runs")).json.length;
    await sleep(1_500);
    const before = await runs();
    await sleep(1_500);
    expect(await runs()).toBe(before);
  });

  test("[S9] [S12] [E7] [E8] invalid fields return 422 with a list of locations", async () => {
    const client = await serve(await openDatabase());
    const faults = async (body: unknown) => {
      const answer = await post(client, body);
      expect([answer.status, Object.keys(answer.json)]).toEqual([422, ["detail"]]);
      return answer.json.detail as { loc: unknown[]; msg: string; type: string; input: unknown }[];
    };
    const fields = ["name", "cron_expr", "endpoint"];
    expect((await faults({})).map(({ type, loc, input }) => [type, ...loc, input])).toEqual(
      fields.map((field) => ["missing", "body", field, {}]),
    );
    // `input` of a missing field is the received object, unless that object is too long to repeat.
    const { name: _, ...unnamed } = { ...daily, more: [1] };
    expect(await faults(unnamed)).toMatchObject([{ loc: ["body", "name"], input: unnamed }]);
    const [long] = await faults({ ...unnamed, more: "x".repeat(5_000) });
    expect(long).toEqual({ type: "missing", loc: ["body", "name"], msg: "Field required" });
    expect((await faults([1]))[0]).toMatchObject({ type: "model_attributes_type", loc: ["body"], input: [1] });
    expect(await faults({ ...daily, cron_expr: "not cron", timezone: "Mars/Base" })).toEqual([
      { type: "value_error", loc: ["body", "cron_expr"], msg: "Invalid cron expression: not cron", input: "not cron" },
      { type: "value_error", loc: ["body", "timezone"], msg: "Invalid timezone: Mars/Base", input: "Mars/Base" },
    ]);
    expect(await faults({ ...daily, timeout_seconds: 0 })).toEqual([
      {
        ...{ type: "greater_than_equal", loc: ["body", "timeout_seconds"], input: 0, ctx: { ge: 1 } },
        msg: "Input should be greater than or equal to 1",
      },
    ]);
    for (const [field, value] of Object.entries({
      ...{ name: "-bad", method: "HEAD", endpoint: "agents", overlap: "never", description: "\u0000", run_at: 5 },
      ...{ max_retries: 11, payload: [], jitter_seconds: -1, max_fires: 0 },
    })) {
      expect([field, ...(await faults({ ...daily, [field]: value })).map(({ loc }) => loc[1])]).toEqual([field, field]);
    }
    for (const endpoint of [
      "/x://y",
      "//elsewhere/health",
      "/nowhere",
      "/\\elsewhere/health",
      "/schedules/x/trigger",
      "/agents/%zz/runs",
      "/sessions/%zz/rename",
      "/sessions/%ff/rename",
    ]) {
      expect((await faults({ ...daily, endpoint }))[0]?.loc).toEqual(["body", "endpoint"]);
    }
    expect((await faults({ ...daily, cron_expr: "@once" }))[0]?.loc).toEqual(["body", "run_at"]);
    const bad = await client.send("/schedules", { method: "POST", headers: json, body: "{bad" });
    expect([bad.status, bad.json.detail[0]]).toMatchObject([
      422,
      { type: "json_invalid", loc: ["body", 1], input: {} },
    ]);
    for (const limit of ["0", "1001"]) {
      const { detail } = (await client.get(`/schedules?limit=${limit}`)).json;
      expect(detail[0]).toMatchObject({ loc: ["query", "limit"], input: limit });
    }
    const { id } = (await post(client, daily)).json;
    for (const body of [{ name: null }, { cron_expr: "bad" }, { endpoint: "/nowhere" }]) {
      const answer = await send(client, "PATCH", `/${id}`, body);
      expect([answer.status, answer.json.detail[0].loc]).toEqual([422, ["body", Object.keys(body)[0]]]);
    }
    for (const body of [{ cron_expr: "@once" }, { run_at: 5 }]) {
      expect((await send(client, "PATCH", `/${id}`, body)).json.detail[0].loc).toEqual(["body", "run_at"]);
    }
    const once = await send(client, "PATCH", `/${id}`, { cron_expr: "@once", run_at: 4e9 });
    expect(once.json).toMatchObject({ cron_expr: "@once", run_at: 4e9, next_run_at: 4e9 });
    const daily_ = await send(client, "PATCH", `/${id}`, { cron_expr: "@daily" });
    expect(daily_.json).toMatchObject({ cron_expr: "@daily", run_at: null });
    expect((await client.get(`/schedules/${"x".repeat(300)}`)).json.detail[0].loc).toEqual(["path", "schedule_id"]);
  });

  test("an endpoint of an unknown component, or a payload that starts no run, returns 422", async () => {
    const { agents, teams } = conformancePlatform();
    const built = agentFactory({ id: "built", build: () => agents[0] as Agent });
    const far = remoteAgent({ id: "far", url: "http://127.0.0.1:1" });
    const client = await serve(await openDatabase(), { agents: [...agents, built, far], teams });
    const refused = async (answer: Promise<Answer>) => {
      const { status, json } = await answer;
      return [status, json.detail];
    };
    const unknown = (kind: string, endpoint: string) => [
      422,
      [
        {
          ...{ type: "value_error", loc: ["body", "endpoint"], input: endpoint },
          msg: `Value error, this platform has no ${kind} "nope"`,
        },
      ],
    ];
    for (const [kind, endpoint] of [
      ["agent", "/agents/nope/runs"],
      ["agent", "/agents/nope/runs?x=1"],
      ["team", "/teams/nope/runs/x/cancel"],
      ["workflow", "/workflows/nope/runs"],
      ["agent", "/a2a/agents/nope/v1/message:send"],
    ] as const) {
      expect(await refused(post(client, { ...daily, endpoint }))).toEqual(unknown(kind, endpoint));
    }
    const lacking = (input: unknown) => [
      422,
      [{ type: "missing", loc: ["body", "payload", "message"], msg: "Field required", input }],
    ];
    for (const payload of [null, {}, { mesage: "x" }, { message: null }, { message: "" }]) {
      expect(await refused(post(client, { ...daily, payload }))).toEqual(lacking(payload));
    }
    const broken = { message: "x", stream: "kept", session_state: 5, factory_input: { a: 1 }, more: true };
    const [, faults] = await refused(post(client, { ...daily, payload: broken }));
    expect(faults.map(({ loc }: { loc: unknown }) => loc)).toEqual([["body", "payload", "session_state"]]);
    const input = await refused(post(client, { ...daily, payload: { message: "x", factory_input: "bad" } }));
    expect(input).toMatchObject([422, [{ loc: ["body", "payload"] }]]);

    const { id } = (await post(client, daily)).json;
    const patch = (body: unknown) => send(client, "PATCH", `/${id}`, body);
    const elsewhere = "/teams/nope/runs";
    expect(await refused(patch({ endpoint: elsewhere }))).toEqual(unknown("team", elsewhere));
    expect(await refused(patch({ payload: null }))).toEqual(lacking(null));
    expect((await client.get(`/schedules/${id}`)).json).toMatchObject(daily);
    expect((await patch({ endpoint: "/health", method: "GET", payload: null })).status).toBe(200);
    expect(await refused(patch({ endpoint: daily.endpoint, method: "POST" }))).toEqual(lacking(null));
    expect((await patch({ endpoint: daily.endpoint, method: "POST", payload: { message: 5 } })).status).toBe(200);
    for (const name of ["built", "far"]) {
      expect((await post(client, { ...daily, name, endpoint: `/agents/${name}/runs` })).status).toBe(201);
    }
  });

  test("a fire fails with 404, and the log has a warning, if its component is no longer hosted", async () => {
    const database = await openDatabase();
    const place = { ...databaseOptions(database), ...{ port: 0, environment: {} } };
    const { agents, teams } = conformancePlatform();
    const before = await createServer(definePlatform({ id: "test-os", agents }), { ...place, logLevel: "silent" });
    const payload = { message: "of the payload" };
    const { id } = (await post(new Client(await before.listen()), { ...daily, payload })).json;
    await before.close({ shutdownTimeout: 0 });
    const told: [object, string][] = [];
    const warn = (fields: object, text: string): void => void told.push([fields, text]);
    const after = await createServer(definePlatform({ id: "test-os", teams }), {
      ...place,
      log: { ...silentLog, warn },
    });
    onTestFinished(() => after.close({ shutdownTimeout: 0 }));
    const fired = await send(new Client(await after.listen()), "POST", `/${id}/trigger`);
    expect(fired.json).toMatchObject({ status: "failed", status_code: 404, run_id: null });
    const call = {
      attempt: 1,
      triesAgain: false,
      call: `POST ${daily.endpoint}`,
      status: 404,
      text: "Agent not found",
    };
    const fields = { scheduleId: id, name: daily.name, fireId: fired.json.id, ...call };
    expect(told).toEqual([[fields, "A fire of a schedule failed."]]);
  });

  test("a server does not start if its code defines a schedule that cannot succeed", async () => {
    const database = await openDatabase();
    const open = (schedule: Partial<ScheduleDefinition>, log = silentLog) => {
      const { agents } = conformancePlatform();
      const whole = {
        name: "code",
        cronExpr: "@daily",
        endpoint: daily.endpoint,
        payload: { message: "x" },
        ...schedule,
      };
      const platform = definePlatform({ id: "test-os", agents, schedules: [whole] });
      return createServer(platform, { ...databaseOptions(database), ...{ port: 0, log, environment: {} } });
    };
    await expect(open({ endpoint: "/nowhere" })).rejects.toThrow(
      new ConfigurationError('Schedule "code" calls POST /nowhere, which this platform does not serve.'),
    );
    const fails = 'Schedule "code" calls POST /agents/z/runs, which would fail each time';
    await expect(open({ endpoint: "/agents/z/runs" })).rejects.toThrow(
      new ConfigurationError(`${fails} (endpoint: this platform has no agent "z").`),
    );
    await expect(open({ payload: { mesage: "x" } })).rejects.toThrow(/ \(payload\.message: Field required\)\.$/);
    const told: string[] = [];
    const log = { ...silentLog, warn: (_: object, text: string) => void told.push(text) };
    const server = await open({ cronExpr: "*/10 * * * * *" }, log);
    await server.close({ shutdownTimeout: 0 });
    expect(told).toEqual([expect.stringMatching(/^Schedule "code" .+ write "\* \* \* \* \* \*\/10"\.$/)]);
  });

  test("a trigger waits for the run, and the fire's record has the outcome", async () => {
    const client = await serve(await openDatabase());
    const { id } = (await post(client, daily)).json;
    const fired = await send(client, "POST", `/${id}/trigger`);
    expect([fired.status, fired.json]).toEqual([
      200,
      {
        ...{ id: expect.any(String), schedule_id: id, attempt: 1, status: "success", status_code: 200, error: null },
        ...{ run_id: expect.any(String), session_id: expect.any(String), requirements: null, planned_at: null },
        ...{ triggered_at: expect.any(Number), completed_at: expect.any(Number), created_at: expect.any(Number) },
        input: { input_content: "hello from schedule" },
        output: { content: expect.any(String), content_type: "str" },
      },
    ]);
    const { run_id, session_id } = fired.json;
    const run = await client.get(`/agents/plain-agent/runs/${run_id}?session_id=${session_id}`);
    expect(run.json).toMatchObject({ status: "COMPLETED", content: fired.json.output.content });
    expect((await client.get(`/schedules/${id}/runs`)).json.data).toEqual([fired.json]);
    expect((await client.get(`/schedules/${id}/runs/${fired.json.id}`)).json).toEqual(fired.json);
    const other = (await post(client, { ...daily, name: "other" })).json.id;
    const unknown = { detail: "Schedule run not found", error_code: "NOT_FOUND" };
    expect((await client.get(`/schedules/${other}/runs/${fired.json.id}`)).json).toEqual(unknown);
    await send(client, "DELETE", `/${id}`);
    expect((await client.get(`/agents/plain-agent/runs/${run_id}?session_id=${session_id}`)).status).toBe(200);
  });

  test("an endpoint that is no run succeeds without run_id, and a failing one is retried", async () => {
    const client = await serve(await openDatabase());
    const plain = { name: "health", cron_expr: "@daily", endpoint: "/health", method: "GET" };
    const health = await send(client, "POST", `/${(await post(client, plain)).json.id}/trigger`);
    expect(health.json).toMatchObject({ status: "success", status_code: 200, run_id: null, input: null, output: null });
    const failing = { ...plain, name: "gone", endpoint: "/sessions/nope", max_retries: 1, retry_delay_seconds: 1 };
    const { id } = (await post(client, failing)).json;
    const failed = await send(client, "POST", `/${id}/trigger`);
    expect(failed.json).toMatchObject({ attempt: 2, status: "failed", status_code: 404, run_id: null });
    expect(failed.json.error).toContain("Session with id 'nope' not found");
    const { data } = (await client.get(`/schedules/${id}/runs`)).json;
    expect(data.map(({ attempt, status }: Answer["json"]) => [attempt, status])).toEqual([
      [2, "failed"],
      [1, "failed"],
    ]);
  });

  test("[P1] a schedule fires at its time, and each tick fires once with several servers", async () => {
    const database = await openDatabase();
    const client = await serve(database);
    if (database.kind === "postgres") await serve(database);
    const { id } = (await post(client, { ...daily, cron_expr: "* * * * * *", max_fires: 2, overlap: "allow" })).json;
    const run_at = Math.floor(Date.now() / 1000) + 1;
    const single = (await post(client, { ...daily, name: "once", cron_expr: "@once", run_at })).json.id;
    const rows = await records(client, id, (all) => all.filter((row) => row.completed_at !== null).length === 2);
    expect(rows.map(({ status, attempt }) => [status, attempt])).toEqual([
      ["success", 1],
      ["success", 1],
    ]);
    expect(new Set(rows.map(({ planned_at }) => planned_at)).size).toBe(2);
    const fired = (await client.get("/agents/plain-agent/runs")).json.map(({ run_id }: Answer["json"]) => run_id);
    expect(fired).toEqual(expect.arrayContaining(rows.map(({ run_id }) => run_id)));
    expect((await client.get(`/schedules/${id}`)).json).toMatchObject({ enabled: true, next_run_at: null });
    const [only] = await records(client, single, ended);
    expect(only).toMatchObject({ planned_at: run_at, status: "success" });
    expect((await client.get("/agents/plain-agent/runs")).json).toHaveLength(3);
  });

  test("a run beyond timeout_seconds is cancelled, and pause_after_failures disables the schedule", async () => {
    const client = await serve(await openDatabase());
    const endless = { ...daily, payload: { message: "endless" }, timeout_seconds: 1, pause_after_failures: 1 };
    const { id } = (await post(client, endless)).json;
    const fired = (await send(client, "POST", `/${id}/trigger`)).json;
    expect(fired).toMatchObject({ status: "failed", error: "Timed out after 1 seconds.", run_id: expect.any(String) });
    const path = `/agents/plain-agent/runs/${fired.run_id}?session_id=${fired.session_id}`;
    expect((await client.get(path)).json.status).toBe("CANCELLED");
    expect((await client.get(`/schedules/${id}`)).json).toMatchObject({
      ...{ enabled: false, disabled_reason: "Paused after 1 failures in a row." },
    });
  });

  test.each(["skip", "queue", "cancelPrevious", "allow"])(
    "a tick during a running fire has its effect under the overlap policy %s",
    async (overlap) => {
      const client = await serve(await openDatabase());
      const endless = {
        ...daily,
        payload: { message: "endless" },
        cron_expr: "* * * * * *",
        overlap,
        timeout_seconds: 3,
      };
      const { id } = (await post(client, endless)).json;
      const has = (rows: Answer["json"][], ...states: string[]) => {
        const found = rows.map(({ status }) => status);
        return states.every((state) => found.includes(state));
      };
      const wanted = {
        skip: (rows: Answer["json"][]) => has(rows, "skipped", "running"),
        queue: (rows: Answer["json"][]) => has(rows, "pending", "running"),
        cancelPrevious: (rows: Answer["json"][]) => has(rows, "cancelled", "running"),
        allow: (rows: Answer["json"][]) => rows.filter(({ status }) => status === "running").length > 1,
      };
      const rows = await records(client, id, wanted[overlap as keyof typeof wanted]);
      const running = rows.filter(({ status }) => status === "running");
      if (overlap !== "allow") expect(running).toHaveLength(1);
      await send(client, "POST", `/${id}/disable`);
      expect((await send(client, "DELETE", `/${id}`)).status).toBe(204);
      // The fire's run is still there.
      const going = running.find(({ run_id }) => run_id !== null);
      if (going) {
        const path = `/agents/plain-agent/runs/${going.run_id}?session_id=${going.session_id}`;
        expect((await client.get(path)).status).toBe(200);
      }
    },
  );

  test("a schedule of the code acts as the scheduler, and a request may disable but not change or delete it", async () => {
    const database = await openDatabase();
    const schedules = [{ name: "code", cronExpr: "* * * * * *", endpoint: "/agents/plain-agent/runs", maxFires: 1 }];
    const client = await serve(database, {
      schedules: schedules.map((one) => ({ ...one, payload: { message: "x" } })),
    });
    const { data } = (await client.get("/schedules")).json;
    expect(data).toMatchObject([{ name: "code", source: "code" }]);
    const [{ run_id }] = await records(client, data[0].id, ended);
    const run = (await client.get("/agents/plain-agent/runs?user_id=__scheduler__")).json;
    expect(run.map((one: Answer["json"]) => one.run_id)).toEqual([run_id]);
    expect((await send(client, "PATCH", `/${data[0].id}`, { max_retries: 1 })).status).toBe(409);
    const kept = await send(client, "DELETE", `/${data[0].id}`);
    expect([kept.status, kept.json.error_code]).toEqual([409, "CONFLICT"]);
    expect(kept.json.detail).toContain("disable it, or take it out of the code");
    expect((await send(client, "POST", `/${data[0].id}/disable`)).json.enabled).toBe(false);
  });

  test("a schedule that no code defines is deleted at the next start, or by a request if it belongs to another platform id", async () => {
    const database = await openDatabase();
    const { agents } = conformancePlatform();
    const start = async (id: string, schedules: readonly ScheduleDefinition[]) => {
      const place = { ...databaseOptions(database), ...{ port: 0, logLevel: "silent", environment: {} } };
      const server = await createServer(definePlatform({ id, agents, schedules }), place);
      const client = new Client(await server.listen());
      return { client, close: () => server.close({ shutdownTimeout: 0 }) };
    };
    const plan = { name: "code", cronExpr: "@daily", endpoint: daily.endpoint, payload: daily.payload };
    await (await start("old-os", [plan])).close();
    await (await start("test-os", [{ ...plan, name: "own" }])).close();
    const { client, close } = await start("test-os", []);
    onTestFinished(close);
    const { data } = (await client.get("/schedules")).json;
    expect(data).toMatchObject([{ name: "code", source: "code" }]);
    expect((await send(client, "DELETE", `/${data[0].id}`)).status).toBe(204);
    expect((await client.get("/schedules")).json.data).toEqual([]);
  });
});

eachDatabase("schedules with authorization", (openDatabase) => {
  const authorization = { verificationKeys: [pair.pem], userIsolation: true };
  const writer = ["schedules:write", "schedules:read", "schedules:delete"];

  test("[S2] [S7] [S8] users have their own schedules, and cannot schedule runs that they may not start", async () => {
    const client = await serve(await openDatabase(), { authorization });
    const alice = as("alice", ...writer, "agents:plain-agent:run");
    expect((await post(client, daily)).status).toBe(401);
    const insufficient = { detail: "Insufficient permissions. Required scope(s): agents:run" };
    // The response does not reveal whether the agent exists.
    for (const endpoint of [daily.endpoint, "/agents/nope/runs"]) {
      expect((await post(client, { ...daily, endpoint }, as("bob", ...writer))).json).toEqual(insufficient);
    }
    const made = await post(client, daily, alice);
    expect(made.status).toBe(201);
    const { id } = made.json;
    const bob = as("bob", ...writer, "agents:run");
    expect((await send(client, "DELETE", `/${id}`, undefined, bob)).json).toEqual(notFound);
    expect((await client.get("/schedules", bob)).json.data).toEqual([]);
    expect((await post(client, daily, bob)).status).toBe(201);
    const reader = await send(client, "DELETE", `/${id}`, undefined, as("alice", "schedules:write"));
    expect(reader.json).toEqual({ detail: "Insufficient permissions. Required scope(s): schedules:delete" });
    expect((await send(client, "DELETE", `/${id}`)).status).toBe(401);
    const fired = await send(client, "POST", `/${id}/trigger`, undefined, alice);
    expect(fired.json.status).toBe("success");
    const own = await client.get("/agents/plain-agent/runs", as("alice", "agents:read"));
    expect(own.json.map((run: Answer["json"]) => run.run_id)).toEqual([fired.json.run_id]);
    expect((await client.get("/agents/plain-agent/runs", as("bob", "agents:read"))).json).toEqual([]);
    const forged = { ...alice, "x-troupe-ticket": "00000000-0000-4000-8000-000000000000" };
    expect((await client.get("/config", forged)).status).toBe(403);
    expect((await send(client, "DELETE", `/${id}`, undefined, alice)).status).toBe(204);
  });

  test("[S2] a run has the user, session and claims of the token that created its schedule, whatever its payload", async () => {
    const claimed = { ...authorization, sessionStateClaims: ["tenant"] };
    const client = await serve(await openDatabase(), { authorization: claimed });
    const scopes = [...writer, "agents:run", "agents:read"];
    const alice = bearer(token({ sub: "alice", scopes, tenant: "acme", session_id: "hers" }, pair));
    const payload = { message: "x", user_id: "bob", session_id: "other", session_state: { tenant: "other", more: 1 } };
    const { id } = (await post(client, { ...daily, payload }, alice)).json;
    const fired = (await send(client, "POST", `/${id}/trigger`, undefined, alice)).json;
    expect(fired).toMatchObject({ status: "success", session_id: "hers" });
    const run = await client.get(`/agents/plain-agent/runs/${fired.run_id}?session_id=hers`, alice);
    expect(run.json).toMatchObject({ user_id: "alice", session_state: { tenant: "acme", more: 1 } });
  });

  test("a schedule that was created without authorization fails with 403 and is disabled once authorization is on", async () => {
    const database = await openDatabase();
    const place = { ...databaseOptions(database), ...{ port: 0, logLevel: "silent", environment: {} } };
    const { agents } = conformancePlatform();
    const open = await createServer(definePlatform({ id: "test-os", agents }), place);
    const { id } = (await post(new Client(await open.listen()), daily)).json;
    await open.close({ shutdownTimeout: 0 });
    const client = await serve(database, { authorization });
    const root = as("root", "agent_os:admin");
    const refused = await send(client, "POST", `/${id}/trigger`, undefined, root);
    expect(refused.json).toMatchObject({ status: "failed", status_code: 403 });
    expect((await client.get(`/schedules/${id}`, root)).json.enabled).toBe(false);
  });

  test("a revoked service account disables its schedule with the reason", async () => {
    const client = await serve(await openDatabase(), { authorization });
    const root = as("root", "agent_os:admin");
    const account = { name: "bot", scopes: [...writer, "agents:run"].map((scope) => ({ scope })) };
    const headers = { ...root, ...json };
    const body = JSON.stringify({ ...account, allow_privileged_scopes: true });
    const bot = (await client.send("/service-accounts", { method: "POST", headers, body })).json;
    const made = await post(client, daily, bearer(bot.token));
    const trigger = () => send(client, "POST", `/${made.json.id}/trigger`, undefined, root);
    expect((await trigger()).json.status).toBe("success");
    await client.send(`/service-accounts/${bot.id}`, { method: "DELETE", headers: root });
    expect((await trigger()).json).toMatchObject({ status: "failed", status_code: 403, run_id: null });
    expect((await client.get(`/schedules/${made.json.id}`, root)).json).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining("revoked"),
    });
    expect((await send(client, "POST", `/${made.json.id}/enable`, undefined, root)).json.enabled).toBe(true);
    expect((await trigger()).json.status).toBe("success");
  });
});

describe("[S11] a platform without schedules", () => {
  eachDatabase("returns 503", (openDatabase) => {
    test("on every route, after the checks for 401 and 403", async () => {
      const authorization = { verificationKeys: [pair.pem] };
      const client = await serve(await openDatabase(), { authorization, schedules: false });
      const all = as("alice", "schedules:read", "schedules:write", "schedules:delete");
      for (const [method, path] of [
        ...[
          ["GET", ""],
          ["POST", ""],
          ["GET", "/x"],
          ["PATCH", "/x"],
          ["DELETE", "/x"],
          ["POST", "/x/enable"],
        ],
        ...[
          ["POST", "/x/disable"],
          ["POST", "/x/trigger"],
          ["GET", "/x/runs"],
          ["GET", "/x/runs/y"],
        ],
      ] as const) {
        const url = `/schedules${path}`;
        expect((await client.send(url, { method })).status).toBe(401);
        expect((await client.send(url, { method, headers: as("alice") })).status).toBe(403);
        const answer = await client.send(url, { method, headers: all });
        const detail = "Scheduler not supported by the configured database";
        expect([url, answer.status, answer.json]).toEqual([url, 503, { detail }]);
      }
    });
  });
});

test("[S13] the OpenAPI document declares every response of a deletion", async () => {
  await using folder = await openDatabaseOf("sqlite");
  const client = await serve(folder);
  const { paths } = (await client.get("/openapi.json")).json;
  const { responses, requestBody } = paths["/schedules/{schedule_id}"].delete;
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(["204", "401", "403", "404", "422", "500", "503"]));
  expect(requestBody).toBeUndefined();
});
