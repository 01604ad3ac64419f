/** Database outages: received events are not lost, and no event is sent before it is stored. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { lossesOfReader, noLosses } from "../support/losses.ts";
import type { Order } from "../support/orders.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { Answer, EventStream } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 180_000 });

interface Servers extends AsyncDisposable {
  readonly postgres: PostgresServer;
  readonly server: ServerProcess;
}

async function openServers(settings: Parameters<typeof startServerProcess>[1]): Promise<Servers> {
  const postgres = await startPostgres();
  const server = await startServerProcess({ kind: "postgres", url: postgres.url }, settings);
  return {
    postgres,
    server,
    async [Symbol.asyncDispose]() {
      await server.crash();
      await postgres.dispose();
    },
  };
}

const outage = 5_000;

const team = (delay: number) => ({
  deltas: 5,
  members: [
    { deltas: 300, delay },
    { deltas: 30, delay },
  ] as const,
});

/** The terminal event of a stream's run, if the client has received it. */
const endingOf = ({ ending }: EventStream): string | undefined => ending?.event;

test.concurrent.each(["stop", "kill"] as const)(
  "during a database outage of 5 s (%s), streams get heartbeats and no events, starts get 503, and every run completes afterwards [L2] [L5]",
  async (how) => {
    await using servers = await openServers({ heartbeatInterval: 250 });
    const { postgres, server } = servers;
    const { client } = server;
    const flood: Order = { deltas: 600, size: 500, delay: 3 };
    const inMidRun = [
      { component: "teams/desk", stream: await client.start("teams/desk", team(5)) },
      { component: "agents/talker", stream: await client.start("agents/talker", flood) },
    ];
    await Promise.all(inMidRun.map(({ stream }) => stream.until(50)));
    // Their models end during the outage.
    const atTheEnd = await Promise.all(
      Array.from({ length: 20 }, async (_, place) => ({
        component: "agents/talker",
        stream: await client.start("agents/talker", { deltas: 3, wait: 1_000 + 150 * place }),
      })),
    );
    const all = [...inMidRun, ...atTheEnd];

    await postgres[how]();
    const wentAway = Date.now();
    const open = all.filter(({ stream }) => !stream.ending).map(({ stream }) => stream);
    expect(open.length).toBeGreaterThan(0);
    const counts = () => open.map(({ events }) => events.length);
    // Events that were committed before the outage may still be on their way to the client.
    let shown: number[];
    do {
      shown = counts();
      await sleep(500);
    } while (counts().some((count, place) => count !== shown[place]));
    const beats = open.map(({ comments }) => comments.length);
    const refused: Promise<Answer>[] = [];
    while (Date.now() < wentAway + outage) {
      refused.push(client.post("/agents/talker/runs", { message: JSON.stringify({ deltas: 3 }) }));
      await sleep(400);
    }
    expect(counts()).toEqual(shown);
    expect(Math.min(...open.map(({ comments }, place) => comments.length - beats[place]!))).toBeGreaterThan(2);
    const cameBack = Date.now();
    await postgres.restart();

    await Promise.all(all.map(({ stream }) => stream.closed));
    expect(all.map(({ stream }) => endingOf(stream)?.replace("Team", ""))).toEqual(all.map(() => "RunCompleted"));
    const answers = await Promise.all(refused);
    // The first start may wait for the database, because the server has not noticed the outage yet.
    const codes = answers.map(({ status }) => status);
    expect(codes.filter((status) => status === 503).length).toBeGreaterThan(5);
    expect(codes.slice(codes.indexOf(503)).filter((status) => status !== 503)).toEqual([]);
    for (const { status, headers } of answers)
      if (status === 503) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    for (const { component, stream } of all) {
      const log = await client.log(component, stream.runId);
      expect(lossesOfReader(log, stream.events)).toEqual(noLosses);
      expect(
        log.filter(({ event, data }) => /RunCompleted$/.test(event!) && data.run_id === stream.runId),
      ).toHaveLength(1);
      const sessionId = log[0]?.data.session_id;
      expect((await client.record(component, { runId: stream.runId, sessionId })).status).toBe("COMPLETED");
    }
    const inBetween = inMidRun[1]!.stream.events.filter(
      ({ data }) => data.created_at * 1000 > wentAway + 1_000 && data.created_at * 1000 < cameBack - 1_000,
    );
    expect(inBetween.length).toBeLessThan(200);
  },
);

test.concurrent("an outage longer than outageTimeout ends streams with their cursor and no terminal event, and clients can resume afterwards [L2] [L3]", async ({
  expect,
}) => {
  await using servers = await openServers({ heartbeatInterval: 250, outageTimeout: 1_000 });
  const { postgres, server } = servers;
  const { client } = server;
  const streams = await Promise.all(
    Array.from({ length: 4 }, (_, place) => client.start("teams/desk", team(4 + place))),
  );
  const waiting = client.post("/agents/talker/runs", {
    stream: false,
    message: JSON.stringify({ deltas: 3, wait: 2_000 }),
  });
  await Promise.all(streams.map((stream) => stream.until(50)));
  const [first] = streams;

  await postgres.kill();
  expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual(streams.map(() => "ended"));
  expect(streams.map(endingOf)).toEqual(streams.map(() => undefined));
  expect(streams.map(({ comments }) => comments.at(-1))).toEqual(
    streams.map(({ cursor }) => `interrupted, resume with last_event_index=${cursor}`),
  );
  const [answer, resumed] = [await waiting, await client.post(`/teams/desk/runs/${first!.runId}/resume`)];
  expect([answer, resumed].map(({ status }) => status)).toEqual([503, 503]);
  expect([answer, resumed].every(({ headers }) => Number(headers["retry-after"]) > 0)).toBe(true);
  expect([answer.body.error_code, resumed.body.error_code]).toEqual(["RUN_CONTINUES", "SERVICE_UNAVAILABLE"]);
  const waitedFor = answer.headers["x-run-id"];
  expect(answer.body).toMatchObject({ run_id: waitedFor, session_id: expect.any(String) });
  expect(answer.headers.location).toBe(`/agents/talker/runs/${waitedFor}/resume`);

  await postgres.restart();
  await expect.poll(() => client.resume("teams/desk", first!.runId).then((stream) => stream.cut())).toBeUndefined();
  const followed = await client.stream(answer.headers.location ?? "", { session_id: answer.body.session_id });
  await followed.closed;
  expect(followed.ending?.event).toBe("RunCompleted");
  for (const stream of streams) {
    const seen = [...stream.events];
    const rest = await client.resume("teams/desk", stream.runId, stream.cursor);
    await rest.closed;
    expect(rest.ending?.event).toBe("TeamRunCompleted");
    expect(lossesOfReader(await client.log("teams/desk", stream.runId), [...seen, ...rest.events])).toEqual(noLosses);
  }
});

