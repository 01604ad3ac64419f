/** Counts of events in histories. */

/** Counts of one history, or of many. */
export interface Counts {
  histories: number;
  /** Events of the scheduler: an arrival at the database, a response, a timer, a signal. */
  steps: number;
  /** Virtual seconds. */
  seconds: number;
  /** Root runs. */
  runs: number;
  /** Events in their logs. */
  events: number;
  /** Events that clients received, each compared with the log. */
  read: number;
  /** Calls of tools. */
  tools: number;
  /** Runs that another attempt continued. */
  takeovers: number;
  /** Processes that were killed. */
  crashes: number;
  /** Processes that were paused and resumed. */
  stops: number;
  /** Processes that were drained (SIGTERM). */
  drains: number;
  /** Calls that reached the database and got no response, including commits. */
  unknown: number;
  outages: number;
  /** Versions of components that were published. */
  published: number;
  /** Histories on the semantics of the embedded database: one process, no connection. */
  embedded: number;
}

export function noCounts(): Counts {
  return {
    ...{ histories: 0, steps: 0, seconds: 0, runs: 0, events: 0, read: 0, tools: 0, takeovers: 0 },
    ...{ crashes: 0, stops: 0, drains: 0, unknown: 0, outages: 0, published: 0, embedded: 0 },
  };
}

export function addCounts(sum: Counts, more: Counts): void {
  for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += more[name];
}

/** The effect of a broken guarantee on a client. */
export type Harm = "lost" | "repeated" | "contradicted";

const harms: Readonly<Record<string, Harm>> = {
  ...{ L1: "lost", L2: "lost", L3: "lost", L4: "lost", answer: "lost", state: "lost", liveness: "lost" },
  ...{ tool: "repeated", twice: "repeated" },
};

/** Returns the harm of a check; `contradicted` for every check without another one. */
export function harmOf(check: string): Harm {
  return harms[check] ?? "contradicted";
}
