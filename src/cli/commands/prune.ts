import { ConfigurationError } from "../../errors.ts";
import { RetentionJob } from "../../events/retention.ts";
import { type RetainedKind, type RetentionAges, retainedKinds } from "../../model/retention.ts";
import type { RetentionPosition, RetentionStore } from "../../store/contract/retention.ts";
import { openStore } from "../../store/open.ts";
import { loadPlatform } from "../load.ts";
import type { DatabaseOptions } from "../options.ts";
import { commandRuntime } from "../runtime.ts";

/** Options of `troupe prune`. */
export interface PruneOptions extends DatabaseOptions {
  readonly dryRun?: boolean;
  readonly rewrite?: boolean;
}

/** The command removes without a long pause: an operator waits for it. Half of the time is left to the servers on the same Postgres. */
const pace = { minPause: 0, pauseFactor: 1 };

/** Items of one read of a preview. */
const previewed = 500;

const nouns: Readonly<Record<RetainedKind, string>> = {
  events: "run",
  traces: "trace",
  runs: "run",
  sessions: "session",
  scheduleRecords: "record",
  idempotencyKeys: "key",
};

/** `troupe prune [file]`: removes the data that is older than the platform's retention, or prints what it would remove. */
export async function prune(file: string | undefined, options: PruneOptions): Promise<void> {
  const { retention: ages } = await loadPlatform(file);
  const { database, directDatabase, dataDir, dryRun, rewrite } = options;
  if (rewrite && (dryRun || database !== undefined))
    throw new ConfigurationError(
      "--rewrite is for SQLite files, without --dry-run. Postgres reuses free space itself.",
    );
  const runtime = commandRuntime();
  const processId = runtime.randomness.uuid();
  const { store, signals, retention } = await openStore({
    ...{ database, directDatabase, dataDir, migrate: false, runtime, processId },
  });
  try {
    if (dryRun) {
      for (const kind of retainedKinds) console.log(line(kind, await preview(kind, ages, retention)));
    } else {
      const removed = await new RetentionJob({ store: retention, runtime, ages, pace }).sweep();
      for (const kind of retainedKinds)
        console.log(
          line(kind, ages[kind] === undefined ? undefined : `removed ${count(removed[kind] ?? 0, nouns[kind])}`),
        );
      if (rewrite) {
        await retention.rewrite?.();
        console.log("The file was rewritten without its free space.");
      }
    }
  } finally {
    await signals.close();
    await store.close();
  }
}

function line(kind: RetainedKind, text: string | undefined): string {
  return `${kind.padEnd(16)} ${text ?? "kept"}`;
}

/** Counts what is due; undefined for a kind that is kept. */
async function preview(kind: RetainedKind, ages: RetentionAges, store: RetentionStore): Promise<string | undefined> {
  const age = ages[kind];
  if (age === undefined) return undefined;
  let [items, events, bytes] = [0, 0, 0];
  let after: RetentionPosition | undefined;
  do {
    const batch = await store.preview(kind, { age, limit: previewed, after });
    items += batch.items;
    events += batch.events;
    bytes += batch.bytes;
    after = batch.next;
  } while (after !== undefined);
  const logs = events === 0 ? "" : ` with ${count(events, "event")} (${(bytes / 1e6).toFixed(1)} MB)`;
  return `would remove ${kind === "events" ? "the events of " : ""}${count(items, nouns[kind])}${logs}`;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}
