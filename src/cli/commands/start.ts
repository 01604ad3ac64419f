import { modeOf } from "../../auth/access-rules.ts";
import { checkHost, checkRole } from "../../platform/options.ts";
import { createServer, type Server } from "../../platform/server.ts";
import { checkAddress } from "../address.ts";
import { greeting } from "../greeting.ts";
import { allowHeapGrowth, boundNewSpace, exposeCollection } from "../heap.ts";
import { loadPlatform } from "../load.ts";
import { missingKeys } from "../model-keys.ts";
import { logOf, metricsPortOf, portOf, type ServeOptions, shutdownTimeoutOf } from "../options.ts";

/** Milliseconds after which a shutdown that still waits prints a message. */
const messageDelay = 500;

/** Milliseconds within which a second signal counts as the same one: the terminal sends it to all processes, and `node --watch` forwards it. */
const repeatWindow = 500;

/** Interval in milliseconds at which the parent process is checked under npm. */
const parentInterval = 500;

/** `troupe start [file]`: hosts a platform until SIGTERM or SIGINT. */
export async function start(file: string | undefined, options: ServeOptions): Promise<void> {
  allowHeapGrowth();
  exposeCollection();
  boundNewSpace();
  const shutdownTimeout = shutdownTimeoutOf(options);
  const port = portOf(options);
  const metricsPort = metricsPortOf(options);
  const log = logOf(options);
  const { database, directDatabase, readDatabase, dataDir, host, allowAnonymous, migrate, role } = options;
  checkRole(role, database);
  const platform = await loadPlatform(file);
  const mode = modeOf({ ...platform, environment: process.env });
  checkHost(host, allowAnonymous, mode);
  // Checked before the database is opened, because the start fails if the address is in use.
  await checkAddress(host, port);
  if (metricsPort !== undefined) await checkAddress(host, metricsPort, "--metrics-port");
  const server = await createServer(platform, {
    database,
    directDatabase,
    readDatabase,
    dataDir,
    host,
    port,
    allowAnonymous,
    migrate,
    role,
    metricsPort,
    log,
  });
  // A rejected promise that a tool did not handle must not end all runs.
  process.on("unhandledRejection", (error) => server.log.error({ error }, "A promise was rejected and not handled."));
  endOnSignals(server, shutdownTimeout);
  endWithParent();
  const address = await server.listen().catch(async (error: unknown) => {
    await server.close({ shutdownTimeout: 0 });
    throw error;
  });
  for (const missing of missingKeys(platform)) server.log.warn({}, missing);
  const { database: label, metricsUrl } = server;
  console.log(greeting(platform, { address, database: label, metricsUrl, mode }));
}

/**
 * npm sends a signal to the shell between npm and this process, and the shell exits without forwarding it. So this process ends when its
 * parent has exited.
 */
function endWithParent(): void {
  if (process.env.npm_command === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, parentInterval);
  timer.unref();
}

function endOnSignals(server: Server, shutdownTimeout: number | undefined): void {
  let began: number | undefined;
  const end = (signal: NodeJS.Signals): void => {
    if (began !== undefined) {
      if (performance.now() - began >= repeatWindow) process.exit(1);
      return;
    }
    began = performance.now();
    const timer = setTimeout(() => {
      console.log(
        `${signal}: waiting for live runs to end. Send the signal again to stop at once; unfinished runs continue in another process, or at the next start.`,
      );
    }, messageDelay);
    server
      .close(shutdownTimeout === undefined ? {} : { shutdownTimeout })
      .then(() => process.exit(0))
      .catch((error: unknown) => {
        server.log.error({ error }, "The server could not be closed cleanly.");
        process.exit(1);
      })
      .finally(() => clearTimeout(timer));
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
}
