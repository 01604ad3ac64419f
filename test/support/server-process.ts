/** A server in a process of its own, started by the command line, which tests can kill. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Settings } from "../../src/model/settings.ts";
import type { TestDatabase } from "./databases.ts";
import { StreamClient } from "./stream-client.ts";

const ownLauncher = fileURLToPath(new URL("../../bin/troupe.mjs", import.meta.url));
const faultApp = fileURLToPath(new URL("./fault-app.ts", import.meta.url));

/** Maximum milliseconds of a start, on a busy machine. */
const startLimit = 90_000;

/** Options of a server process. */
export interface ProcessOptions {
  /** File of the hosted app. Default: the fault app. */
  readonly app?: string;
  /** File that Node loads before all others. */
  readonly preload?: string;
  /** Number of server processes below the command's own process. Default: the command's process is the server. */
  readonly processes?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The command line's launcher. Default: this checkout's. */
  readonly launcher?: string;
}

export interface ServerProcess extends AsyncDisposable {
  readonly pid: number;
  readonly client: StreamClient;
  /** All output and log lines of the process. */
  readonly output: string;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  signal(signal: NodeJS.Signals): void;
  /** Ends the process with SIGKILL, as a crash does. */
  crash(): Promise<void>;
  /** Returns the bytes in use after a garbage collection. */
  memory(): Promise<number>;
}

/** Starts a server on a database. Resolves when it listens. */
export async function startServerProcess(
  database: TestDatabase,
  settings: Partial<Settings> = {},
  { app = faultApp, preload, processes, env = {}, launcher = ownLauncher }: ProcessOptions = {},
): Promise<ServerProcess> {
  const place = database.kind === "sqlite" ? ["--data-dir", database.dataDir] : ["--database", database.url];
  const flags = preload ? ["--expose-gc", `--import=${pathToFileURL(preload).href}`] : ["--expose-gc"];
  const several = processes === undefined ? [] : ["--processes", String(processes)];
  // The primary process does not load the app, which ends a server when the test process is gone.
  if (processes !== undefined)
    flags.push('--import=data:text/javascript,process.on("disconnect",()=>process.exit(1));process.channel?.unref()');
  const child = spawn(process.execPath, [...flags, launcher, "start", app, "--port", "0", ...place, ...several], {
    env: { ...withoutTroupe(process.env), TEST_SETTINGS: JSON.stringify(settings), ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  const listening = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const address = / at (http:\S+)/.exec(output)?.[1];
        if (address) resolve(address);
      });
    }
  });
  const exited = once(child, "exit").then(([code, signal]) => ({ code, signal }));
  const address = await Promise.race([listening, exited, sleep(startLimit, undefined, { ref: false })]);
  if (typeof address !== "string") {
    child.kill("SIGKILL");
    const reason = address ? (address.signal ?? address.code) : `nothing in ${startLimit / 1000} s`;
    throw new Error(`The server did not start (${reason}):\n${output}`);
  }
  const crash = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  return {
    pid: child.pid ?? 0,
    client: new StreamClient(address),
    get output() {
      return output;
    },
    exited,
    signal: (signal) => void child.kill(signal),
    crash,
    async memory() {
      child.send("memory");
      const [bytes] = await once(child, "message");
      return bytes as number;
    },
    [Symbol.asyncDispose]: crash,
  };
}

/** The environment without variables that configure the server. */
function withoutTroupe(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    HOST: _1,
    PORT: _2,
    DATABASE_URL: _3,
    TROUPE_DATA_DIR: _4,
    LOG_LEVEL: _5,
    TROUPE_ROLE: _6,
    ...rest
  } = environment;
  return rest;
}
