/** The poller on a real database, with scripted routes. */
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { TroupeError } from "../../src/errors.ts";
import { open, system } from "../../src/model/principal.ts";
import type { Log } from "../../src/model/runtime.ts";
import { defaultPlan, type Schedule } from "../../src/model/schedule/schedule.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import type { StartCommand } from "../../src/runs/start.ts";
import type { AttemptParts } from "../../src/schedule/attempt.ts";
import { Poller } from "../../src/schedule/poller.ts";
import type { ScheduleStore } from "../../src/store/contract/schedules.ts";
import { create, openOn, put, to, write } from "../contract/store-fixtures.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

type Call = AttemptParts["routes"]["call"];

/** A poller whose endpoint starts no run, unless `start` is given. */
async function pollerWith(
  call: Call,
  {
    actingFor = async () => open,
    log = silentLog,
    kind = "sqlite",
    start,
  }: {
    actingFor?: AttemptParts["gate"]["actingFor"];
    log?: Log;
    kind?: (typeof databaseKinds)[number];
    start?: AttemptParts["runs"]["start"];
  } = {},
) {
  const database = await openDatabaseOf(kind);
  onTestFinished(() => database[Symbol.asyncDispose]());
  const { schedules, store } = await openOn(database);
  const unreachable = (): never => expect.unreachable("the endpoint starts no run");
  const toStart = start && (() => ({}) as StartCommand);
  const unused = { start: unreachable, load: unreachable, cancel: unreachable, follow: unreachable };
  const parts: AttemptParts = {
    ...{ schedules, runtime: { ...testRuntime, log }, gate: { actingFor, check: () => undefined } },
    runs: { ...unused, ...(start && { start }), locate: async () => undefined },
    routes: { find: () => ({ demand: [], id: undefined, toStart, check: () => undefined }), call },
  };
  const processId = randomUUID();
  await store.renewProcess(processId, 60_000);
  const poller = new Poller({ ...parts, lease: { mayTakeOver: true }, settings: defaultSettings, processId });
  return { schedules, poller };
}

async function scheduleIn(schedules: ScheduleStore, change: Partial<Schedule> = {}): Promise<Schedule> {
  const [id, now] = [randomUUID(), await schedules.now()];
  const schedule: Schedule = {
    ...{ ...defaultPlan, id, name: id, owner: "", cronExpr: "@once", endpoint: "/x", runAt: now, nextRunAt: now },
    ...{ enabled: true, disabledReason: null, fires: 0, failures: 0, platform: null, createdAt: now, updatedAt: null },
    ...{ retryDelaySeconds: 0, grant: { kind: "open", userId: null, scopes: [], mapping: 0, account: null } },
    ...change,
  };
  await schedules.create(schedule);
  return schedule;
}

async function records(schedules: ScheduleStore, { id }: Schedule, count = 1) {
  return await eventually(async () => {
    const { fires } = await schedules.listFires(id, { limit: 10, offset: 0, maxBytes: 1_000 });
    expect(fires.filter(({ completedAt }) => completedAt !== null)).toHaveLength(count);
    return fires.toSorted((one, other) => one.attempt - other.attempt);
  });
}

test("an attempt that throws is recorded as failed with a generic error, retried, and counted once", async () => {
  const { schedules, poller } = await pollerWith(() => Promise.reject(new Error("a secret of the inside")));
  const made = await scheduleIn(schedules, { maxRetries: 1, pauseAfter: 1 });
  poller.start();
  const fires = await records(schedules, made, 2);
  expect(fires.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, "failed"],
    [2, "failed"],
  ]);
  expect(fires[0]?.detail).toMatchObject({ statusCode: 500, error: "Internal server error" });
  expect(await schedules.find(system, made.id)).toMatchObject({ enabled: false, failures: 1 });
  await poller.close();
});

