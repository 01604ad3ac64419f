/** Time from process start to the first response of /health, and the memory used then: of the installed package, beside bare `node:http`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { Figures, type QuestionOf } from "../parts/bench.ts";
import type { BenchDatabase } from "../parts/databases.ts";
import type { InstalledPackage } from "../parts/installed-package.ts";
import { printTable, spread } from "../parts/table.ts";
import { now, sleep } from "../parts/time.ts";

/** Milliseconds until the second look at the memory. */
const later = 1_000;

export const startUp: QuestionOf = async (bench) => {
  const installed = await bench.installed();
  const bare = new Figures();
  for (let pass = 0; pass < bench.options.passes * 2; pass++) bare.add(await startBare(later));
  const rows = [{ database: "none: bare node:http", ...bare.cells(spread) }];
  for (const engine of bench.options.engines) {
    const [fresh, again] = [new Figures(), new Figures()];
    for (let pass = 0; pass < bench.options.passes * 2; pass++) {
      const database = await bench.database(engine);
      fresh.add(await startTroupe(installed, database, later));
      again.add(await startTroupe(installed, database, later));
    }
    rows.push({ database: `${engine}, empty`, ...fresh.cells(spread) });
    rows.push({ database: `${engine}, there already`, ...again.cells(spread) });
  }
  printTable("From start to the first answer of /health", rows);
};

/** Columns of a start. */
type StartFigures = Record<"ms" | "RSS MiB", number>;

/** Starts the installed package on a database and stops it. @param wait milliseconds until a second look at the memory */
export async function startTroupe(
  { launcher, app }: InstalledPackage,
  { listen }: BenchDatabase,
  wait = 0,
): Promise<StartFigures & Record<string, number>> {
  const place = listen.database ? ["--database", listen.database] : ["--data-dir", listen.dataDir ?? ""];
  return await start((port) => [launcher, "start", app, "--port", port, ...place], wait);
}

/** Starts and stops a bare server that answers every request. */
export async function startBare(wait = 0): Promise<StartFigures & Record<string, number>> {
  const script = "require('node:http').createServer((_, response) => response.end()).listen(+process.argv[1])";
  return await start((port) => ["--eval", script, port], wait);
}

async function start(
  argumentsFor: (port: string) => readonly string[],
  wait: number,
): Promise<StartFigures & Record<string, number>> {
  const port = await freePort();
  const begun = now();
  const server = spawn(process.execPath, argumentsFor(String(port)), { stdio: "ignore" });
  try {
    while (!(await isHealthy(port))) {
      if (server.exitCode !== null) throw new Error("The server ended.");
      await sleep(5);
    }
    const milliseconds = now() - begun;
    const first = residentOf(server);
    if (wait === 0) return { ms: milliseconds, "RSS MiB": first };
    await sleep(wait);
    return { ms: milliseconds, "RSS MiB": first, "a second later": residentOf(server) };
  } finally {
    const exited = once(server, "exit");
    server.kill("SIGTERM");
    await exited;
  }
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
}

/** MiB, on Linux only. Returns the memory of the process or of its child, whichever is larger: the launcher may have started the server as its child. */
function residentOf(process: ChildProcess): number {
  const pids = [String(process.pid), ...childrenOf(String(process.pid))];
  return Math.max(...pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024));
}

function childrenOf(pid: string): string[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
