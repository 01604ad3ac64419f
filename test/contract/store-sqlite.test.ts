/** Rules of the embedded database only: one process, a bounded write-ahead log, a data folder. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { ConfigurationError } from "../../src/errors.ts";
import { runsSqlite } from "../../src/store/migrations/sqlite/0001-runs.ts";
import { SqliteConnection } from "../../src/store/sqlite/connection.ts";
import { Checkpoints } from "../../src/store/sqlite/wal-checkpoint.ts";
import { WriteBuffer } from "../../src/store/sqlite/write-buffer.ts";
import { memoryFolder } from "../support/postgres-folders.ts";
import { testRuntime } from "../support/runtime.ts";
import { create, everybody, openOn, put, readLog, segment, to, write } from "./store-fixtures.ts";

function folder(): string {
  const path = mkdtempSync(join(memoryFolder(), "troupe-test-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Starts another process that opens the folder's database, executes `then`, and prints "open". */
async function openElsewhere(dataDir: string, then: string): Promise<ChildProcess> {
  const source = (path: string): string => new URL(`../../src/${path}`, import.meta.url).href;
  const script = `
    const { openStore } = await import(${JSON.stringify(source("store/open.ts"))});
    const { realRuntime } = await import(${JSON.stringify(source("platform/runtime.ts"))});
    const nothing = () => {};
    const runtime = realRuntime({ debug: nothing, info: nothing, warn: nothing, error: nothing });
    const { store } = await openStore({ dataDir: ${JSON.stringify(dataDir)}, migrate: true, runtime, processId: "elsewhere" });
    ${then}
    console.log("open");
    setInterval(nothing, 1000);`;
  const child = spawn(process.execPath, ["--conditions=troupe-source", "--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout!, "data");
  return child;
}

test("a second process on the same folder is rejected, with the id of the first process and the remedies in the error", async () => {
  const dataDir = folder();
  const child = await openElsewhere(dataDir, "");
  const attempt = openOn({ kind: "sqlite", dataDir });
  await expect(attempt).rejects.toThrow(ConfigurationError);
  await expect(attempt).rejects.toThrow(`in use by process ${child.pid} on`);
  await expect(attempt).rejects.toThrow(/--data-dir.*DATABASE_URL/);
});

test("after kill -9 the next process can claim the run and read every committed event", async () => {
  const dataDir = folder();
  const child = await openElsewhere(
    dataDir,
    `const creation = { runId: "r", kind: "agent", componentId: "a", componentName: "A", sessionId: "s", owner: "", userId: null, input: "{}", options: "{}",
      definitionHash: "h", model: null, modelProvider: null, createdAt: 1, policy: "queue", sessionState: "{}", startBy: "elsewhere", background: false };
    await store.renewProcess("elsewhere", 600000);
    const key = await store.nextRunKey();
    await store.append([{ kind: "create", key, run: creation }]);
    const rest = { attempt: 1, messages: [], members: [], memberEnds: [], statePatch: null, transition: null };
    await store.append([{ kind: "run", key, segment: { firstIndex: 0, lastIndex: 0, frames: Buffer.from("event: x\\ndata: {}\\nid: 0\\n\\n") }, ...rest }]);`,
  );
  child.kill("SIGKILL");
  await once(child, "exit");
  const { store } = await openOn({ kind: "sqlite", dataDir });
  const run = (await store.findRun(everybody, "r"))!;
  expect(await store.head(run.key)).toMatchObject({ status: "RUNNING", attempt: 1, nextIndex: 1 });
  // The lease of the killed process lasts ten more minutes, but only one process can use the folder.
  expect(await store.claim({ owner: "p1", slots: 9, orphans: true })).toMatchObject([
    { key: run.key, attempt: 2, nextIndex: 1 },
  ]);
  expect(await readLog(store, run.key)).toBe("event: x\ndata: {}\nid: 0\n\n");
});

test("a folder can be opened by one store of a process at a time, and again after that store is closed", async () => {
  const dataDir = folder();
  const first = await openOn({ kind: "sqlite", dataDir });
  const key = await create(first.store, { runId: "r" });
  await expect(openOn({ kind: "sqlite", dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
  await first.store.close();
  const second = await openOn({ kind: "sqlite", dataDir });
  expect(await second.store.findRun(everybody, "r")).toMatchObject({ key });
  expect(await second.store.nextRunKey()).toBeGreaterThan(key);
});

test("a missing data folder is created with mode 700", async () => {
  const dataDir = join(folder(), "deep", "data");
  await openOn({ kind: "sqlite", dataDir });
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

test("another connection reads a flush as soon as append returns, in WAL mode", async () => {
  const dataDir = folder();
  const { store } = await openOn({ kind: "sqlite", dataDir });
  const key = await create(store);
  await put(store, write(key, { segment: segment(0, 3), transition: to("COMPLETED") }));
  const beside = new Database(join(dataDir, "troupe.sqlite"), { readonly: true });
  expect(beside.pragma("journal_mode", { simple: true })).toBe("wal");
  expect(beside.prepare("select status from run_heads where run_key = ?").get(key)).toEqual({ status: "COMPLETED" });
  beside.close();
});

test("a store that released its cached pages reads and writes as before, and releases nothing once it is closed", async () => {
  const { store } = await openOn({ kind: "sqlite", dataDir: folder() });
  const key = await create(store);
  store.releaseMemory?.();
  await put(store, write(key, { segment: segment(0, 3), transition: to("COMPLETED") }));
  store.releaseMemory?.();
  expect(await store.head(key)).toMatchObject({ status: "COMPLETED", nextIndex: 4 });
  await store.close();
  store.releaseMemory?.();
});

test("the write-ahead log stays bounded under load, by the checkpoint thread or by the hard cap alone", async () => {
  const file = join(folder(), "load.sqlite");
  const database = new Database(file);
  database.pragma("journal_mode = wal");
  database.pragma("wal_autocheckpoint = 0");
  database.exec("create table t (a blob)");
  const connection = new SqliteConnection(database);
  const MiB = 1024 * 1024;
  const write = async (checkpoints: Checkpoints, commits: number): Promise<void> => {
    for (let n = 0; n < commits; n++) {
      connection.transact(() => connection.prepare("insert into t values (randomblob(50000))").run());
      checkpoints.committed();
      if (n % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const withThread = new Checkpoints(connection, file, testRuntime, { start: MiB, remainder: MiB, max: 64 * MiB });
  await write(withThread, 3_000);
  await expect
    .poll(() => (database.pragma("wal_checkpoint(noop)") as { log: number; checkpointed: number }[])[0])
    .toSatisfy(({ log, checkpointed }) => log - checkpointed < 600);
  await withThread.close();
  // The cap holds even if the thread is slow on a busy machine.
  expect(statSync(`${file}-wal`).size).toBeLessThan(66 * MiB);

  const withCap = new Checkpoints(connection, file, testRuntime, { start: 999 * MiB, remainder: MiB, max: 2 * MiB });
  await write(withCap, 300);
  expect(statSync(`${file}-wal`).size).toBeLessThan(4 * MiB);
  await withCap.close();
  database.close();
});

/** Copies the database's files as a crash would leave them, without closing the database. */
function crashed(dataDir: string): string {
  const copy = folder();
  for (const name of ["troupe.sqlite", "troupe.sqlite-wal"]) copyFileSync(join(dataDir, name), join(copy, name));
  return copy;
}

test("a copy of the files at any moment contains every event whose append returned", async () => {
  const sizes = [10, 100, 3_000, 12_000, 40_000];
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          run: fc.nat(3),
          events: fc.integer({ min: 1, max: 4 }),
          size: fc.constantFrom(...sizes),
          after: fc.constantFrom("go on", "go on", "go on", "pause", "hand over", "end", "read"),
        }),
        { maxLength: 60 },
      ),
      async (steps) => {
        const dataDir = folder();
        const { store } = await openOn({ kind: "sqlite", dataDir });
        const runs: { key: number; attempt: number; text: string; next: number; status: string }[] = [];
        for (let n = 0; n < 4; n++) {
          runs.push({
            key: await create(store, { sessionId: `s${n}` }),
            attempt: 1,
            text: "",
            next: 0,
            status: "RUNNING",
          });
        }
        for (const { run: place, events, size, after } of steps) {
          const run = runs[place]!;
          if (run.status !== "RUNNING") continue;
          const part = segment(run.next, run.next + events - 1, "x".repeat(size));
          const status = ({ pause: "PAUSED", "hand over": "PENDING", end: "COMPLETED" } as const)[after as "pause"];
          const outcome = await put(
            store,
            write(run.key, { attempt: run.attempt, segment: part, transition: status ? to(status) : null }),
          );
          expect(outcome.kind).toBe("committed");
          run.text += part.frames.toString();
          run.next += events;
          run.status = status ?? "RUNNING";
          if (after === "read") expect(await readLog(store, run.key, -1, 5_000)).toBe(run.text);
          if (after !== "hand over") continue;
          const [claimed] = await store.claim({ owner: "p1", slots: 1, orphans: false, key: run.key });
          expect(claimed).toMatchObject({ nextIndex: run.next });
          run.attempt += 1;
          run.status = "RUNNING";
        }
        const again = await openOn({ kind: "sqlite", dataDir: crashed(dataDir) });
        for (const { store: each } of [{ store }, again]) {
          for (const { key, text, next, status } of runs) {
            expect(await each.head(key)).toMatchObject({ status, nextIndex: next });
            expect(await readLog(each, key, -1, 30_000)).toBe(text);
          }
        }
        await Promise.all([store.close(), again.store.close()]);
        const closed = new Database(join(dataDir, "troupe.sqlite"), { readonly: true });
        expect(closed.prepare("select count(*) as rows from tails").get()).toEqual({ rows: 0 });
        closed.close();
      },
    ),
    { numRuns: 30 },
  );
});

test("the write buffer stays bounded in its table, and no event of a log is lost", async () => {
  const database = new Database(join(folder(), "tails.sqlite"));
  database.exec(runsSqlite);
  const connection = new SqliteConnection(database);
  const buffer = new WriteBuffer(connection, { run: 2_000, all: 20_000 });
  const none = new Set<number>();
  const next = new Map<number, number>();
  for (let n = 0; n < 600; n++) {
    // 200 runs at different speeds, and one that stops after its first event.
    const keys = n === 0 ? [999] : Array.from({ length: 20 }, (_, place) => (n * (place % 3) + place * 10) % 200);
    const pieces = [...new Set(keys)].map((key) => {
      const index = next.get(key) ?? 0;
      next.set(key, index + 1);
      return { key, attempt: 1, ...segment(index, index, "x".repeat(60)) };
    });
    connection.transact(() => buffer.write(pieces, none))();
  }
  const { bytes } = database.prepare("select sum(length(frames)) as bytes from tails").get() as { bytes: number };
  expect(bytes).toBeLessThan(24_000);
  const stored = database.prepare("select frames from segments where run_key = ? order by last_index").pluck();
  for (const [key, count] of next) {
    const parts = [...(stored.all(key) as Buffer[]), ...buffer.after(key, -1).map((piece) => piece.frames)];
    expect(Buffer.concat(parts).toString()).toBe(segment(0, count - 1, "x".repeat(60)).frames.toString());
  }
  expect(buffer.after(999, -1)).toEqual([]);
  database.close();
});

test("bound parameters keep their types, and question marks in quoted texts are not parameters", () => {
  const database = new Database(":memory:");
  const connection = new SqliteConnection(database);
  const statement = connection.prepare(`select ? as "a?", '?''?' as b, ? as c, ? as d where ? = 'x' limit ?`);
  expect(statement.all(null, Buffer.from([0, 255]), 1.5, "x", 1)).toEqual([
    { "a?": null, b: "?'?", c: Buffer.from([0, 255]), d: 1.5 },
  ]);
  expect(connection.prepare("select typeof(?) as t, typeof(?) as u").get("7", 7n)).toEqual({ t: "text", u: "integer" });
  database.close();
});

test("a loop of awaited statements does not block the event loop", async () => {
  const { store } = await openOn({ kind: "sqlite", dataDir: folder() });
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  // Each call resolves at once, so awaiting it alone would never let the event loop continue.
  for (const end = performance.now() + 30_000; turns < 3 && performance.now() < end; )
    await store.findRun(everybody, "unknown");
  isOver = true;
  expect(turns).toBe(3);
});
