/** Opens stores for tests, and builds the writes that tests append. */
import { randomUUID } from "node:crypto";
import { describe, onTestFinished } from "vitest";
import { type Principal, system } from "../../src/model/principal.ts";
import type { Outcome, RunCreation, RunWrite, SegmentWrite, Store, Write } from "../../src/store/contract/store.ts";
import { environmentKeys } from "../../src/store/encryption/environment-keys.ts";
import { type OpenedStore, openStore, type StoreConfig } from "../../src/store/open.ts";
import { localSignals } from "../../src/store/sqlite/signals.ts";
import { MemoryDatabase } from "../simulation/memory/database.ts";
import { directWire, memoryStore } from "../simulation/memory/store.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

/** A test's database: a real one, or the simulation's model of one. */
type StoreDatabase = TestDatabase | { readonly kind: "memory"; readonly database: MemoryDatabase };

/** Runs the same tests on both databases and on the simulation's models of them. */
export function eachStore(
  name: string,
  define: (openDatabase: () => Promise<StoreDatabase>, dialect: "sqlite" | "postgres") => void,
): void {
  eachDatabase(name, define);
  describe.each(["sqlite", "postgres"] as const)(`${name} on the model of %s`, (dialect) => {
    define(async () => ({ kind: "memory", database: new MemoryDatabase(dialect, Date.now) }), dialect);
  });
}

/** Opens a store on a test database, encrypted with the keys of the environment if there are any, and closes it after the test. The models have only the tables of `Store`. */
export function openOn(database: TestDatabase, options?: OpenOptions): Promise<OpenedStore>;
export function openOn(database: StoreDatabase, options?: OpenOptions): Promise<Pick<OpenedStore, "store" | "signals">>;
export async function openOn(
  database: StoreDatabase,
  options: OpenOptions = {},
): Promise<Pick<OpenedStore, "store" | "signals">> {
  const opened = await openAny(database, options);
  onTestFinished(async () => {
    await opened.signals.close();
    await opened.store.close();
  });
  return opened;
}

type OpenOptions = Partial<StoreConfig>;

async function openAny(database: StoreDatabase, options: OpenOptions): Promise<Pick<OpenedStore, "store" | "signals">> {
  if (database.kind === "memory") {
    const store = memoryStore(database.database, directWire, options.runtime ?? testRuntime);
    return { store, signals: localSignals(silentLog) };
  }
  const place =
    database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url, dataDir: "unused" };
  const keyProvider = environmentKeys(process.env.TROUPE_ENCRYPTION_KEYS);
  const fixed = { migrate: true, runtime: testRuntime, processId: randomUUID(), poolSize: 4, keyProvider };
  return openStore({ ...place, ...fixed, ...options });
}

/** Returns the creation of a run that process `p1` starts at once in session `s`. */
export function creation(change: Partial<RunCreation> = {}): RunCreation {
  return {
    runId: randomUUID(),
    kind: "agent",
    componentId: "agent-1",
    componentName: "Agent One",
    sessionId: "s",
    owner: "",
    userId: "user-1",
    input: '{"message":"hello"}',
    options: "{}",
    definitionHash: "hash",
    model: "model-1",
    modelProvider: "provider-1",
    createdAt: 1_000,
    policy: "queue",
    maxWaiting: 100,
    sessionState: "{}",
    sessionTitle: "hello",
    startBy: "p1",
    background: false,
    ...change,
  };
}

/** Returns a run's write with only the given parts. */
export function write(key: number, change: Partial<RunWrite> = {}): Write {
  return {
    kind: "run",
    key,
    attempt: 1,
    segment: null,
    ...change,
  };
}

/** Returns a transition whose output contains the status. */
export function to(status: NonNullable<RunWrite["transition"]>["to"], at = 2_000): NonNullable<RunWrite["transition"]> {
  return { to: status, output: JSON.stringify({ contentType: "str", content: status }), at };
}

/** Returns a segment with the frames of these events. */
export function segment(firstIndex: number, lastIndex: number, padding = ""): SegmentWrite {
  let text = "";
  for (let index = firstIndex; index <= lastIndex; index++) {
    text += `event: RunContent\ndata: {"content":"ü ${index}${padding}","event_index":${index}}\nid: ${index}\n\n`;
  }
  return { firstIndex, lastIndex, frames: Buffer.from(text) };
}

/** Appends one write and returns its outcome. */
export async function put(store: Store, one: Write): Promise<Outcome> {
  const [outcome] = await store.append([one]);
  return outcome!;
}

/** Creates a run and returns its key. @throws unless the run was created */
export async function create(store: Store, change: Partial<RunCreation> = {}): Promise<number> {
  const key = await store.nextRunKey();
  const outcome = await put(store, { kind: "create", key, run: creation(change) });
  if (outcome.kind !== "created") throw new Error(`not created: ${JSON.stringify(outcome)}`);
  return key;
}

/** Creates a run, completes it and returns its key. */
export async function createEnded(store: Store, change: Partial<RunCreation> = {}): Promise<number> {
  const key = await create(store, change);
  const outcome = await put(store, write(key, { transition: to("COMPLETED") }));
  if (outcome.kind !== "committed") throw new Error(`not ended: ${JSON.stringify(outcome)}`);
  return key;
}

/** Reads the stored frames of a log after a cursor, in batches. */
export async function readLog(store: Store, key: number, after = -1, batch = 4_096): Promise<string> {
  const parts: Buffer[] = [];
  for (let cursor = after; ; ) {
    const segments = await store.segments(key, cursor, batch);
    if (segments.length === 0) return Buffer.concat(parts).toString();
    for (const { firstIndex, lastIndex, frames } of segments) {
      if (firstIndex > cursor + 1 && cursor !== after) throw new Error(`gap before ${firstIndex}`);
      parts.push(cursor < firstIndex ? frames : framesAfter(frames, cursor));
      cursor = lastIndex;
    }
  }
}

function framesAfter(frames: Buffer, cursor: number): Buffer {
  const kept = frames
    .toString()
    .split(/(?<=\n\n)/)
    .filter((frame) => Number(/\nid: (\d+)\n\n$/.exec(frame)?.[1]) > cursor);
  return Buffer.from(kept.join(""));
}

/** A caller who sees all data. */
export const everybody: Principal = system;

/** Returns a caller with a name space of its own. */
export function isolated(owner: string): Principal {
  return { kind: "user", userId: owner, isAdmin: false, scopes: [], owner };
}
