/**
 * Resident memory under a steady mixed load, minute by minute, on every database at the same time. A pass is a minute, so `--passes 30` measures half an hour. The load is
 * low, because the question is whether memory grows.
 */
import type { Candidate, QuestionOf } from "../parts/bench.ts";
import type { Child } from "../parts/child.ts";
import type { LoadCommands, TroupeCommands } from "../parts/commands.ts";
import { formRequest } from "../parts/connection.ts";
import { median } from "../parts/statistics.ts";
import { printTable } from "../parts/table.ts";
import { now, sleep } from "../parts/time.ts";

const MiB = 1024 * 1024;
const minute = 60_000;
/** Live runs at 30 events a second. */
const live = 10;
/** Each second: streams of agents and of teams as fast as they are read, a resumed stream, and runs without a stream. */
const agentStreams = 3;
const teamStreams = 1;
const plainRuns = 10;

const paced = formRequest("/agents/paced/runs", { message: "Hello", stream: "true" });
const plain = formRequest("/agents/answer/runs", { message: "Hello", stream: "false" });
const ofAgent = formRequest("/agents/burst/runs", { message: "Hello", stream: "true" });
const ofTeam = formRequest("/teams/burst/runs", { message: "Hello", stream: "true" });

interface Subject {
  readonly server: Candidate<TroupeCommands>;
  readonly load: Child<LoadCommands>;
  /** Resident MiB at the end of each minute. */
  readonly resident: number[];
  runs: number;
}

export const steadyMemory: QuestionOf = async (bench) => {
  const subjects: Subject[] = [];
  for (const engine of bench.options.engines) {
    subjects.push({ server: await bench.troupe(engine), load: bench.load(), resident: [], runs: 0 });
  }
  const end = now() + bench.options.passes * minute;
  const rows: Record<string, string | number>[] = [await look("start", subjects)];
  const loading = Promise.all(subjects.map((subject) => loadUntil(end, subject)));
  for (let passed = 1; passed <= bench.options.passes; passed++) {
    // The load resolves only at its end, but may fail earlier.
    await Promise.race([loading, sleep(end - (bench.options.passes - passed) * minute - now())]);
    const row = await look(passed, subjects);
    // Printed at once, so that a long measurement shows its progress.
    console.log(JSON.stringify(row));
    rows.push(row);
  }
  await loading;
  await sleep(minute);
  rows.push(await look("idle for a minute", subjects));
  printTable("Memory in MiB under a steady load", rows);
  for (const { server, resident } of subjects) {
    // The first third warms up.
    const steady = resident.slice(Math.floor(resident.length / 3));
    const half = Math.floor(steady.length / 2);
    const [before, after] = [median(steady.slice(0, half)), median(steady.slice(half))];
    console.log(`${server.name}: median ${before.toFixed(0)} MiB in the second third, ${after.toFixed(0)} in the last`);
  }
};

async function loadUntil(end: number, subject: Subject): Promise<void> {
  const { load, server } = subject;
  const { port } = server;
  const stream = (request: string, connections: number) =>
    load.ask("burst", { port, requests: [request], connections, rounds: 1 });
  await load.ask("keep", { ports: [port], request: paced, connections: live, ramp: 10_000, again: true });
  while (now() < end) {
    const begun = now();
    const { runIds } = await stream(ofAgent, agentStreams);
    await stream(ofTeam, teamStreams);
    await stream(formRequest(`/agents/burst/runs/${runIds[0]}/resume`, {}), 1);
    await load.ask("requests", { port, request: plain, connections: 2, total: plainRuns });
    subject.runs += agentStreams + teamStreams + plainRuns;
    await sleep(Math.max(0, begun + 1000 - now()));
  }
  await load.ask("release", { wait: true });
}

async function look(moment: string | number, subjects: readonly Subject[]): Promise<Record<string, string | number>> {
  const row: Record<string, string | number> = { minute: moment };
  for (const subject of subjects) {
    const { ended, faults } = await subject.load.ask("window", undefined);
    if (faults[0]) console.error(`${faults.length} streams broke, the first one: ${faults[0]}`);
    subject.runs += ended;
    const memory = await subject.server.process.ask("memory", undefined);
    if (typeof moment === "number") subject.resident.push(memory.resident / MiB);
    const of = (bytes: number): string => (bytes / MiB).toFixed(0);
    row[`${subject.server.name}: runs`] = subject.runs;
    row[`${subject.server.name}: resident`] = of(memory.resident);
    row[`${subject.server.name}: heap used`] = of(memory.heapUsed);
    row[`${subject.server.name}: buffers`] = of(memory.buffers);
  }
  return row;
}