test.concurrent("runs that start during repeated database crashes complete if accepted, and every received event is stored [L2] [L5]", async ({
  expect,
}) => {
  await using servers = await openServers({});
  const { postgres, server } = servers;
  const { client } = server;
  const codes: number[] = [];
  const accepted: EventStream[] = [];
  const startOne = async (): Promise<void> => {
    const stream = await client.start("agents/talker", { deltas: 10 }).catch((error: Error) => error);
    if (stream instanceof Error) codes.push(Number(/\d+/.exec(stream.message)?.[0] ?? 0));
    else {
      accepted.push(stream);
      await stream.closed;
    }
  };
  let isOver = false;
  const starting = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      await startOne();
      await sleep(20);
    }
  });
  for (let crashes = 0; crashes < 6; crashes++) {
    await sleep(300);
    await postgres.kill();
    // Every other crash lasts until a start is rejected. Starts before that wait for the database.
    const before = codes.length;
    while (crashes % 2 === 1 && codes.length === before) {
      starting.push(startOne());
      await sleep(50);
    }
    await postgres.restart();
  }
  await sleep(300);
  isOver = true;
  await Promise.all(starting);

  expect(new Set(codes)).toEqual(new Set([503]));
  expect(accepted.length).toBeGreaterThan(0);
  expect(new Set(accepted.map(endingOf))).toEqual(new Set(["RunCompleted"]));
  const counts = { ...noLosses };
  for (const stream of accepted) {
    const losses = lossesOfReader(await client.log("agents/talker", stream.runId), stream.events);
    for (const name of ["lost", "repeated", "contradicted"] as const) counts[name] += losses[name];
  }
  expect(counts).toEqual(noLosses);
});

test.each(["frozen", "down"] as const)(
  "with a database that is %s, REST and A2A starts get 503 with Retry-After before outageTimeout, and none of their runs executes later",
  async (how) => {
    await using servers = await openServers({ heartbeatInterval: 250, outageTimeout: 16_000 });
    const { postgres, server } = servers;
    const { client } = server;
    const order = JSON.stringify({ deltas: 3 });
    const long = await client.start("agents/talker", { deltas: 4_000, delay: 20 });
    await long.until(3);
    const waited = client.post("/agents/talker/runs", {
      message: JSON.stringify({ deltas: 3, wait: 5_000 }),
      stream: false,
    });
    const runs = async (): Promise<readonly { readonly status: string }[]> =>
      (await client.get("/agents/talker/runs?limit=100")).body;
    await expect.poll(async () => (await runs()).length).toBe(2);

    if (how === "frozen") postgres.freeze();
    else await postgres.kill();
    const began = performance.now();
    const message = { messageId: "m", role: "user", parts: [{ kind: "text", text: order }] };
    const json = { "content-type": "application/json" };
    const a2a = (path: string) =>
      fetch(new URL(`/a2a/agents/talker/v1/${path}`, client.address), {
        ...{ method: "POST", headers: json, body: JSON.stringify({ jsonrpc: "2.0", id: 1, params: { message } }) },
      });
    const starts = [
      client.post("/agents/talker/runs", { message: order, stream: false }),
      client.post("/agents/talker/runs", { message: order, stream: true }),
      client.post("/agents/talker/runs", { message: order, background: true, stream: false }),
      client.post(
        "/agents/talker/runs",
        { message: order, session_id: "named", stream: false },
        { "idempotency-key": "k" },
      ),
    ];
    const tasks = [a2a("message:send"), a2a("message:stream")];
    const answers = await Promise.all(starts);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    for (const { headers } of answers) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    for (const { status, headers } of await Promise.all(tasks)) {
      expect(status).toBe(503);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(performance.now() - began).toBeLessThan(15_500);
    // A request that waits for a live run ends at outageTimeout.
    const goesOn = await waited;
    expect([goesOn.status, Number(goesOn.headers["retry-after"]) > 0]).toEqual([503, true]);
    expect(await long.closed).toBe("ended");
    expect(performance.now() - began).toBeLessThan(30_000);

    if (how === "frozen") postgres.thaw();
    else await postgres.restart();
    const again = { message: order, session_id: "named", stream: false };
    await expect
      .poll(async () => (await client.post("/agents/talker/runs", again, { "idempotency-key": "k" })).status)
      .toBe(200);
    // A run whose start got 503 although it was committed is cancelled before it executes.
    await expect.poll(async () => (await runs()).filter(({ status }) => status !== "CANCELLED").length).toBe(3);
  },
);
