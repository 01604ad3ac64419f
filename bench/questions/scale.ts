/**
 * Time of everyday work in databases with very many finished runs, compared with a hundredth of them: start, flush, claim, listings, resume, history,
 * traces, usage, deletion and retention. The runs are copies of one run of 100 events. A user's data has the same size in all of them.
 */
import { type Bench, type Candidate, Figures, type QuestionOf } from "../parts/bench.ts";
import type { TroupeCommands } from "../parts/commands.ts";
import type { BenchDatabase } from "../parts/databases.ts";
import { type Generated, generateRuns, positionOf, runIdOf, sessionOf, traceIdOf } from "../parts/generated-runs.ts";
import { median, percentile } from "../parts/statistics.ts";
import { figure, printTable, spread } from "../parts/table.ts";
import { now, sleep } from "../parts/time.ts";
import { secretSigner, tokenOf } from "../parts/tokens.ts";

/** Requests or calls per database and pass. Those that change data have fewer. */
const [readCount, changeCount, flushCount] = [50, 5, 300];

/** Seconds without requests, in which the server polls. */
const idleSeconds = 4;

/** Milliseconds of events, traces and runs that count as old: all generated ones are older. */
const removalAge = 60_000;

const signer = secretSigner();
const environment = {
  JWT_VERIFICATION_KEY: signer.key,
  BENCH_ALGORITHM: signer.algorithm,
  BENCH_ISOLATION: "1",
};
const admin = tokenOf(signer, { sub: "admin", scopes: ["agent_os:admin"] });
const scopes = ["agents:read", "agents:run", "sessions:read", "sessions:write", "sessions:delete", "traces:read"];

/** A database with its server. */
interface Subject {
  readonly database: BenchDatabase;
  readonly generated: Generated;
  readonly tokens: Map<string, string>;
  server: Candidate<TroupeCommands>;
}

/** A request to a server. */
interface Asked {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  /** Default: an admin. */
  readonly user?: string;
}

type Figure = Readonly<Record<string, number>>;

/** One measured piece of work. */
interface Work {
  readonly name: string;
  measure(subject: Subject, pass: number): Promise<Figure>;
}

export const scale: QuestionOf = async (bench) => {
  const sizes = [bench.options.runs / 100, bench.options.runs / 10, bench.options.runs].map(Math.floor);
  for (const engine of bench.options.engines) {
    const subjects: Subject[] = [];
    for (const size of sizes) {
      const begun = now();
      subjects.push(await makeSubject(bench, engine, size));
      console.log(`(${engine}: ${size} runs generated in ${figure((now() - begun) / 1000)} s)`);
    }
    const figures = new Map<string, { size: number; found: Figures }[]>();
    const add = (name: string, place: number, found: Figure): void => {
      const all = figures.get(name) ?? sizes.map((size) => ({ size, found: new Figures() }));
      figures.set(name, all);
      all[place]?.found.add(found);
    };
    for (let pass = 0; pass < bench.options.passes; pass++) {
      for (const [place, subject] of subjects.entries()) {
        await subject.server.process.end();
        const begun = now();
        subject.server = await start(bench, engine, subject.database);
        add("start", place, { ms: now() - begun });
      }
      for (const work of [...reads, ...changes]) {
        for (const [place, subject] of subjects.entries()) add(work.name, place, await work.measure(subject, pass));
      }
    }
    printFigures(`${engine}: everyday work by the number of runs`, figures);
    for (const { server } of subjects) await server.process.end();
    for (const { database } of subjects) await database.remove();
  }
};

function printFigures(title: string, figures: ReadonlyMap<string, { size: number; found: Figures }[]>): void {
  const rows = [...figures].flatMap(([name, all]) => {
    const [least, most] = [all[0]?.found ?? new Figures(), all.at(-1)?.found ?? new Figures()];
    const ratios = most.over(least).cells(spread);
    return Object.keys(ratios).map((column) => ({
      work: Object.keys(ratios).length === 1 ? `${name}, ${column}` : `${name}: ${column}`,
      ...Object.fromEntries(all.map(({ size, found }) => [`${figure(size)} runs`, found.cells(middle)[column] ?? ""])),
      "largest to smallest": ratios[column] ?? "",
    }));
  });
  printTable(title, rows);
}

