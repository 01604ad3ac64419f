import { ConfigurationError } from "../errors.ts";

/** Options of the commands that open a database. */
export interface DatabaseOptions {
  readonly database?: string;
  readonly directDatabase?: string;
  readonly dataDir: string;
}

/** Options of the commands that serve. */
export interface ServeOptions extends DatabaseOptions {
  readonly host: string;
  readonly port: string;
  readonly logLevel: string;
  readonly grace?: string;
  readonly role: string;
  readonly allowAnonymous?: boolean;
  readonly migrate: boolean;
}

const logLevels = ["debug", "info", "warn", "error", "silent"];

/** The port as a number. @throws ConfigurationError */
export function portOf({ port }: Pick<ServeOptions, "port">): number {
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return Number(port);
  throw new ConfigurationError(`Port "${port}" is not a number from 0 to 65535.`);
}

/** The log level. @throws ConfigurationError */
export function logLevelOf({ logLevel }: Pick<ServeOptions, "logLevel">): string {
  if (logLevels.includes(logLevel)) return logLevel;
  throw new ConfigurationError(`Log level "${logLevel}" is unknown; there are ${logLevels.join(", ")}.`);
}

/** The grace time in milliseconds, when one was given. @throws ConfigurationError */
export function graceOf({ grace }: ServeOptions): number | undefined {
  if (grace === undefined) return undefined;
  const seconds = Number(grace);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  throw new ConfigurationError(`Grace time "${grace}" is not a number of seconds.`);
}
