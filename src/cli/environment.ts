/** Environment variables: those that options are read from, and those of an environment file. */
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { ConfigurationError } from "../errors.ts";

/** Variables that options are read from. */
const variables = [
  "DATABASE_URL",
  "DATABASE_DIRECT_URL",
  "DATABASE_READ_URL",
  "TROUPE_DATA_DIR",
  "HOST",
  "PORT",
  "LOG_LEVEL",
  "LOG_FORMAT",
  "METRICS_PORT",
  "TROUPE_ROLE",
  "TROUPE_PROCESSES",
] as const;

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "is not there",
  EACCES: "may not be read by this user",
  EISDIR: "is a folder",
};

const ofFile = new Set<string>();

/** Removes empty variables: in Compose files and CI, an empty text means that the variable is not set. */
export function forgetEmptyVariables(): void {
  for (const name of variables) if (process.env[name] === "") delete process.env[name];
}

/**
 * Sets the variables of a file with lines `NAME=value`; existing variables win. Returns the path. @throws ConfigurationError if the file
 * cannot be read
 */
export function loadEnvFile(path: string): string {
  for (const [name, value] of Object.entries(parseEnv(textOf(path)))) {
    if (name in process.env || value === undefined) continue;
    process.env[name] = value;
    ofFile.add(name);
  }
  forgetEmptyVariables();
  return path;
}

/** Returns the environment without the variables that a file has set, for a process that reads the file itself at each start. */
export function outsideEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofFile.has(name)));
}

/** Removes the variables that a file has set: child processes read the file themselves. */
export function forgetFileVariables(): void {
  for (const name of ofFile) delete process.env[name];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(`The file ${path} of --env-file ${reasons[code] ?? `cannot be read: ${message}`}.`, {
      cause: error,
    });
  }
}