function middle(values: readonly number[]): string {
  return figure(median(values));
}

/** Creates a database with one run, and copies that run. */
async function makeSubject(bench: Bench, engine: Bench["options"]["engines"][number], size: number): Promise<Subject> {
  const database = await bench.database(engine);
  const server = await start(bench, engine, database);
  const subject = { database, server, tokens: new Map<string, string>() };
  await ask({ ...subject, generated: { count: 0, begun: 0, step: 0 } }, startRun("user-0"));
  await server.process.ask("compacted", undefined);
  await ask({ ...subject, generated: { count: 0, begun: 0, step: 0 } }, { path: "/metrics" });
  await server.process.end();
  return { ...subject, generated: await generateRuns(database, size) };
}

async function start(bench: Bench, engine: Bench["options"]["engines"][number], database: BenchDatabase) {
  return await bench.troupe(engine, { database, environment });
}

function startRun(user: string, sessionId?: string): Asked {
  const form = { message: "What is new?", stream: "false", ...(sessionId && { session_id: sessionId }) };
  return { method: "POST", path: "/agents/scale/runs", form, user };
}

/** Sends a request and returns its milliseconds. @throws Error unless it succeeds */
async function ask({ server, tokens }: Subject, { method, path, form, user }: Asked): Promise<number> {
  const token = user === undefined ? admin : (tokens.get(user) ?? tokenOf(signer, { sub: user, scopes }));
  if (user !== undefined) tokens.set(user, token);
  const begun = now();
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: method ?? "GET",
    headers: { authorization: `Bearer ${token}` },
    ...(form && { body: new URLSearchParams(form) }),
  });
  const body = await answer.text();
  if (!answer.ok) throw new Error(`${method ?? "GET"} ${path} answered ${answer.status}: ${body}`);
  return now() - begun;
}

/** Milliseconds of CPU so far of a server and its database. */
async function cpuOf({ server }: Subject): Promise<number> {
  return (await server.process.ask("cpu", undefined)) + server.databaseCpu();
}

/** Requests with their median. The number given to `toAsked` differs in every request of this work. */
function requests(name: string, toAsked: (generated: Generated, number: number) => Asked, count = readCount): Work {
  return {
    name,
    async measure(subject, pass) {
      const each: number[] = [];
      const cpu = await cpuOf(subject);
      for (let number = 0; number < count; number++)
        each.push(await ask(subject, toAsked(subject.generated, pass * count + number)));
      return { "ms p50": median(each), "CPU ms": ((await cpuOf(subject)) - cpu) / count };
    },
  };
}

/** Calls of the store, with their median. */
function calls(name: string, call: (subject: Subject) => Promise<readonly number[]>): Work {
  return { name, measure: async (subject) => ({ ms: median(await call(subject)) }) };
}

const page = "limit=50&sort_order=desc";

/** A listing of runs. */
function runList(query: string, user?: string): Asked {
  return { path: `/agents/scale/runs?${page}${query}`, ...(user && { user }) };
}

/** Places of runs that no removal and no deletion reaches: between three tenths and seven tenths of the generated ones. */
function placeOf({ count }: Generated, number: number): number {
  return Math.floor(count * (0.3 + (0.4 * ((number * 997) % 1_000)) / 1_000));
}

function resumed(generated: Generated, place: number): Asked {
  const { sessionId, user } = sessionOf(generated, place);
  const form = { session_id: sessionId };
  return { method: "POST", path: `/agents/scale/runs/${runIdOf(place)}/resume`, form, user };
}

