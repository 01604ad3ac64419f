import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { ConfigurationError } from "../../errors.ts";
import { faultOfId } from "../../model/identifiers.ts";
import type { UserDataStore } from "../../store/contract/user-data.ts";
import { openStore } from "../../store/open.ts";
import { requireDatabase } from "../../store/sqlite/data-folder.ts";
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
  if (database === undefined) requireDatabase(dataDir);
  const runtime = commandRuntime();
  const processId = runtime.randomness.uuid();
  const { store, signals, userData } = await openStore({
    ...{ database, directDatabase, dataDir, migrate: false, runtime, processId },
    keyProvider: await readOnlyKeys(undefined),
  });
  try {
    const target = new Target(output === undefined ? process.stdout : await createFile(output), output);
    const counts = await write(userData, user, target);
    if (output !== undefined) await target.end();
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

/** Receives the lines. A failure of the stream ends the export: a full disk, or a reader that has left. */
class Target {
  readonly #stream: Writable;
  readonly #name: string;
  #failure: Error | undefined;

  constructor(stream: Writable, output: string | undefined) {
    this.#stream = stream;
    this.#name = output === undefined ? "Standard output" : `--output ${output}`;
    stream.on("error", (error) => {
      this.#failure ??= error;
    });
  }

  /** @throws ConfigurationError if this line or an earlier one cannot be written */
  async write(line: string): Promise<void> {
    await this.#try(async () => {
      if (!this.#stream.write(line)) await once(this.#stream, "drain");
    });
  }

  /** Resolves when all lines are written. */
  async end(): Promise<void> {
    await this.#try(async () => {
      this.#stream.end();
      await finished(this.#stream);
    });
  }

  async #try(step: () => Promise<void>): Promise<void> {
    try {
      if (this.#failure) throw this.#failure;
      await step();
    } catch (error) {
      throw new ConfigurationError(
        `${this.#name} cannot be written: ${(error as Error).message}. The export is incomplete.`,
        { cause: error },
      );
    }
  }
}

/** Writes one line per row, as fast as the target takes them. Returns the number of lines by kind. */
async function write(store: UserDataStore, user: string, target: Target): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let lines = 0;
  for await (const { kind, json } of store.export(user)) {
    await target.write(`{"kind":${JSON.stringify(kind)},"data":${json}}\n`);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (++lines % reported === 0) console.error(`${lines} lines`);
  }
  return counts;
}
