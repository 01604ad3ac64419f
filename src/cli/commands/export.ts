import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { ConfigurationError } from "../../errors.ts";
import { faultOfId } from "../../model/identifiers.ts";
import type { UserDataStore } from "../../store/contract/user-data.ts";
import { openStore } from "../../store/open.ts";
import { readOnlyKeys } from "../encryption-keys.ts";
import type { DatabaseOptions } from "../options.ts";
import { commandRuntime } from "../runtime.ts";

/** Options of `troupe export`. */
export interface ExportOptions extends DatabaseOptions {
  readonly user: string;
  readonly output?: string;
}

/** Lines between two reports of the progress. */
const reported = 100_000;

/** `troupe export --user ID`: writes all data of a user as JSON lines. */
export async function exportUser({ user, output, ...options }: ExportOptions): Promise<void> {
  const fault = faultOfId(user);
  if (fault !== undefined) throw new ConfigurationError(`--user: the user id ${fault}.`);
  const { database, directDatabase, dataDir } = options;
  const runtime = commandRuntime();
  const processId = runtime.randomness.uuid();
  const { store, signals, userData } = await openStore({
    ...{ database, directDatabase, dataDir, migrate: false, runtime, processId },
    keyProvider: await readOnlyKeys(undefined),
  });
  try {
    const target = output === undefined ? process.stdout : await createFile(output);
    const counts = await write(userData, user, target);
    if (output !== undefined) {
      target.end();
      await finished(target);
    }
    const kinds = [...counts].map(([kind, lines]) => `${lines} ${kind}`).join(", ");
    console.error(`Exported the data of the user: ${kinds || "there is none"}.`);
  } finally {
    await signals.close();
    await store.close();
  }
}

/** Creates a file that only its owner can read. @throws ConfigurationError if it exists */
async function createFile(path: string): Promise<Writable> {
  try {
    const file = await open(path, "wx", 0o600);
    return createWriteStream("", { fd: file });
  } catch (error) {
    const text = (error as { code?: string }).code === "EEXIST" ? "it exists" : (error as Error).message;
    throw new ConfigurationError(`--output ${path} cannot be written: ${text}.`);
  }
}

/** Writes one line per row, as fast as the target takes them. Returns the number of lines by kind. */
async function write(store: UserDataStore, user: string, target: Writable): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let lines = 0;
  for await (const { kind, json } of store.export(user)) {
    if (!target.write(`{"kind":${JSON.stringify(kind)},"data":${json}}\n`)) await once(target, "drain");
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (++lines % reported === 0) console.error(`${lines} lines`);
  }
  return counts;
}