function middleCursor(generated: Generated): string {
  const position = positionOf(generated, Math.floor(generated.count / 2));
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** The session of the run with a number, and its user. */
function chosen(generated: Generated, number: number): { readonly sessionId: string; readonly user: string } {
  return sessionOf(generated, placeOf(generated, number));
}

const reads: readonly Work[] = [
  requests("runs: last 50", () => runList("")),
  requests("runs: 50 from the middle", (generated) => runList(`&cursor=${middleCursor(generated)}`)),
  requests("runs: 50 from the middle, oldest first", (generated) => ({
    path: `/agents/scale/runs?limit=50&sort_order=asc&cursor=${middleCursor(generated)}`,
  })),
  requests("runs: of a session", (generated, n) => runList(`&session_id=${chosen(generated, n).sessionId}`)),
  requests("runs: of the caller, isolated", (generated, n) => runList("", chosen(generated, n).user)),
  requests("runs: failed", () => runList("&status=ERROR&limit=10")),
  requests("runs: failed, of the caller, isolated", (generated, n) =>
    runList("&status=ERROR", chosen(generated, n).user),
  ),
  requests("runs: running or waiting", () => runList("&status=PENDING&status=RUNNING&status=PAUSED")),
  requests("sessions: last 20", () => ({ path: "/sessions" })),
  requests("sessions: page 40", () => ({ path: "/sessions?page=40" })),
  requests("sessions: last changed 20", () => ({ path: "/sessions?sort_by=updated_at" })),
  requests("sessions: of the caller, isolated", (generated, n) => ({
    path: "/sessions?sort_by=updated_at",
    user: chosen(generated, n).user,
  })),
  requests("session: its history", (generated, n) => {
    const { sessionId, user } = chosen(generated, n);
    return { path: `/sessions/${sessionId}`, user };
  }),
  requests("session: its runs", (generated, n) => {
    const { sessionId, user } = chosen(generated, n);
    return { path: `/sessions/${sessionId}/runs`, user };
  }),
  requests("resume: an old run", (generated, n) =>
    resumed(generated, Math.floor(generated.count * 0.3) + (n % 20) * 10),
  ),
  requests("resume: a new run", (generated, n) => resumed(generated, generated.count - 1 - (n % 20) * 10)),
  requests("traces: last 20", () => ({ path: "/traces" })),
  requests("traces: page 40", () => ({ path: "/traces?page=40" })),
  requests("traces: failed", () => ({ path: "/traces?status=ERROR&limit=10" })),
  requests("traces: one", (generated, n) => ({ path: `/traces/${traceIdOf(placeOf(generated, n))}` })),
  requests("traces: of a session", (generated, n) => ({
    path: `/traces?session_id=${chosen(generated, n).sessionId}`,
  })),
  requests("traces: of the caller, isolated", (generated, n) => ({
    path: "/traces",
    user: chosen(generated, n).user,
  })),
  requests("traces: failed, of the caller, isolated", (generated, n) => ({
    path: "/traces?status=ERROR",
    user: chosen(generated, n).user,
  })),
  requests("traces: sessions", () => ({ path: "/trace_session_stats" })),
  requests("usage by day", () => ({ path: "/metrics" })),
  requests("approvals", () => ({ path: "/approvals" })),
];

const changes: readonly Work[] = [
  {
    name: "flush of one event",
    async measure(subject) {
      const { server } = subject;
      await server.process.ask("flushes", { count: 20 });
      const cpu = await cpuOf(subject);
      const times = await server.process.ask("flushes", { count: flushCount });
      const used = (await cpuOf(subject)) - cpu;
      return { "ms p50": median(times), "ms p99": percentile(times, 0.99), "CPU ms": used / flushCount };
    },
  },
  {
    name: "idle server",
    async measure(subject) {
      const cpu = await cpuOf(subject);
      await sleep(idleSeconds * 1000);
      return { "CPU ms per second": ((await cpuOf(subject)) - cpu) / idleSeconds };
    },
  },
  calls("claim of one run", ({ server }) => server.process.ask("claims", { count: readCount })),
  requests("run in a new session", () => startRun("user-0")),
  requests("run in an old session", (generated, n) => {
    const { sessionId, user } = chosen(generated, n);
    return startRun(user, sessionId);
  }),
  requests(
    "deletion of a session",
    (generated, n) => {
      // Each session is deleted once.
      const { sessionId, user } = sessionOf(generated, Math.floor(generated.count * 0.8) + 10 * n);
      return { method: "DELETE", path: `/sessions/${sessionId}`, user };
    },
    changeCount,
  ),
  ...(["events", "traces", "runs"] as const).map((kind) =>
    calls(`retention: a batch of 50, ${kind}`, ({ server }) =>
      server.process.ask("removals", { kind, count: changeCount, age: removalAge }),
    ),
  ),
];
