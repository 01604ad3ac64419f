/** A constant number of live runs at the pace of typical models. */
import type { Child } from "./child.ts";
import type { LoadCommands } from "./commands.ts";
import { formRequest } from "./connection.ts";
import { pacedEvents } from "./platform.ts";

/** Events a second of each run. */
export const pace = 30;

/** How many runs are live, and for how many milliseconds. */
export interface LiveRuns {
  readonly connections: number;
  /** Time over which the runs begin. */
  readonly ramp: number;
  /** Time between the ramp and the measurement. */
  readonly settle: number;
  readonly window: number;
}

const path = "/agents/paced/runs";
const requestFor = (message: string): string => formRequest(path, { message, stream: "true" });

/** A run of `pacedEvents` content events. */
export const pacedRequest: string = requestFor("Hello");

/** Each stream's first run has another length, so that runs begin and end at a constant rate as soon as all streams are open. */
const lengths = 25;
const firstRequests = Array.from({ length: lengths }, (_, place) =>
  requestFor(String(Math.round((pacedEvents * (place + 1)) / lengths))),
);

/** Opens the streams on the given servers in turn, and requests a new run for each one that ends. */
export function beginLiveRuns(
  load: Child<LoadCommands>,
  ports: readonly number[],
  { connections, ramp }: Pick<LiveRuns, "connections" | "ramp">,
): Promise<void> {
  return load.ask("keep", { ports, request: pacedRequest, first: firstRequests, connections, ramp, again: true });
}

/** Cancels the runs, so that they cost nothing while another server is measured. */
export function endLiveRuns(load: Child<LoadCommands>): Promise<void> {
  return load.ask("release", { wait: false, cancel: path });
}
