/** Time from process start to the first response of /health, and the memory used then. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { Figures, type QuestionOf } from "../parts/bench.ts";
import type { BenchDatabase } from "../parts/databases.ts";
import { printTable, spread } from "../parts/table.ts";
import { now, sleep } from "../parts/time.ts";

const launcher = fileURLToPath(new URL("../../bin/troupe.mjs", import.meta.url));
const app = fileURLToPath(new URL("../parts/small-app.ts", import.meta.url));

export const startUp: QuestionOf = async (bench) => {
  const rows = [];
  for (const engine of bench.options.engines) {
    const [fresh, again] = [new Figures(), new Figures()];
    for (let pass = 0; pass < bench.options.passes * 2; pass++) {
      const database = await bench.database(engine);
      fresh.add(await start(database));
      again.add(await start(database));
    }
    rows.push({ database: `${engine}, empty`, ...fresh.cells(spread) });
    rows.push({ database: `${engine}, there already`, ...again.cells(spread) });
  }
  printTable("From start to the first answer of /health", rows);
};

async function start({ listen }: BenchDatabase): Promise<Record<string, number>> {
  const port = await freePort();
  const place = listen.database ? ["--database", listen.database] : ["--data-dir", listen.dataDir ?? ""];
  const begun = now();
  const server = spawn(process.execPath, [launcher, "start", app, "--port", String(port), ...place], {
    stdio: "ignore",
  });
  try {
    while (!(await isHealthy(port))) {
      if (server.exitCode !== null) throw new Error("The server ended.");
      await sleep(5);
    }
    const milliseconds = now() - begun;
    const first = residentOf(server);
    await sleep(1000);
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
