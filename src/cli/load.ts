import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPlatform, type Platform } from "../define/platform.ts";
import { ConfigurationError } from "../errors.ts";

const defaultFiles = ["app.ts", "app.js", "app.mjs", "src/app.ts"];

/** The app file: the named one, else the first of the usual ones. @throws ConfigurationError when there is none */
export function findAppFile(file: string | undefined): string {
  const path = file ?? defaultFiles.find((name) => existsSync(name));
  if (path === undefined) {
    throw new ConfigurationError(
      `No app file here (looked for ${defaultFiles.join(", ")}): name one, for instance "troupe start my-app.ts".`,
    );
  }
  if (!existsSync(path)) throw new ConfigurationError(`There is no file ${path}.`);
  if (!statSync(path).isFile()) throw new ConfigurationError(`${path} is a folder: name the app file in it.`);
  return path;
}

/** Loads the platform that a file exports by default. @throws ConfigurationError saying what to write, and where */
export async function loadPlatform(file: string | undefined): Promise<Platform> {
  const path = findAppFile(file);
  const module = await load(path);
  if (!isPlatform(module.default)) {
    throw new ConfigurationError(
      `${path} must export a platform by default: export default definePlatform({ id: "…", agents: […] }).`,
    );
  }
  return module.default;
}

async function load(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    if (isConfigurationError(error)) throw error;
    throw new ConfigurationError(`${path} cannot be loaded: ${reasonOf(error, path)}`, { cause: error });
  }
}

/** Whether start-up was refused with a reason; the app may have another copy of the package than this command line. */
export function isConfigurationError(error: unknown): error is ConfigurationError {
  return error instanceof Error && error.name === "ConfigurationError";
}

/** What Node says of a file that it cannot load, and what helps. */
function reasonOf(error: unknown, path: string): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = error as NodeJS.ErrnoException;
  const missing = /^Cannot find package '([^']+)'/.exec(message)?.[1];
  if (code === "ERR_MODULE_NOT_FOUND" && missing) {
    return `it imports the package ${missing}, which is not installed: run npm install ${missing} in ${dirname(resolve(path))}.`;
  }
  if (code === "ERR_MODULE_NOT_FOUND") return `${message}. Imports name files as they are on disk: "./tools.ts".`;
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return "an app file is TypeScript or JavaScript (.ts, .js, .mjs).";
  if (/Cannot use import statement outside a module|Unexpected token 'export'/.test(message)) {
    return 'its package.json says that it is CommonJS. Say "type": "module" there: npm pkg set type=module';
  }
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
    return `${firstLines(error)}\nNode leaves types out and compiles nothing else: no enum, no namespace, no parameter properties.`;
  }
  const isSyntax = error instanceof SyntaxError || code === "ERR_INVALID_TYPESCRIPT_SYNTAX";
  return isSyntax ? firstLines(error) : withoutNode(error.stack ?? message);
}

/** Where the fault is and what it is, without the calls that led there. */
function firstLines({ stack = "", message }: Error): string {
  return stack.split(/\n\s+at /)[0]?.trim() || message;
}

/** A stack without the loader's part of it. */
function withoutNode(stack: string): string {
  return stack.replaceAll(/\n\s+at .*\(?node:internal\/.*/g, "");
}