test("a start that fails with an internal error is logged with its cause and recorded without details", async () => {
  const logged: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void logged.push(fields) };
  const error = new TroupeError("internal", "a secret of the inside");
  const unused = (): never => expect.unreachable("the endpoint is called although it starts a run");
  const { schedules, poller } = await pollerWith(unused, { log, start: () => Promise.reject(error) });
  const made = await scheduleIn(schedules);
  poller.start();
  const [fire] = await records(schedules, made);
  await poller.close();
  expect(fire).toMatchObject({ status: "failed", detail: { statusCode: 500, error: "Internal server error" } });
  expect(logged).toEqual([{ error, scheduleId: made.id, runId: fire?.runId }]);
});

test.each(databaseKinds)("each failed attempt is logged without its payload or query, on %s", async (kind) => {
  const told: [string, object, string][] = [];
  const note = (level: string) => (fields: object, text: string) => void told.push([level, fields, text]);
  const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  const list = [{ type: "missing", loc: ["body", "name"], msg: "Field required", input: { key: "from the payload" } }];
  const answers = [
    { status: 422, text: JSON.stringify({ detail: list }) },
    { status: 404, text: JSON.stringify({ detail: "Session not found", error_code: "NOT_FOUND" }) },
    { status: 502, text: "<html>" },
    { status: 500, text: '{"detail": "cut off' },
  ];
  const { schedules, poller } = await pollerWith(async () => answers.shift() ?? { status: 200, text: "" }, {
    log,
    kind,
  });
  const endpoint = "/x?token=from-the-payload";
  const made = await scheduleIn(schedules, {
    maxRetries: 3,
    pauseAfter: 1,
    endpoint,
    payload: { a: "from the payload" },
  });
  poller.start();
  const fires = await records(schedules, made, 4);
  await eventually(() => expect(told).toHaveLength(5));
  await poller.close();
  const ids = { scheduleId: made.id, name: made.name, call: "POST /x" };
  const failed = [
    { status: 422, text: "body.name: Field required" },
    { status: 404, text: "Session not found" },
    { status: 502, text: "<html>" },
    { status: 500, text: "" },
  ].map((why, place) => [
    "warn",
    { ...ids, fireId: fires[place]?.id, attempt: place + 1, triesAgain: place < 3, ...why },
    "A fire of a schedule failed.",
  ]);
  const paused = ["warn", { scheduleId: made.id, name: made.name }, "A schedule was paused: it failed too often."];
  expect(told).toEqual([...failed, paused]);
});

test("a database outage during the check of the grant is retried and does not disable the schedule", async () => {
  let tries = 0;
  const acting = async () => {
    tries += 1;
    if (tries === 1) throw new TroupeError("unavailable", "The database is not available");
    return open;
  };
  const calls: string[] = [];
  const call: Call = async ({ idempotencyKey }) => {
    calls.push(idempotencyKey);
    return { status: 200, text: "" };
  };
  const { schedules, poller } = await pollerWith(call, { actingFor: acting });
  const made = await scheduleIn(schedules);
  poller.start();
  const [fire] = await records(schedules, made);
  expect([fire?.status, tries, calls]).toEqual(["success", 2, [fire?.id]]);
  expect((await schedules.find(system, made.id))?.enabled).toBe(true);
  await poller.close();
});

test("a schedule that cannot be planned is disabled with a reason, and the others fire", async () => {
  const { schedules, poller } = await pollerWith(async () => ({ status: 200, text: "" }));
  const [broken, good] = [await scheduleIn(schedules, { cronExpr: "gone", runAt: null }), await scheduleIn(schedules)];
  poller.start();
  expect((await records(schedules, good))[0]?.status).toBe("success");
  expect(await schedules.find(system, broken.id)).toMatchObject({
    enabled: false,
    disabledReason: expect.stringContaining("cannot be found"),
  });
  await poller.close();
});

test("jitter delays each fire by a random time below jitterSeconds", async () => {
  const { schedules, poller } = await pollerWith(async () => ({ status: 200, text: "" }));
  const all = [];
  for (let n = 0; n < 20; n++)
    all.push(await scheduleIn(schedules, { jitterSeconds: 3_600, nextRunAt: 1_000, runAt: 1_000 }));
  poller.start();
  const delays = [];
  for (const one of all) {
    const [fire] = await records(schedules, one);
    delays.push((fire?.dueAt ?? 0) - 1_000);
  }
  expect(delays.every((delay) => delay >= 0 && delay < 3_600_000)).toBe(true);
  expect(new Set(delays).size).toBeGreaterThan(10);
  await poller.close();
});

