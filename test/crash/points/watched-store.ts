/** Watches a store's durable steps, and kills the process at the specified step. */
import { createRequire } from "node:module";
import type { ResponseStore } from "../../../src/store/contract/responses.ts";
import type { ClaimedRun, Store, Write } from "../../../src/store/contract/store.ts";
import { type CrashPoint, flushes, type Step } from "./points.ts";

/** The crash point of this process; null in a process that only completes runs. */
const point = JSON.parse(process.env.TEST_CRASH_POINT ?? "null") as (CrashPoint & { step: Step }) | null;

/** Keys of the session's runs that this process has created or claimed. */
const keys = new Set<number>();
/** Whether the next commit belongs to the step. */
let isDue = false;

function die(): void {
  process.kill(process.pid, "SIGKILL");
  // The signal is pending: block until it arrives.
  for (;;);
}

/** Reports a step of the app's tools. */
export function reached(step: Step, session: string): void {
  if (point?.step === step && point.session === session) die();
}

/** Returns a watched store of answers for equal requests. The process serves one session. */
export function watchedResponses(responses: ResponseStore): ResponseStore {
  if (point?.step !== "answer stored") return responses;
  return {
    ...responses,
    async put(...given) {
      if (point.moment === "within") die();
      await responses.put(...given);
      die();
    },
  };
}

/** Returns a watched store, or the store itself in a process without a crash point. */
export function watchedStore(store: Store): Store {
  if (point === null) return store;
  const { step, moment, session } = point;

  async function around<T>(isStep: boolean, work: () => Promise<T>): Promise<T> {
    if (!isStep) return await work();
    isDue = moment === "within";
    const result = await work();
    die();
    return result;
  }

  const watched: Partial<Store> = {
    append: (writes) => around(writes.some(isPoint), () => store.append(writes)),
    release: (key, attempt) => around(step === "run handed over" && keys.has(key), () => store.release(key, attempt)),
    requestCancel: (key) => around(step === "cancel requested" && keys.has(key), () => store.requestCancel(key)),
    continueRun: (key, ...answers) =>
      around(step === "run continued" && keys.has(key), () => store.continueRun(key, ...answers)),
    compact: (key, bytes) => around(step === "log compacted" && keys.has(key), () => store.compact(key, bytes)),
    endProcess: (id) => around(step === "lease ended", () => store.endProcess(id)),
    async claim(request) {
      const runs = await store.claim(request);
      if (learn(runs) && step === "run taken over") die();
      return runs;
    },
  };

  function isPoint(write: Write): boolean {
    if (write.kind === "create") {
      if (write.run.sessionId !== session) return false;
      keys.add(write.key);
      return step === "run created";
    }
    return keys.has(write.key) && step in flushes && flushes[step as keyof typeof flushes](write);
  }

  function learn(runs: readonly ClaimedRun[]): boolean {
    const own = runs.filter(({ sessionId }) => sessionId === session);
    for (const { key } of own) keys.add(key);
    return own.length > 0;
  }

  return new Proxy(store, {
    get(target, name) {
      const own = watched[name as keyof Store];
      const value = own ?? Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

// Patch before the database opens, because statements are prepared once.
watchCommits();

/** Kills the process at a due commit. SQLite: after all statements and before the commit. Postgres: after the commit is sent, before its response. */
function watchCommits(): void {
  const require = createRequire(import.meta.url);
  const sqlite = require("better-sqlite3").prototype;
  const prepare = sqlite.prepare;
  sqlite.prepare = function (this: unknown, text: string) {
    const statement = prepare.call(this, text);
    if (text !== "commit") return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      if (isDue) die();
      return run();
    };
    return statement;
  };
  const client = require("pg").Client.prototype;
  const query = client.query;
  client.query = function (this: unknown, ...asked: readonly unknown[]) {
    const sent = query.apply(this, asked);
    const [what] = asked as [string | { name?: string }];
    // A flush of events and messages only is one statement, which commits by itself.
    if (isDue && (what === "commit" || (what as { name?: string }).name?.startsWith("append_"))) setImmediate(die);
    return sent;
  };
}
