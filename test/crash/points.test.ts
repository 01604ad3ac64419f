/** kill -9 at every durable step of the engine, one by one: the run recovers, and no event or effect is lost or repeated. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { type Losses, lossesOfReader, noLosses } from "../support/losses.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { EventStream, Frame } from "../support/stream-client.ts";
import type { CrashPoint } from "./points/points.ts";
import { act, answer, type Component, type Scenario, scenarios, words } from "./points/scenarios.ts";

// Every kill needs the start of another process.
vi.setConfig({ testTimeout: 1_800_000 });

const app = fileURLToPath(new URL("./points/app.ts", import.meta.url));
const preload = fileURLToPath(new URL("./points/preload.ts", import.meta.url));
const settings = {
  leaseDuration: 1_500,
  leaseRenewInterval: 300,
  sweepInterval: 200,
  answerSweepInterval: 200,
  followPollInterval: 300,
  shutdownTimeout: 100,
  compactionInterval: 200,
};

/** Time limit for a process to reach its crash point. */
const deathLimit = 60_000;

const teamContent = `Let me ask.\n\n${Array.from({ length: words }, (_, place) => `${place} `).join("")}`;

/** One process of a database: it completes the run of the process before, and dies at its own crash point. */
interface Life {
  readonly scenario: Scenario;
  readonly point: CrashPoint;
  /** Whether the run starts in this process, or another process left it. */
  readonly isFirst: boolean;
  /** Whether the next process must end the run. */
  readonly isLast: boolean;
}

function livesOf(chosen: readonly Scenario[]): Life[] {
  return chosen.flatMap((scenario, number) =>
    scenario.deaths.map(([step, moment], place) => ({
      scenario,
      point: { session: `session-${number}`, step, moment },
      isFirst: place === 0,
      isLast: place === scenario.deaths.length - 1,
    })),
  );
}

interface Effect {
  readonly name: "note" | "pay";
  readonly key: string;
  readonly session: string;
}

async function effectsOf(file: string, session: string): Promise<Effect[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Effect).filter((effect) => effect.session === session);
}

/** The outcome of a scenario's run, as a live process reports it. */
async function outcomeOf(server: ServerProcess, { scenario, point }: Life, seen: EventStream | undefined) {
  const { client } = server;
  const { session } = point;
  const { component = "teams/desk" } = scenario;
  const { status: code, body: runs } = await client.get(`/${component}/runs?session_id=${session}`);
  if (code === 404) return { ending: "none", losses: noLosses, terminals: 1, content: undefined };
  const runId: string = runs[0].run_id;
  const shown = seen?.events ?? [];
  if (scenario.act === "answer") await answerWhenPaused(server, component, runId, session);
  const rest = await client.stream(`/${component}/runs/${runId}/resume`, {
    last_event_index: seen?.cursor ?? -1,
    // Follow across a pause whose answerTimeout has not passed yet.
    follow: true,
  });
  await rest.closed;
  const log = await client.log(component, runId);
  const losses: Losses = lossesOfReader(log, [...shown, ...rest.events]);
  const ofTheRun = log.filter(({ data }) => data.run_id === runId);
  const terminals = ofTheRun.filter(({ event }) => /^(TeamRun|Workflow)(Completed|Error|Cancelled)$/.test(event!));
  if (component === "teams/crew") checkTasks(ofTheRun);
  const { status, content } = await client.record(component, { runId, sessionId: session });
  expect(log.at(-1)).toEqual(terminals[0]);
  return { ending: status, losses, terminals: terminals.length, content };
}

/** Each event of a task is in the log once, and the last list has all tasks. */
function checkTasks(log: readonly Frame[]): void {
  const names = log.map(({ event }) => event).filter((event) => event?.startsWith("TeamTask"));
  const counts = Object.fromEntries(names.map((name) => [name, names.filter((other) => other === name).length]));
  expect(counts).toEqual({
    ...{ TeamTaskIterationStarted: 1, TeamTaskCreated: 2, TeamTaskUpdated: 4 },
    ...{ TeamTaskIterationCompleted: 1, TeamTaskStateUpdated: 1 },
  });
  const state = log.find(({ event }) => event === "TeamTaskStateUpdated")?.data;
  const tasks = state.tasks.map((task: { title: string; status: string }) => `${task.title} ${task.status}`);
  expect([state.goal_complete, tasks.sort()]).toEqual([true, ["note completed", "pay completed"]]);
}

