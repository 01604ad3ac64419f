/** The assignment of a server process: the primary process of `troupe start --processes` passes it through a variable. */

/** Number and addresses of a server process. */
export interface Assignment {
  /** From 1 on. A replacement has the number of the process that it replaces. */
  readonly number: number;
  /** Number of server processes. */
  readonly of: number;
  /** Port of the server; never 0. */
  readonly port: number;
  /** URL of the metrics; undefined if there are none. */
  readonly metricsUrl: string | undefined;
}

const variable = "TROUPE_SERVER_PROCESS";

/** Whether this is a server process. */
export function isServerProcess(): boolean {
  return process.env[variable] !== undefined;
}

/** Returns the variables of a server process. */
export function environmentOf(assignment: Assignment): Readonly<Record<string, string>> {
  return { [variable]: JSON.stringify(assignment) };
}

/** Takes the assignment from the environment, so that programs which tools start do not inherit it. Returns undefined in any other process. */
export function takeAssignment(): Assignment | undefined {
  const text = process.env[variable];
  delete process.env[variable];
  return text === undefined ? undefined : JSON.parse(text);
}
