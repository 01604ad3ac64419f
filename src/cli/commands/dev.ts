import { type ChildProcess, spawn } from "node:child_process";
import { relative, resolve } from "node:path";
import { checkAddress } from "../address.ts";
import { outsideEnvironment } from "../environment.ts";
import { findAppFile } from "../load.ts";
import { logOf, metricsPortOf, portOf, type ServeOptions, shutdownTimeoutOf } from "../options.ts";
import { WatchedFiles } from "../watched-files.ts";

/** Milliseconds without a further change before the server restarts: editors write a file several times for one save. */
const quietTime = 100;

/** Number of ports to try, beginning with the default port. */
const maxPorts = 20;

/**
 * `troupe dev [file]`: runs `troupe start` in a child process with a shutdown timeout of 0, and restarts it when a file that it has loaded
 * changes. If the app fails to load, it waits for the next change.
 * @param chosen false for an option that has its default: if the port is taken, the server uses the next free one
 */
export async function dev(
  file: string | undefined,
  options: ServeOptions,
  chosen: Readonly<Record<"port", boolean>>,
): Promise<void> {
  const app = findAppFile(file);
  logOf(options);
  metricsPortOf(options);
  const port = chosen.port ? portOf(options) : await freePort(options);
  const timeout = shutdownTimeoutOf(options) === undefined ? ["--shutdown-timeout", "0"] : [];
  const rest = process.argv.slice(process.argv.indexOf("dev") + 1);
  const reporter = new URL(`../report-imports.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
  // Node would interpret `--env-file` itself; after "--" it does not.
  const server = [...process.execArgv, "--import", reporter.href, "--", process.argv[1] as string, "start"];
  const command = [...server, ...rest, ...timeout, "--processes", "none", "--port", String(port)];

  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  let child: ChildProcess | undefined;
  let next: "wait" | "restart" | "end" = "wait";
  let pending: NodeJS.Timeout | undefined;

  const files = new WatchedFiles((path) => {
    clearTimeout(pending);
    pending = setTimeout(() => restart(path), quietTime);
  });
  for (const path of [app, ...(options.envFile === undefined ? [] : [options.envFile])]) files.add(resolve(path));

  function begin(): void {
    next = "wait";
    files.renew();
    child = spawn(process.execPath, command, {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      env: outsideEnvironment(),
    });
    child.on("message", (path) => files.add(String(path)));
    child.once("exit", (code) => {
      child = undefined;
      if (next === "end") end(code ?? 0);
      else if (next === "restart") begin();
      else console.log(`The server ended with code ${code}. Waiting for file changes.`);
    });
  }

  function restart(path: string): void {
    // The server is already stopping; its replacement will read the new files.
    if (next !== "wait") return;
    console.log(`Restarting: ${relative("", path) || path} has changed.`);
    next = "restart";
    if (child) child.kill("SIGTERM");
    else begin();
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      next = "end";
      clearTimeout(pending);
      if (child) child.kill(signal);
      else end(0);
    });
  }
  begin();
  process.exitCode = await ended;
  files.close();
}

/** Returns the default port, or the next free one. @throws ConfigurationError if none of them is free */
async function freePort(options: ServeOptions): Promise<number> {
  const firstPort = portOf(options);
  for (let port = firstPort; port < firstPort + maxPorts; port++) {
    const isFree = await checkAddress(options.host, port).then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    if (port !== firstPort) console.log(`Port ${firstPort} is in use, so the server listens on port ${port}.`);
    return port;
  }
  await checkAddress(options.host, firstPort);
  return firstPort;
}
