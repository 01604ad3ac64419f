import { ConfigurationError } from "../../errors.ts";
import { RetentionJob } from "../../events/retention.ts";
import { type RetainedKind, retainedKinds } from "../../model/retention.ts";
import type { RetentionPosition, RetentionStore } from "../../store/contract/retention.ts";
import { environmentKeys } from "../../store/encryption/environment-keys.ts";
import { openStore } from "../../store/open.ts";
import { requireDatabase } from "../../store/sqlite/data-folder.ts";
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
  webhookDeliveries: "delivery",
  memories: "memory",
  learnings: "learning",
  evals: "eval",
  experiments: "experiment",
};

/** `troupe prune [file]`: removes the data that is older than the platform's retention, or prints what it would remove. */
export async function prune(file: string | undefined, options: PruneOptions): Promise<void> {
  const { retention: rules, keyProvider } = await loadPlatform(file);
  const { ages, maxEventBytes } = rules;
  const { database, directDatabase, dataDir, dryRun, rewrite } = options;
  if (rewrite && (dryRun || database !== undefined))
    throw new ConfigurationError(
      "--rewrite is for SQLite files, without --dry-run. Postgres reuses free space itself.",
    );
  if (database === undefined) requireDatabase(dataDir);
  const runtime = commandRuntime();
  const processId = runtime.randomness.uuid();
  const { store, signals, retention } = await openStore({
    ...{ database, directDatabase, dataDir, migrate: false, runtime, processId },
    keyProvider: keyProvider ?? environmentKeys(process.env.TROUPE_ENCRYPTION_KEYS),
  });
  try {
    if (dryRun) {
      for (const kind of retainedKinds) {
        const age = ages[kind];
        console.log(line(kind, age === undefined ? undefined : await preview(kind, { age }, retention)));
      }
      if (maxEventBytes !== undefined)
        console.log(line("maxEventBytes", await previewExcess(maxEventBytes, ages.events, retention)));
    } else {
      const removed = await new RetentionJob({ store: retention, runtime, ages, maxEventBytes, pace }).sweep();
      for (const kind of retainedKinds)
        console.log(
          line(kind, ages[kind] === undefined ? undefined : `removed ${count(removed[kind] ?? 0, nouns[kind])}`),
        );
      if (ages.runs !== undefined)
        console.log(line("componentVersions", `removed ${count(removed.componentVersions ?? 0, "version")}`));
      if (maxEventBytes !== undefined)
        console.log(
          line("maxEventBytes", `removed the events of ${count(removed.maxEventBytes ?? 0, nouns.events)} more`),
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

function line(kind: RetainedKind | "componentVersions" | "maxEventBytes", text: string | undefined): string {
  return `${kind.padEnd(16)} ${text ?? "kept"}`;
}

/** Counts what is due. @param from counts only what follows this place */
async function preview(
  kind: RetainedKind,
  due: { readonly age: number; readonly until?: RetentionPosition; readonly from?: RetentionPosition | undefined },
  store: RetentionStore,
): Promise<string> {
  const { age, until, from } = due;
  let [items, events, bytes] = [0, 0, 0];
  let after = from;
  do {
    const batch = await store.preview(kind, { age, until, limit: previewed, after });
    items += batch.items;
    events += batch.events;
    bytes += batch.bytes;
    after = batch.next;
  } while (after !== undefined);
  const logs = events === 0 ? "" : ` with ${count(events, "event")} (${(bytes / 1e6).toFixed(1)} MB)`;
  return `would remove ${kind === "events" ? "the events of " : ""}${count(items, nouns[kind])}${logs}`;
}

/** Counts the runs whose events only the bound of the stored events removes. */
async function previewExcess(maxBytes: number, age: number | undefined, store: RetentionStore): Promise<string> {
  const until = await store.boundary({ maxBytes, isPreview: true });
  // The place after everything that the age removes: keys are less than this one.
  const from = age === undefined ? undefined : { at: (await store.now()) - age - 1, key: Number.MAX_SAFE_INTEGER };
  const text =
    until === undefined
      ? `would remove the events of ${count(0, "run")}`
      : preview("events", { age: 0, until, from }, store);
  return `${await text}${from === undefined ? "" : ", in addition"}`;
}

function count(number: number, noun: string): string {
  const plural = /[^e]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}