test("an endpoint without an answer is aborted after timeoutSeconds, and the fire fails", async () => {
  let signal: AbortSignal | undefined;
  const { schedules, poller } = await pollerWith((call) => {
    signal = call.signal;
    return new Promise(() => undefined);
  });
  const made = await scheduleIn(schedules, { timeoutSeconds: 1 });
  poller.start();
  const [fire] = await records(schedules, made);
  expect([fire?.status, fire?.detail?.error, signal?.aborted]).toEqual(["failed", "Timed out after 1 seconds.", true]);
  await poller.close();
});

test.each(databaseKinds)(
  "a started run completes its fire in another process although the grant is lost, and the next fire gets 403, on %s",
  async (kind) => {
    const database = await openDatabaseOf(kind);
    onTestFinished(() => database[Symbol.asyncDispose]());
    const { schedules, store } = await openOn(database);
    const lost = new TroupeError("forbidden", "The service account that made it is revoked or has expired.");
    const opened = async (actingFor: AttemptParts["gate"]["actingFor"]) => {
      const processId = randomUUID();
      processes.push(processId);
      await store.renewProcess(processId, 60_000);
      const parts: AttemptParts = {
        ...{ schedules, runtime: testRuntime, gate: { actingFor, check: () => undefined } },
        runs: {
          cancel: () => expect.unreachable("no caller cancels the run"),
          locate: (caller, runId) => store.locateRun(caller, runId),
          load: async (caller, { runId }) =>
            (await store.findRun(caller, runId)) ?? expect.unreachable("the run is not stored"),
          follow: ({ key }) =>
            async function* (signal) {
              while (!signal.aborted) {
                const status = (await store.head(key))?.status;
                if (status === "COMPLETED") return yield { kind: "end", status };
                await testRuntime.clock.sleep(20, signal);
              }
            },
          start: async (_, { runId = "" }) => {
            const key = await create(store, { runId });
            keys.push(key);
            return { key, runId, sessionId: "s", status: "RUNNING", isRepeated: false };
          },
        },
        routes: {
          find: () => ({ demand: [], id: undefined, toStart: () => ({}) as StartCommand, check: () => undefined }),
          call: () => expect.unreachable("the endpoint is called although it starts a run"),
        },
      };
      return new Poller({ ...parts, lease: { mayTakeOver: true }, settings: defaultSettings, processId });
    };
    const [keys, processes]: [number[], string[]] = [[], []];
    const first = await opened(async () => open);
    const made = await scheduleIn(schedules);
    first.start();
    const fire = await eventually(async () => {
      const [fire] = (await schedules.listFires(made.id, { limit: 10, offset: 0, maxBytes: 1_000 })).fires;
      expect(fire?.sessionId).toBe("s");
      return fire;
    });
    await first.close();
    const second = await opened(() => Promise.reject(lost));
    second.start();
    // The second process claims the fire and does not reject it.
    await eventually(async () => expect(await schedules.heldFires(processes[1] ?? "")).toEqual([fire?.id]));
    await put(store, write(keys[0] ?? 0, { transition: to("COMPLETED") }));
    expect(await records(schedules, made)).toMatchObject([{ id: fire?.id, status: "success" }]);
    expect(await schedules.find(system, made.id)).toMatchObject({ enabled: true, failures: 0 });
    // The next fire is rejected with the reason.
    await schedules.update(made.id, { nextRunAt: await schedules.now() });
    second.wake();
    const refused = (await records(schedules, made, 2)).find(({ id }) => id !== fire?.id);
    expect(refused).toMatchObject({ status: "failed", detail: { statusCode: 403 } });
    expect(await schedules.find(system, made.id)).toMatchObject({
      ...{ enabled: false, disabledReason: `Its grant does not hold any more: ${lost.message}` },
    });
    await second.close();
  },
);