/** Answers the run again: the first process may have died before the answer, or before the pause. */
async function answerWhenPaused(server: ServerProcess, component: Component, runId: string, session: string) {
  const reader = await server.client.resume(component, runId);
  await reader.closed;
  const answered = await answer(server, component, runId, session);
  await answered.closed;
  expect(answered.status).toBe(200);
}

async function check(server: ServerProcess, life: Life, seen: EventStream | undefined, file: string): Promise<void> {
  const { scenario, point } = life;
  const name = scenario.deaths.map((death) => death.join(" ")).join(", then ");
  const found = await outcomeOf(server, life, seen);
  const content = scenario.component?.startsWith("workflows/") ? "I begin.\n\nI am done." : teamContent;
  expect({ name, losses: found.losses, terminals: found.terminals }).toEqual({ name, losses: noLosses, terminals: 1 });
  expect({ name, known: scenario.ends.includes(found.ending), ending: found.ending }).toMatchObject({ known: true });
  if (found.ending === "COMPLETED") expect({ name, content: found.content }).toEqual({ name, content });
  const effects = await effectsOf(file, point.session);
  const notes = effects.filter((effect) => effect.name === "note");
  const payments = effects.filter((effect) => effect.name === "pay").map(({ key }) => key);
  expect({ name, notes: notes.length > 1 }).toEqual({ name, notes: false });
  expect({ name, keys: new Set(payments).size > 1 }).toEqual({ name, keys: false });
  if (found.ending === "COMPLETED") expect({ name, paid: payments.length > 0 }).toEqual({ name, paid: true });
}

/** Executes scenarios on one database. On Postgres the next process is already live, and takes over when the lease expires. */
async function goThrough(chosen: readonly Scenario[], database: TestDatabase, file: string): Promise<void> {
  const isShared = database.kind === "postgres";
  const lives = livesOf(chosen);
  /** Returns undefined if the process dies of a run that it recovers before it listens. */
  const start = async (life: Life | undefined): Promise<ServerProcess | undefined> => {
    const env = { TEST_CRASH_POINT: JSON.stringify(life?.point ?? null), TEST_EFFECTS: file };
    return await startServerProcess(database, settings, { app, preload, env }).catch((error: Error) => {
      if (life === undefined || life.isFirst || !error.message.includes("SIGKILL")) throw error;
      return undefined;
    });
  };
  let server = await start(lives[0]);
  let seen: EventStream | undefined;
  for (const [place, life] of lives.entries()) {
    const next = isShared ? start(lives[place + 1]) : undefined;
    if (server && life.isFirst) seen = await act(life.scenario, server, life.point.session);
    const exited = server?.exited ?? { signal: "SIGKILL" };
    const died = await Promise.race([exited, sleep(deathLimit, undefined, { ref: false })]);
    expect({ ...life.point, signal: died?.signal }).toEqual({ ...life.point, signal: "SIGKILL" });
    await seen?.closed;
    server = await (next ?? start(lives[place + 1]));
    if (server && life.isLast) await check(server, life, seen, file);
  }
  await server?.crash();
}

/** Number of parallel databases per kind. Scenarios of one database run one after the other. */
const chains = { sqlite: 3, postgres: 3 } as const;

const groups = databaseKinds.flatMap((kind) =>
  Array.from({ length: chains[kind] }, (_, group) => ({
    kind,
    group: group + 1,
    chosen: scenarios.filter((_scenario, place) => place % chains[kind] === group),
  })),
);

test.concurrent.each(groups)(
  "after kill -9 at every durable step on $kind, group $group, the run ends once, received events are stored, and no tool effect is repeated [L1] [L2] [L3] [L5]",
  async ({ kind, chosen }) => {
    await using database = await openDatabaseOf(kind);
    const folder = await createDataDir();
    await goThrough(chosen, database, join(folder.path, "effects"));
    await folder.remove();
  },
);
