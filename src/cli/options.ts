import { availableParallelism } from "node:os";
import { ConfigurationError } from "../errors.ts";
import type { Log } from "../model/runtime.ts";
import { checkLogLevel, checkPort } from "../platform/options.ts";
import { jsonLog } from "../platform/runtime.ts";
import { readableLog } from "./readable-log.ts";

/** Options of the commands that open a database. */
export interface DatabaseOptions {
  readonly database?: string;
  readonly directDatabase?: string;
  readonly dataDir: string;
}

/** Options of the commands that run a server. */
export interface ServeOptions extends DatabaseOptions {
  readonly readDatabase?: string;
  readonly host: string;
  readonly port: string;
  readonly metricsPort?: string;
  readonly logLevel: string;
  readonly logFormat?: string;
  readonly shutdownTimeout?: string;
  readonly role: string;
  readonly envFile?: string;
  readonly allowAnonymous?: boolean;
  readonly migrate: boolean;
  /** Of `start` and `doctor`. */
  readonly processes?: string;
}

/** Parses the port. @throws ConfigurationError */
export function portOf({ port }: Pick<ServeOptions, "port">): number {
  return parsePort(port);
}

/** Parses the port of the metrics; undefined if there are none. @throws ConfigurationError */
export function metricsPortOf({ metricsPort }: Pick<ServeOptions, "metricsPort">): number | undefined {
  return metricsPort === undefined ? undefined : parsePort(metricsPort);
}

function parsePort(port: string): number {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : port;
  checkPort(number);
  return number;
}

/** Maximum number of processes of one command. */
const maxProcesses = 256;

/** Returns the number of processes; undefined for a single one without a primary process. @throws ConfigurationError */
export function processesOf({
  processes = "none",
  database,
}: Pick<ServeOptions, "processes" | "database">): number | undefined {
  if (processes === "none") return undefined;
  const number = processes === "auto" ? availableParallelism() : Number(/^\d{1,3}$/.exec(processes)?.[0]);
  if (!(number >= 1 && number <= maxProcesses))
    throw new ConfigurationError(`Processes "${processes}" is not auto, none, or a number from 1 to ${maxProcesses}.`);
  if (database !== undefined) return number;
  throw new ConfigurationError(
    "--processes needs Postgres, because only one process can open the embedded database: set DATABASE_URL to a Postgres, or leave --processes out.",
  );
}

/** Checks the log level. @throws ConfigurationError */
export function logLevelOf({ logLevel }: Pick<ServeOptions, "logLevel">): string {
  checkLogLevel(logLevel);
  return logLevel;
}

/**
 * Returns the log of a server: by default readable lines on a terminal, and JSON elsewhere.
 * @param fields members of every line
 * @throws ConfigurationError
 */
export function logOf(
  { logLevel, logFormat = process.stderr.isTTY ? "pretty" : "json" }: Pick<ServeOptions, "logLevel" | "logFormat">,
  fields: Readonly<Record<string, unknown>> = {},
): Log {
  checkLogLevel(logLevel);
  if (logFormat === "json") return jsonLog(logLevel, undefined, fields);
  if (logFormat === "pretty") return readableLog(logLevel, fields);
  throw new ConfigurationError(`Log format "${logFormat}" is unknown; there are json, pretty.`);
}

/** Returns the time to wait for live runs in milliseconds; undefined if the option is not set. @throws ConfigurationError */
export function shutdownTimeoutOf({ shutdownTimeout }: ServeOptions): number | undefined {
  if (shutdownTimeout === undefined) return undefined;
  const seconds = Number(shutdownTimeout);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  throw new ConfigurationError(`Shutdown timeout "${shutdownTimeout}" is not a number of seconds.`);
}
