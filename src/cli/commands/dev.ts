import { type ChildProcess, spawn } from "node:child_process";
import { relative, resolve } from "node:path";
import { checkAddress } from "../address.ts";
import { outsideEnvironment } from "../environment.ts";
import { findAppFile } from "../load.ts";
import { graceOf, logLevelOf, portOf, type ServeOptions } from "../options.ts";
import { WatchedFiles } from "../watched-files.ts";

/** Milliseconds without a further change after which the server is restarted: editors touch a file several times for one save. */
const quiet = 100;

/** How many ports are tried after the usual one. */
const triedPorts = 20;

/**
 * `troupe dev [file]`: `troupe start` in a process of its own, which is restarted when a file changes that it has loaded, with a short grace time. An app
 * that does not load waits for its next change.
 * @param isPortChosen false when the port is the default one: then the next free port is taken
 */
export async function dev(file: string | undefined, options: ServeOptions, isPortChosen: boolean): Promise<void> {
  const app = findAppFile(file);
  logLevelOf(options);
  const port = isPortChosen ? portOf(options) : await freePort(options);
  const grace = graceOf(options) === undefined ? ["--grace", "0"] : [];
  const rest = process.argv.slice(process.argv.indexOf("dev") + 1);
  const reporter = new URL(`../report-imports.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
  // Node would read an --env-file of the command line itself; behind "--" it does not.
  const server = [...process.execArgv, "--import", reporter.href, "--", process.argv[1] as string, "start"];
  const command = [...server, ...rest, ...grace, "--port", String(port)];

  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  let child: ChildProcess | undefined;
  let next: "wait" | "restart" | "end" = "wait";
  let pending: NodeJS.Timeout | undefined;

  const files = new WatchedFiles((path) => {
    clearTimeout(pending);
    pending = setTimeout(() => restart(path), quiet);
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
    // A server that is about to end is followed by one that reads the files later.
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

/** The usual port, or the next one that is free. @throws ConfigurationError when none of them can be listened on */
async function freePort(options: ServeOptions): Promise<number> {
  const usual = portOf(options);
  for (let port = usual; port < usual + triedPorts; port++) {
    const isFree = await checkAddress(options.host, port).then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    if (port !== usual) console.log(`Port ${usual} is in use, so the server listens on port ${port}.`);
    return port;
  }
  await checkAddress(options.host, usual);
  return usual;
}
