import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { findPostgresBinaries } from "./postgres-binaries.ts";

const startTimeout = 30_000;

export interface PostgresOptions {
  /** Whether the server waits for the disk. Off by default: a test's data need not survive the machine. */
  fsync?: boolean;
  /** Further server settings, for example `{ max_connections: "20" }`. */
  settings?: Record<string, string>;
}

export interface PostgresServer {
  /** Of the database `postgres`, as a superuser. Stays the same over restarts. */
  readonly url: string;
  /** Of the postmaster; undefined while the server is down. */
  readonly pid: number | undefined;
  /** Ends all connections and shuts down; the data stays. */
  stop(): Promise<void>;
  /** As a crash: nothing is written out, connections just break, the next start recovers from the write-ahead log. */
  kill(): Promise<void>;
  /** Starts the server on the same port and data, after stopping it if it is up. */
  restart(): Promise<void>;
  /** Stops the server and deletes its data. */
  dispose(): Promise<void>;
}

/** An own Postgres server on a free port of 127.0.0.1. It ends with the test process, however that one ends. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const user = unprivilegedUser();
  const folder = makeFolder(user);
  const guard = guardFolder(folder);
  try {
    const password = randomBytes(16).toString("hex");
    const binaries = findPostgresBinaries(join(folder, "postgres"));
    const run = { cwd: folder, env: { PATH: binaries, LC_ALL: "C", TZ: "UTC" }, ...user };

    writeFileSync(join(folder, "password"), password);
    const initArguments = ["--username=troupe", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"];
    const files = [`--pgdata=${join(folder, "data")}`, `--pwfile=${join(folder, "password")}`];
    await promisify(execFile)(join(binaries, "initdb"), [...initArguments, ...files], run);

    const launch = (port: number) => launchServer({ binaries, folder, port, password, run, options });
    let { port, server } = await launchOnFreePort(launch);
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, "exit");
      server.ref();
      server.kill(signal);
      await exited;
    };
    return {
      url: urlOf(port, password),
      get pid() {
        return server.exitCode === null && server.signalCode === null ? server.pid : undefined;
      },
      stop: () => end("SIGINT"),
      kill: () => end("SIGQUIT"),
      async restart() {
        await end("SIGINT");
        server = await launch(port);
      },
      async dispose() {
        await end("SIGQUIT");
        rmSync(folder, { recursive: true, force: true });
        guard.stdin?.end();
      },
    };
  } catch (error) {
    guard.stdin?.end();
    throw error;
  }
}

interface Launch {
  binaries: string;
  folder: string;
  port: number;
  password: string;
  run: { cwd: string; env: Record<string, string>; uid?: number; gid?: number };
  options: PostgresOptions;
}

async function launchServer({ binaries, folder, port, password, run, options }: Launch): Promise<ChildProcess> {
  const durability = options.fsync ? "on" : "off";
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    fsync: durability,
    full_page_writes: durability,
    max_connections: "200",
    shared_buffers: "128MB",
    jit: "off",
    ...options.settings,
  };
  const log = openSync(join(folder, "log"), "a");
  const server = spawn(
    join(binaries, "postgres"),
    ["-D", join(folder, "data"), ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { ...run, detached: true, stdio: ["ignore", log, log] },
  );
  server.unref();

  const deadline = Date.now() + startTimeout;
  while (!(await answers(urlOf(port, password)))) {
    const ended = server.exitCode !== null || server.signalCode !== null;
    if (ended || Date.now() > deadline) {
      server.kill("SIGQUIT");
      throw new Error(`Postgres did not start:\n${readFileSync(join(folder, "log"), "utf8").slice(-2000)}`);
    }
    await sleep(20);
  }
  return server;
}

/** Between the choice of a free port and its use somebody else may have taken it: then another one. */
async function launchOnFreePort(
  launch: (port: number) => Promise<ChildProcess>,
): Promise<{ port: number; server: ChildProcess }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { port, server: await launch(port) };
    } catch (error) {
      if (attempt === 3 || !String(error).includes("Address already in use")) throw error;
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("No free port.");
  return address.port;
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function urlOf(port: number, password: string): string {
  return `postgres://troupe:${password}@127.0.0.1:${port}/postgres`;
}

/** Postgres refuses to run as root: root starts it as `nobody`. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function makeFolder(user: { uid: number; gid: number } | undefined): string {
  const parent = user && !isOpenToAll(tmpdir()) ? "/tmp" : tmpdir();
  const folder = mkdtempSync(join(parent, "troupe-postgres-"));
  chmodSync(folder, 0o700);
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

function isOpenToAll(folder: string): boolean {
  const mayEnter = (statSync(folder).mode & 0o001) !== 0;
  return mayEnter && (dirname(folder) === folder || isOpenToAll(dirname(folder)));
}

/** A shell that outlives a killed test process: when the pipe to it breaks, it ends the server and deletes the folder. */
function guardFolder(folder: string): ChildProcess {
  const script = `cat > /dev/null
    lock="$1/data/postmaster.pid"
    pid=$(head -n 1 "$lock" 2> /dev/null) && kill -QUIT "$pid"
    for tenth in $(seq 100); do [ -e "$lock" ] && sleep 0.1; done
    rm -rf -- "$1"`;
  const guard = spawn("sh", ["-c", script, "guard", folder], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  guard.unref();
  (guard.stdin as Socket | null)?.unref();
  return guard;
}
