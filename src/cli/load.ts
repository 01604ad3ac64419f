import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Platform } from "../define/platform.ts";
import { ConfigurationError } from "../errors.ts";

const defaultFiles = ["app.ts", "app.js", "app.mjs", "src/app.ts"];

/** Loads the platform that a file exports by default. @throws ConfigurationError saying what to write, and where */
export async function loadPlatform(file: string | undefined): Promise<Platform> {
  const path = file ?? defaultFiles.find((name) => existsSync(name));
  if (path === undefined) {
    throw new ConfigurationError(
      `No app file here (looked for ${defaultFiles.join(", ")}): name one, for instance "troupe start my-app.ts".`,
    );
  }
  const full = resolve(path);
  if (!existsSync(full)) throw new ConfigurationError(`There is no file ${path}.`);
  const module = (await import(pathToFileURL(full).href)) as { readonly default?: unknown };
  if (!isPlatform(module.default)) {
    throw new ConfigurationError(
      `${path} must export a platform by default: export default definePlatform({ id: "…", agents: […] }).`,
    );
  }
  return module.default;
}

function isPlatform(value: unknown): value is Platform {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "platform";
}
