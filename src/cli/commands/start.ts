import { modeOf } from "../../auth/access-rules.ts";
import { checkHost, checkRole } from "../../platform/options.ts";
import { openServer } from "../../platform/server.ts";
import { checkAddress } from "../address.ts";
import { endOnSignals, endWithParent } from "../end.ts";
import { greeting } from "../greeting.ts";
import { allowHeapGrowth, boundNewSpace, exposeCollection } from "../heap.ts";
import { loadPlatform } from "../load.ts";
import { missingKeys } from "../model-keys.ts";
import { logOf, metricsPortOf, portOf, type ServeOptions, shutdownTimeoutOf } from "../options.ts";
import { takeAssignment } from "../processes/assignment.ts";

/** `troupe start [file]`: hosts a platform until SIGTERM or SIGINT. In a server process of `--processes`, until the primary process ends it. */
export async function start(file: string | undefined, options: ServeOptions): Promise<void> {
  allowHeapGrowth();
  exposeCollection();
  boundNewSpace();
  const assignment = takeAssignment();
  const link = assignment && new (await import("../processes/primary-link.ts")).PrimaryLink();
  const shutdownTimeout = shutdownTimeoutOf(options);
  const port = assignment?.port ?? portOf(options);
  const metricsPort = assignment ? undefined : metricsPortOf(options);
  const log = logOf(options, assignment && { process: assignment.number });
  const { database, directDatabase, readDatabase, dataDir, host, allowAnonymous, migrate, role } = options;
  checkRole(role, database);
  const platform = await loadPlatform(file);
  const mode = modeOf({ ...platform, environment: process.env });
  checkHost(host, allowAnonymous, mode);
  if (!assignment) {
    // Checked before the database is opened, because the start fails if the address is in use.
    await checkAddress(host, port);
    if (metricsPort !== undefined) await checkAddress(host, metricsPort, "--metrics-port");
  }
  const server = await openServer(
    platform,
    { database, directDatabase, readDatabase, dataDir, host, port, allowAnonymous, migrate, role, metricsPort, log },
    link && { measures: assignment?.metricsUrl !== undefined, onChecked: () => link.checked() },
  );
  // A rejected promise that a tool did not handle must not end all runs.
  process.on("unhandledRejection", (error) => server.log.error({ error }, "A promise was rejected and not handled."));
  if (link) {
    link.follow(server, shutdownTimeout);
  } else {
    const close = async (): Promise<boolean> => {
      try {
        await server.close(shutdownTimeout === undefined ? {} : { shutdownTimeout });
        return true;
      } catch (error) {
        server.log.error({ error }, "The server could not be closed cleanly.");
        return false;
      }
    };
    endOnSignals({ close });
    endWithParent();
  }
  const address = await server.listen().catch(async (error: unknown) => {
    await server.close({ shutdownTimeout: 0 });
    throw error;
  });
  if (!assignment || assignment.number === 1) for (const missing of missingKeys(platform)) server.log.warn({}, missing);
  const { database: label, metricsUrl = assignment?.metricsUrl } = server;
  const text = greeting(platform, { address, database: label, metricsUrl, mode, processes: assignment?.of });
  if (link) link.ready(server, text);
  else console.log(text);
}
