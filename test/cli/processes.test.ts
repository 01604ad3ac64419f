/** `troupe start --processes`: several server processes on one port, on a real Postgres. */
import { execFileSync } from "node:child_process";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { FollowedRun } from "../chaos/followed-run.ts";
import { createDatabase } from "../support/databases.ts";
import { type Series, seriesOf } from "../support/scrape.ts";
import { StreamClient } from "../support/stream-client.ts";
import { type Serving, type Workplace, workplace } from "./support/troupe.ts";

// Every test starts several processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const app = `import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";
const talker = defineAgent({
  id: "talker",
  model: scriptedModel(({ message }) => {
    const { words, delay } = JSON.parse(message);
    return { text: Array.from({ length: words }, (_, place) => place + " "), delay };
  }),
});
export default definePlatform({
  id: "talk",
  agents: [talker],
  settings: {
    leaseDuration: 3_000, leaseRenewInterval: 700, sweepInterval: 300, followPollInterval: 500,
    drainDuration: 1_000, shutdownTimeout: 4_000, maxStalledTakeovers: 30,
  },
});
`;

interface Served extends AsyncDisposable {
  readonly place: Workplace;
  readonly server: Serving;
  readonly url: string;
  readonly client: StreamClient;
  metrics(): Promise<Series>;
}

async function serve(commandLine = "", file = app): Promise<Served> {
  const { url, drop } = await createDatabase();
  const place = await workplace({ "app.ts": file });
  const line = `start --processes 2 --port 0 --metrics-port 0 --database ${url} ${commandLine}`;
  const server = await place.serve(line.trim());
  await server.printed(/LAST_ID/);
  const metricsUrl = / metrics +(http:\S+)/.exec(server.output)?.[1] ?? "";
  return {
    ...{ place, server, url, client: new StreamClient(server.address) },
    metrics: async () => seriesOf(await (await fetch(metricsUrl)).text()),
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await drop();
    },
  };
}

/** The process ids of the server processes. */
function processesOf({ pid }: Serving): number[] {
  try {
    return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map(Number);
  } catch {
    return [];
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function sumOf(series: Series, name: string): number {
  return [...series].reduce((sum, [key, value]) => (key.split("{", 1)[0] === name ? sum + value : sum), 0);
}

interface LogLine {
  readonly process: number | "primary";
  readonly pid: number;
  readonly msg: string;
}

function linesOf({ output }: Serving): LogLine[] {
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
}

/** Follows a run to its end, and resumes whenever the stream ends before. */
async function follow(client: StreamClient, order: object): Promise<FollowedRun> {
  let stream = await client.start("agents/talker", order);
  const run = new FollowedRun("agents/talker", stream.runId, "");
  for (;;) {
    await stream.closed;
    for (const frame of stream.frames) run.take(frame);
    if (run.isOver) return run;
    stream = await client.resume("agents/talker", run.runId, run.cursor);
  }
}

/** Checks that the client has received the stored log, each event exactly once. */
async function expectWholeLog(client: StreamClient, run: FollowedRun): Promise<void> {
  const stored = new FollowedRun(run.component, run.runId, "");
  for (const frame of await client.log(run.component, run.runId)) stored.take(frame);
  expect({ repeated: run.repeated, skipped: run.skipped, cursor: run.cursor, bytes: run.digest.value }).toEqual({
    repeated: 0,
    skipped: 0,
    cursor: stored.cursor,
    bytes: stored.digest.value,
  });
}

test("two processes serve one port, log with their number, and one endpoint sums their metrics", async () => {
  await using served = await serve("--log-level info");
  const { server, client, metrics } = served;
  expect(server.output).toContain("\n  processes 2\n");
  const orders = Array.from({ length: 60 }, () => ({ words: 2, delay: 1 }));
  for (const order of orders) await follow(client, order);
  for (let turn = 0; turn < 40; turn++) expect((await client.get("/health")).status).toBe(200);

  await expect.poll(() => linesOf(server).filter(({ msg }) => msg === "A request finished.").length).toBe(60);
  const lines = linesOf(server).filter(({ msg }) => msg === "A request finished.");
  expect(new Set(lines.map((line) => line.process))).toEqual(new Set([1, 2]));
  expect(new Set(lines.map(({ pid }) => pid))).toEqual(new Set(processesOf(server)));

  const series = await metrics();
  expect(sumOf(series, "troupe_runs_started_total")).toBe(60);
  expect(sumOf(series, "troupe_http_requests_total")).toBe(100);
  expect(series.get("troupe_server_processes")).toBe(2);
  expect(series.get("troupe_database_up")).toBe(1);
  expect(series.get("troupe_queued_runs")).toBe(0);
});

test("after kill -9 of one process its runs continue, clients get every event once, a replacement is ready, and counters do not decrease", async () => {
  await using served = await serve();
  const { server, client, metrics } = served;
  const before = processesOf(server);
  const following = Array.from({ length: 12 }, () => follow(client, { words: 60, delay: 60 }));
  await expect.poll(async () => sumOf(await metrics(), "troupe_live_runs")).toBe(12);
  const { length } = before;
  expect(length).toBe(2);
  const started =
    sumOf(await metrics(), "troupe_http_requests_total") + sumOf(await metrics(), "troupe_runs_started_total");
  process.kill(before[0] ?? 0, "SIGKILL");
  for (const run of await Promise.all(following)) await expectWholeLog(client, run);

  await expect.poll(async () => (await metrics()).get("troupe_server_processes")).toBe(2);
  const after = processesOf(server);
  expect(after).toHaveLength(2);
  expect(after).toContain(before[1]);
  expect(after).not.toContain(before[0]);
  const series = await metrics();
  expect(series.get("troupe_server_process_exits_total")).toBe(1);
  expect(sumOf(series, "troupe_runs_started_total")).toBe(12);
  expect(sumOf(series, "troupe_runs_ended_total")).toBe(12);
  expect(sumOf(series, "troupe_run_takeovers_total")).toBeGreaterThan(0);
  expect(sumOf(series, "troupe_http_requests_total") + 12).toBeGreaterThan(started);
  expect(sumOf(series, "troupe_live_runs")).toBe(0);
  await server.printed(/"msg":"A server process ended; it is replaced\."/);
});

/** Sends requests one after another until `signal` aborts. Returns the statuses and errors, with their number. */
async function load(
  address: string,
  agent: Agent | false,
  signal: AbortSignal,
  counts: Map<string, number>,
): Promise<void> {
  const send = (method: string, path: string, body: string): Promise<string> =>
    new Promise((resolve) => {
      const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": body.length };
      request(`${address}${path}`, { method, agent, headers: body ? headers : {} }, (response) => {
        response.on("error", (error) => resolve(String(error))).resume();
        response.on("end", () => resolve(`${method} ${response.statusCode}`));
      })
        .on("error", (error) => resolve(`${method} ${error.message}`))
        .end(body);
    });
  const message = encodeURIComponent(JSON.stringify({ words: 20, delay: 10 }));
  const requests: [string, string, string][] = [
    ["GET", "/health/ready", ""],
    ["POST", "/agents/talker/runs", `message=${message}&stream=false`],
    ["POST", "/agents/talker/runs", `message=${message}&stream=true`],
  ];
  for (let turn = 0; !signal.aborted; turn++) {
    const outcome = await send(...(requests[turn % requests.length] as [string, string, string]));
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
}

test("SIGHUP under load restarts every process, no request fails, and long runs continue", async () => {
  await using served = await serve("--log-level info");
  const { server, client } = served;
  const before = processesOf(server);
  const counts = new Map<string, number>();
  const over = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const clients = [agent, agent, agent, agent, false, false] as const;
  const loads = clients.map((each) => load(server.address, each, over.signal, counts));
  const long = Array.from({ length: 4 }, () => follow(client, { words: 100, delay: 120 }));
  await sleep(1_000);
  server.signal("SIGHUP");
  await server.printed(/All server processes were restarted/);
  await sleep(500);
  over.abort();
  await Promise.all(loads);
  agent.destroy();
  expect(Object.fromEntries(counts)).toEqual({ "GET 200": expect.any(Number), "POST 200": expect.any(Number) });
  expect(counts.get("POST 200")).toBeGreaterThan(50);
  const after = processesOf(server);
  expect(after).toHaveLength(2);
  for (const pid of before) expect(after).not.toContain(pid);
  for (const run of await Promise.all(long)) await expectWholeLog(client, run);
});

test("a restart with a broken app keeps the old processes, and a replacement waits until the app is whole again", async () => {
  await using served = await serve();
  const { server, client, place } = served;
  const before = processesOf(server);
  await place.write({ "app.ts": 'throw new Error("I am broken");' });
  server.signal("SIGHUP");
  await server.printed(/The restart was stopped, because a new process ended before it was ready/);
  expect(server.output).toContain("I am broken");
  expect(processesOf(server)).toEqual(before);
  expect((await client.get("/health")).status).toBe(200);

  process.kill(before[0] ?? 0, "SIGKILL");
  await server.printed(/"pause":[1-9]\d\d\d/);
  expect((await client.get("/health")).status).toBe(200);
  await place.write({ "app.ts": app });
  await expect.poll(async () => (await served.metrics()).get("troupe_server_processes")).toBe(2);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends all processes with exit code 0", async (signal) => {
  await using served = await serve();
  const { server, client } = served;
  const processes = processesOf(server);
  const stream = await client.start("agents/talker", { words: 20, delay: 50 });
  await stream.until(3);
  // A terminal sends the signal to all processes.
  if (signal === "SIGINT") for (const pid of processes) process.kill(pid, signal);
  server.signal(signal);
  expect((await server.exited).code).toBe(0);
  expect(stream.ending?.event).toBe("RunCompleted");
  expect(processes.filter(isThere)).toEqual([]);
});

test("after a readiness check, all processes serve starts for drainDuration while none of them is ready", async () => {
  await using served = await serve("", app.replace("drainDuration: 1_000", "drainDuration: 10_000"));
  const { server, client } = served;
  expect((await client.get("/health/ready")).status).toBe(200);
  server.signal("SIGTERM");
  await expect.poll(async () => (await client.get("/health/ready")).status).toBe(503);
  for (let turn = 0; turn < 8; turn++) {
    expect((await client.get("/health/ready")).status).toBe(503);
    const fields = { message: JSON.stringify({ words: 1, delay: 1 }), stream: false };
    expect((await client.post("/agents/talker/runs", fields)).status).toBe(200);
  }
  expect((await server.exited).code).toBe(0);
});

test("a second signal ends all processes at once with code 1", async () => {
  await using served = await serve();
  const { server, client } = served;
  const processes = processesOf(server);
  const stream = await client.start("agents/talker", { words: 100, delay: 1_000 });
  await stream.until(2);
  server.signal("SIGTERM");
  await server.printed(/SIGTERM: waiting for live runs to end/);
  server.signal("SIGTERM");
  expect((await server.exited).code).toBe(1);
  await expect.poll(() => processes.filter(isThere)).toEqual([]);
});

test("after kill -9 of the primary process its processes end, and their runs are free for others at once", async () => {
  await using served = await serve();
  const { server, client, place, url } = served;
  const processes = processesOf(server);
  const stream = await client.start("agents/talker", { words: 60, delay: 100 });
  await stream.until(3);
  server.signal("SIGKILL");
  await expect.poll(() => processes.filter(isThere)).toEqual([]);
  expect(stream.comments.join()).toContain("last_event_index");

  const other = await place.serve(`start --processes 1 --port 0 --database ${url}`);
  const again = new StreamClient(other.address);
  const run = new FollowedRun("agents/talker", stream.runId, "");
  for (const frame of stream.frames) run.take(frame);
  const rest = await again.resume("agents/talker", run.runId, run.cursor);
  await rest.closed;
  for (const frame of rest.frames) run.take(frame);
  expect(run.isOver).toBe(true);
  await expectWholeLog(again, run);
});

test("the command ends with code 1 and the reason if the first start fails", async () => {
  await using place = await workplace({ "app.ts": app, "broken.ts": 'throw new Error("I am broken");' });
  const sqlite = await place.troupe("start --port 0 --processes 2");
  expect(sqlite).toEqual({
    code: 1,
    stdout: "",
    stderr:
      "troupe: --processes needs Postgres, because only one process can open the embedded database: set DATABASE_URL to a Postgres, or leave --processes out.\n",
  });
  const database = "postgres://nobody@127.0.0.1:1/nothing";
  const unknown = await place.troupe(`start --port 0 --database ${database}`, { TROUPE_PROCESSES: "many" });
  expect(unknown.stderr).toBe('troupe: Processes "many" is not auto, none, or a number from 1 to 256.\n');
  const broken = await place.troupe(`start broken.ts --port 0 --database ${database} --processes auto`);
  expect(broken.code).toBe(1);
  expect(broken.stderr).toMatch(/^troupe: broken\.ts cannot be loaded: Error: I am broken\n/);
  expect(broken.stderr).toMatch(
    /\ntroupe: The server did not start: its process 1 ended with code 1 before it was ready\.\n$/,
  );
  const away = await place.troupe(`start --port 0 --database ${database} --processes 2`);
  expect([away.code, away.stderr]).toEqual([1, expect.stringContaining("cannot be used")]);
});

test("dev runs one process, whatever TROUPE_PROCESSES is", async () => {
  await using place = await workplace({ "app.ts": app });
  const server = await place.serve("dev --port 0", { TROUPE_PROCESSES: "2" });
  expect(server.output).not.toContain("processes");
});
