import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { ConfigurationError } from "../../errors.ts";
import { callServer, type ServerAddress } from "../server-api.ts";
import { jsonLines, unifiedDiff } from "../text-diff.ts";

/** An exported version. */
interface Exported {
  readonly component_id: string;
  readonly version?: number;
  readonly config: unknown;
}

/** The actions of `troupe components`, with the arguments of each. */
const usages = {
  list: "list",
  export: "export <component> [version]",
  import: "import <file...>",
  diff: "diff <component> <version or file> [version or file]",
} as const;

/** `troupe components <action>`: lists, exports, imports and compares versions of components on a running server. */
export async function components(action: string, given: readonly string[], options: ServerAddress): Promise<void> {
  const [first, second, third, ...rest] = given;
  if (action === "list" && first === undefined) return await list(options);
  if (action === "export" && first !== undefined && third === undefined) {
    const exported = await exportOf(options, first, second);
    return console.log(JSON.stringify(exported, undefined, 2));
  }
  if (action === "import" && first !== undefined) {
    for (const file of given) await importFile(options, file);
    return;
  }
  if (action === "diff" && first !== undefined && second !== undefined && rest.length === 0)
    return await diff(options, first, [second, third ?? "current"]);
  throw new ConfigurationError(`Usage: troupe components ${usages[action as keyof typeof usages]}`);
}

/** Components of one page. */
const pageSize = 100;

async function list(server: ServerAddress): Promise<void> {
  interface Component {
    readonly component_id: string;
    readonly component_type: string;
    readonly current_version?: number;
  }
  for (let page = 1; ; page++) {
    const { json } = await callServer(server, { path: `/components?limit=${pageSize}&page=${page}` });
    const { data } = json as { readonly data: readonly Component[] };
    for (const { component_id, component_type, current_version } of data)
      console.log(
        `${component_type.padEnd(9)}${component_id}  ${current_version ? `v${current_version}` : "none current"}`,
      );
    if (data.length < pageSize) return;
  }
}

/** @param version undefined or `current` for the current one, or the newest if none is current */
async function exportOf(server: ServerAddress, component: string, version: string | undefined): Promise<Exported> {
  const number = version === undefined || version === "current" ? undefined : numberOf(version);
  if (number === null)
    throw new ConfigurationError(`"${version}" is no version of ${component}: give a number, "current" or a file.`);
  const query = number === undefined ? "" : `?version=${number}`;
  const { json } = await callServer(server, { path: `/components/${encodeURIComponent(component)}/export${query}` });
  return json as Exported;
}

function numberOf(text: string): number | null {
  const digits = /^v?(\d+)$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

async function importFile(server: ServerAddress, file: string): Promise<void> {
  const body = await readExport(file);
  const { status, json } = await callServer(server, { method: "POST", path: "/components/import", body });
  const { component_id, version } = json as { readonly component_id: string; readonly version: number };
  console.log(`${component_id} v${version}: ${status === 201 ? "a new draft" : "unchanged, it has the same config"}`);
}

async function readExport(file: string): Promise<Exported> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (typeof value === "object" && value !== null && "config" in value) return value as Exported;
  } catch (error) {
    throw new ConfigurationError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  throw new ConfigurationError(`${file} is no exported component: it has no "config".`);
}

async function diff(server: ServerAddress, component: string, sides: readonly [string, string]): Promise<void> {
  const read = async (side: string): Promise<{ readonly name: string; readonly config: unknown }> => {
    if (side !== "current" && numberOf(side) === null && existsSync(side))
      return { name: side, config: (await readExport(side)).config };
    const { component_id, version, config } = await exportOf(server, component, side);
    return { name: `${component_id} v${version}`, config };
  };
  const [before, after] = [await read(sides[0]), await read(sides[1])];
  const lines = unifiedDiff(jsonLines(before.config).slice(1), jsonLines(after.config).slice(1));
  if (lines.length === 0) return console.error(`${before.name} and ${after.name} have the same config.`);
  console.log([`--- ${before.name}`, `+++ ${after.name}`, ...lines].join("\n"));
}
