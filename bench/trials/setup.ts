/** Shared by the trials: a new database, runs in it, and frames of a given size. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { realRuntime } from "../../src/platform/runtime.ts";
import type { RetentionStore } from "../../src/store/contract/retention.ts";
import type { RunCreation, RunWrite, Store } from "../../src/store/contract/store.ts";
import { openStore } from "../../src/store/open.ts";

/** A new store, and a function that removes it. */
export interface TrialStore {
  readonly store: Store;
  readonly retention: RetentionStore;
  /** Folder of the SQLite database, or URL of the Postgres one. */
  readonly place: string;
  remove(): Promise<void>;
}

const quiet = (): void => undefined;
const loud = (fields: Record<string, unknown>, message: string): void => console.error(message, fields);

/** SQLite in a new folder under TRIAL_DIR (default: the temporary folder), or a new database on the server at DATABASE_URL. */
export async function openTrial(kind: string): Promise<TrialStore> {
  const runtime = realRuntime({ debug: quiet, info: quiet, warn: loud, error: loud });
  const config = { runtime, migrate: true, processId: "trial" };
  if (kind === "sqlite") {
    const place = mkdtempSync(join(process.env.TRIAL_DIR ?? tmpdir(), "troupe-trial-"));
    const { store, retention } = await openStore({ ...config, dataDir: place });
    const remove = async (): Promise<void> => {
      await store.close();
      rmSync(place, { recursive: true, force: true });
    };
    return { store, retention, place, remove };
  }
  const server = process.env.DATABASE_URL;
  if (server === undefined) throw new Error("set DATABASE_URL to a Postgres server where databases may be made");
  const name = `troupe_trial_${process.pid}_${process.hrtime.bigint()}`;
  await execute(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const { store, signals, retention } = await openStore({ ...config, dataDir: "", database: url.href });
  const remove = async (): Promise<void> => {
    await signals.close();
    await store.close();
    await execute(server, `drop database ${name} with (force)`);
  };
  return { store, retention, place: url.href, remove };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** Creates RUNNING runs, each in its own session; returns their keys. */
export async function makeRuns(store: Store, count: number): Promise<number[]> {
  const keys: number[] = [];
  for (let start = 0; start < count; start += 100) {
    const part: number[] = [];
    for (let n = 0; n < Math.min(100, count - start); n++) part.push(await store.nextRunKey());
    const outcomes = await store.append(part.map((key) => ({ kind: "create", key, run: creation(`run-${key}`) })));
    if (outcomes.some((outcome) => outcome.kind !== "created")) throw new Error("not created");
    keys.push(...part);
  }
  return keys;
}

/** A creation that starts at once, in its own session. */
export function creation(runId: string): RunCreation {
  return {
    ...({ runId, kind: "agent", componentId: "trial", componentName: "Trial", sessionId: runId, owner: "" } as const),
    ...{
      userId: null,
      input: '{"message":"hello"}',
      options: "{}",
      definitionHash: "",
      model: null,
      modelProvider: null,
    },
    ...({ createdAt: 0, policy: "queue", maxWaiting: 100, sessionState: "{}", sessionTitle: "hello" } as const),
    ...({ startBy: "trial", background: false } as const),
  };
}

/** Frames of about 300 bytes, as in a run's log. */
export function frames(firstIndex: number, count: number): Buffer {
  let text = "";
  for (let index = firstIndex; index < firstIndex + count; index++) {
    const words = `token ${(index * 2654435761) % 4294967296} of a model that is telling a long and winding story about a small town`;
    text += `event: RunContent\ndata: {"created_at":1763700000,"event":"RunContent","agent_id":"trial","agent_name":"Trial","run_id":"6f2f4b0e-1d2c-4a55-9f3d-0c1b2a394857","session_id":"s","content":"${words}","event_index":${index}}\nid: ${index}\n\n`;
  }
  return Buffer.from(text);
}

/** A write that contains only events. */
export function contentWrite(key: number, firstIndex: number, count: number): { kind: "run" } & RunWrite {
  const segment = { firstIndex, lastIndex: firstIndex + count - 1, frames: frames(firstIndex, count) };
  return {
    kind: "run",
    key,
    attempt: 1,
    segment,
  };
}
