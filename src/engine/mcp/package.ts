/** The package that speaks MCP. It is an optional peer dependency, loaded at the first use. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mcpServersOf } from "../../define/mcp-server.ts";
import type { Platform } from "../../define/platform.ts";
import { allComponents } from "../../define/within.ts";
import { ConfigurationError } from "../../errors.ts";

type ClientPackage = typeof import("@modelcontextprotocol/client");
type StdioPackage = typeof import("@modelcontextprotocol/client/stdio");

const name = "@modelcontextprotocol/client";

const missing = `MCP servers need the package ${name}, which is not installed: run npm install ${name}.`;

/** Rejects a platform with MCP servers if the package is not installed. @throws ConfigurationError */
export function checkMcpPackage(platform: Pick<Platform, "agents" | "teams" | "workflows">): void {
  const isNeeded = allComponents(platform).some((component) => mcpServersOf(component).length > 0);
  if (isNeeded && locate(name) === undefined) throw new ConfigurationError(missing);
}

/** Loads the client of MCP. @throws ConfigurationError if the package is not installed */
export function loadClient(): Promise<ClientPackage> {
  return load<ClientPackage>(name);
}

/** Loads the transport for child processes. @throws ConfigurationError if the package is not installed */
export function loadStdio(): Promise<StdioPackage> {
  return load<StdioPackage>(`${name}/stdio`);
}

async function load<Package>(entry: string): Promise<Package> {
  const path = locate(entry);
  if (path === undefined) throw new ConfigurationError(missing);
  return (await import(path)) as Package;
}

/** Package managers that isolate packages hide the application's packages from this one, so the second attempt resolves from its folder. */
function locate(entry: string): string | undefined {
  for (const from of [import.meta.url, join(process.cwd(), "app.js")]) {
    try {
      createRequire(from).resolve(entry);
      // The name, if Node finds it from here: it then loads the ES module.
      return from === import.meta.url ? entry : pathToFileURL(createRequire(from).resolve(entry)).href;
    } catch {
      // Not found from there.
    }
  }
  return undefined;
}
