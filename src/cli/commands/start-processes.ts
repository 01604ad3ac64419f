import cluster from "node:cluster";
import { closeSync, openSync } from "node:fs";
import { checkRole } from "../../platform/options.ts";
import { checkAddress } from "../address.ts";
import { endOnSignals, endWithParent } from "../end.ts";
import { forgetFileVariables } from "../environment.ts";
import { logOf, metricsPortOf, portOf, type ServeOptions, shutdownTimeoutOf } from "../options.ts";
import { heapOf, isHeapChosen, machineMemory, memoryWarning } from "../processes/heap.ts";
import { Supervisor } from "../processes/supervisor.ts";

/**
 * `troupe start --processes`: runs server processes that share the port, until SIGTERM or SIGINT. This process accepts no connections and does not load the
 * app.
 */
export async function startProcesses(processes: number, options: ServeOptions): Promise<void> {
  const log = logOf(options, { process: "primary" });
  shutdownTimeoutOf(options);
  const metricsPort = metricsPortOf(options);
  const { host, database, role } = options;
  checkRole(role, database);
  const port = await checkAddress(host, portOf(options));
  const execArgv = [...process.execArgv];
  if (!isHeapChosen()) {
    const memory = machineMemory();
    const heap = heapOf(processes, memory);
    execArgv.push(`--max-old-space-size=${heap}`);
    const warning = memoryWarning(processes, heap, memory);
    if (warning !== undefined) log.warn({}, warning);
  }
  // Processes accept from the socket themselves: a busy one accepts less, and no connection waits in a process that is dead.
  if (process.env.NODE_CLUSTER_SCHED_POLICY === undefined) cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ execArgv });
  forgetFileVariables();

  // Loaded only with metrics.
  const metrics = metricsPort === undefined ? undefined : await import("../processes/metrics.ts");
  const served = await metrics?.serveSum({ host, port: metricsPort ?? 0, log });
  const assignment = { of: processes, port, metricsUrl: served?.url };
  const supervisor = new Supervisor({ assignment, log, metrics: served?.sum });
  endOnSignals({ close: () => supervisor.end(), abort: () => supervisor.kill() });
  endWithParent();
  const hadTerminal = hasTerminal();
  process.on("SIGHUP", () => {
    // A terminal that closes sends the signal, too.
    if (hadTerminal && !hasTerminal()) process.kill(process.pid, "SIGTERM");
    else supervisor.restart();
  });
  const ready = await supervisor.start();
  if (ready) {
    served?.begin(supervisor, ready.isLocalOnly);
    console.log(ready.greeting);
  } else if (!supervisor.isEnding) {
    await supervisor.end();
    process.exit(1);
  }
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
