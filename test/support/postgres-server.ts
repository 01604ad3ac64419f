import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import { guardFolders, makeFolder, memoryFolder, unprivilegedUser } from "./postgres-folders.ts";

const startTimeout = 30_000;

export interface PostgresOptions {
  /** Whether the server waits for the disk. Default: off, because test data need not survive the machine. */
  fsync?: boolean;
  /** Default: a free port. */
  port?: number;
  /** Returns the folder with the server's programs, which may be copied into the given one. Default: see `findPostgresBinaries`. */
  binaries?(copyInto: string): string;
  /** Options of `initdb` for the order of texts. Default: a language's order. */
  locale?: readonly string[];
  /** Further server settings, for example `{ max_connections: "20" }`. */
  settings?: Record<string, string>;
}

export interface PostgresServer {
  /** URL of the database `postgres`, as a superuser. Restarts do not change it. */
  readonly url: string;
  /** Process id of the postmaster; undefined while the server is down. */
  readonly pid: number | undefined;
  /** Ends all connections and shuts down; the data remains. */
  stop(): Promise<void>;
  /** Crashes the server: no data is flushed, connections break, and the next start recovers from the write-ahead log. */
  kill(): Promise<void>;
  /** Ends all processes of the server at once with SIGKILL, as a lost machine does: clients receive no message. */
  killHard(): Promise<void>;
  /** Stops all processes of the server (SIGSTOP): connections stay open, and no query returns. */
  freeze(): void;
  /** Resumes the stopped processes. */
  thaw(): void;
  /** Starts the server on the same port and data; stops it first if it is up. */
  restart(): Promise<void>;
  /** Stops the server and deletes its data. */
  dispose(): Promise<void>;
}

/** What creates a server's data folder: the binaries, the folder, and a file with the superuser's password. */
export interface DataFolder {
  readonly binaries: string;
  readonly data: string;
  readonly passwordFile: string;
  /** Runs a program of the binaries as the server's user. */
  run(program: string, args: readonly string[]): Promise<void>;
}

/** Starts a Postgres server on a free port of 127.0.0.1. It ends with the test process, even after kill -9. */
export function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  return startOnFolder(randomBytes(16).toString("hex"), options, async ({ data, passwordFile, run }) => {
    const access = ["--username=troupe", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
    // A language's text order, as on most servers: queries that need the binary order must specify it.
    const { locale = ["--locale=C", "--locale-provider=icu", "--icu-locale=en"] } = options;
    await run("initdb", [`--pgdata=${data}`, "--no-sync", "--encoding=UTF8", ...access, ...locale]);
  });
}

/** Starts a server on a folder that `create` fills. The superuser is `troupe` with that password. */
export async function startOnFolder(
  password: string,
  options: PostgresOptions,
  create: (folder: DataFolder) => Promise<void>,
): Promise<PostgresServer> {
  const user = unprivilegedUser();
  const folder = makeFolder(user, tmpdir());
  const data = makeFolder(user, options.fsync ? tmpdir() : memoryFolder());
  const guard = guardFolders(folder, data);
  try {
    const binaries = (options.binaries ?? findPostgresBinaries)(join(folder, "postgres"));
    const run = { cwd: folder, env: { PATH: binaries, LC_ALL: "C", TZ: "UTC" }, ...user };

    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, password);
    await create({
      binaries,
      data,
      passwordFile,
      async run(program, args) {
        await promisify(execFile)(join(binaries, program), args, run);
      },
    });

    const launch = (port: number) => launchServer({ binaries, folder, data, port, password, run, options });
    let { port, server } =
      options.port === undefined
        ? await launchOnFreePort(launch)
        : { port: options.port, server: await launch(options.port) };
    let frozen: readonly number[] = [];
    const thaw = (): void => {
      for (const pid of frozen) signalIfThere(pid, "SIGCONT");
      frozen = [];
    };
    const freeze = (): void => {
      const pid = server.pid ?? 0;
      server.kill("SIGSTOP");
      // The postmaster is stopped, so it forks no more processes.
      const children = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
        .trim()
        .split("\n")
        .map(Number);
      frozen = [...children, pid];
      for (const child of children) signalIfThere(child, "SIGSTOP");
    };
    const end = async (signal: NodeJS.Signals): Promise<void> => {
      thaw();
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
      async killHard() {
        freeze();
        for (const pid of frozen) signalIfThere(pid, "SIGKILL");
        frozen = [];
        server.ref();
        if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
        await removeLock(data);
      },
      freeze,
      thaw,
      async restart() {
        await end("SIGINT");
        server = await launch(port);
      },
      async dispose() {
        await end("SIGQUIT");
        for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
        guard.stdin?.end();
      },
    };
  } catch (error) {
    guard.stdin?.end();
    throw error;
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Removes what killed processes leave: the lock file, and the shared memory segment that its last line but one names. */
async function removeLock(data: string): Promise<void> {
  const lock = join(data, "postmaster.pid");
  const segment = /^ *\d+ +(\d+) *$/m.exec(readFileSync(lock, "utf8"))?.[1];
  // Without the program, the segment of 56 bytes stays until the machine restarts.
  if (segment !== undefined) await promisify(execFile)("ipcrm", ["-m", segment]).catch(() => undefined);
  rmSync(lock);
}

interface Launch {
  binaries: string;
  folder: string;
  data: string;
  port: number;
  password: string;
  run: { cwd: string; env: Record<string, string>; uid?: number; gid?: number };
  options: PostgresOptions;
}

async function launchServer({ binaries, folder, data, port, password, run, options }: Launch): Promise<ChildProcess> {
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
    // In the data folder: processes that are killed cannot remove it from anywhere else.
    dynamic_shared_memory_type: "mmap",
    ...options.settings,
  };
  const log = openSync(join(folder, "log"), "a");
  const server = spawn(
    join(binaries, "postgres"),
    ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    { ...run, detached: true, stdio: ["ignore", log, log] },
  );
  server.unref();
  closeSync(log);

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

/** Launches the server on a free port. Retries with another port if a process has taken it in between. */
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
