import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isPlatform, type Platform } from "../define/platform.ts";
import { ConfigurationError } from "../errors.ts";

const defaultFiles = ["app.ts", "app.js", "app.mjs", "src/app.ts"];

/** Returns the app file: the named file, otherwise the first default file that exists. @throws ConfigurationError if there is none */
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

/** Loads the platform that is the default export of a file. @throws ConfigurationError that names the file and the fix */
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

/**
 * Whether start-up failed with a ConfigurationError. The app may use another copy of the package than this command line, so `instanceof` is
 * not enough.
 */
export function isConfigurationError(error: unknown): error is ConfigurationError {
  return error instanceof Error && error.name === "ConfigurationError";
}

/** Returns Node's reason for a file that it cannot load, and the fix. */
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
    return 'its package.json declares CommonJS. Set "type": "module" there: npm pkg set type=module';
  }
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
    return `${firstLines(error)}\nNode leaves types out and compiles nothing else: no enum, no namespace, no parameter properties.`;
  }
  const isSyntax = error instanceof SyntaxError || code === "ERR_INVALID_TYPESCRIPT_SYNTAX";
  return isSyntax ? firstLines(error) : withoutNode(error.stack ?? message);
}

/** Returns the location and message of an error, without its call stack. */
function firstLines({ stack = "", message }: Error): string {
  return stack.split(/\n\s+at /)[0]?.trim() || message;
}

/** Returns a stack without the frames of Node's module loader. */
function withoutNode(stack: string): string {
  return stack.replaceAll(/\n\s+at .*\(?node:internal\/.*/g, "");
}
