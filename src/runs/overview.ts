/** The present work of the platform and its latest runs: its processes, its queue, and the runs of all components. */
import { type Principal, visibleOwner } from "../model/principal.ts";
import { isTerminal } from "../model/run/run.ts";
import { outputOf } from "../model/run/stored-run.ts";
import type { OverviewQuery, OverviewRow, ProcessRow } from "../store/contract/overview.ts";
import type { RunQueue } from "../store/contract/store.ts";
import type { TaskPosition } from "../store/contract/tasks.ts";
import type { RunParts } from "./parts.ts";

export type { OverviewQuery } from "../store/contract/overview.ts";

/** Max runs in the queue that are counted. */
const maxQueued = 10_000;

/** Max pages of the store that one request reads to fill its own. */
const maxReads = 5;

/** Stored bytes of the texts that one page reads for errors and for tokens of unfinished runs. */
const maxTextBytes = 1024 * 1024;

/** The processes and the queue of a platform. */
export interface PlatformOverview {
  readonly processes: readonly ProcessRow[];
  /** Background runs that wait for a process. */
  readonly queue: RunQueue;
  /** Whether the queue is longer than its length here. */
  readonly isQueueLonger: boolean;
}

/** Reads the overview of the platform. It names no run and no user. */
export async function readOverview({
  overview,
  store,
}: Pick<RunParts, "overview" | "store">): Promise<PlatformOverview> {
  const [processes, queue] = await Promise.all([overview.processes(), store.queue(maxQueued)]);
  return { processes, queue, isQueueLonger: queue.length >= maxQueued };
}

/** A run of a listing over all components. */
export interface ListedRun extends OverviewRow {
  /** The reason of a failed run; null for all others, and for a reason that is too large to list. */
  readonly error: string | null;
}

/** Lists root runs of all components that the caller may see, latest change first. A page before the last may be shorter than `limit`. */
export async function listAllRuns(
  parts: Pick<RunParts, "overview" | "store">,
  caller: Principal,
  query: OverviewQuery & { readonly limit: number; readonly after: TaskPosition | undefined },
): Promise<{ readonly runs: readonly ListedRun[]; readonly next: TaskPosition | null }> {
  const found: OverviewRow[] = [];
  let after: TaskPosition | null | undefined = query.after;
  for (let reads = 0; reads < maxReads && found.length < query.limit; reads++) {
    const { runs, next } = await parts.overview.runs(caller, {
      ...query,
      limit: query.limit - found.length,
      after: after ?? undefined,
    });
    found.push(...runs);
    after = next;
    if (next === null) break;
  }
  const sizes = await parts.store.listedBytes(
    found.filter((run) => run.status === "ERROR" || !isTerminal(run.status)).map(({ key }) => key),
    "members",
  );
  let left = maxTextBytes;
  const readable = new Set<number>();
  for (const [key, bytes] of sizes) {
    if (bytes > left) continue;
    left -= bytes;
    readable.add(key);
  }
  const keys = found.filter(({ key }) => readable.has(key));
  const [errors, tokens] = await Promise.all([
    errorsOf(
      parts,
      keysOf(keys, (run) => run.status === "ERROR"),
    ),
    tokensOf(
      parts,
      keysOf(keys, (run) => !isTerminal(run.status)),
    ),
  ]);
  const seesProcesses = visibleOwner(caller) === null;
  const runs = found.map((run) => ({
    ...run,
    ...tokens.get(run.key),
    processId: seesProcesses ? run.processId : null,
    error: errors.get(run.key) ?? null,
  }));
  return { runs, next: after ?? null };
}

function keysOf(runs: readonly OverviewRow[], matches: (run: OverviewRow) => boolean): readonly number[] {
  return runs.filter(matches).map(({ key }) => key);
}

async function errorsOf({ store }: Pick<RunParts, "store">, keys: readonly number[]) {
  const rows = keys.length === 0 ? [] : await store.listedRuns(keys, "roots");
  return new Map(rows.map((row) => [row.key, outputOf(row).error?.message]));
}

/** Tokens of unfinished runs and of their members so far: each stored model turn has its own. */
async function tokensOf({ store }: Pick<RunParts, "store">, keys: readonly number[]) {
  const rows = keys.length === 0 ? [] : await store.listedRuns(keys, "members");
  const rootOf = new Map(rows.map(({ key, rootKey }) => [key, rootKey]));
  const sums = new Map(keys.map((key) => [key, { inputTokens: 0, outputTokens: 0 }]));
  for (const { runKey, body } of await store.messages([...rootOf.keys()], true)) {
    const sum = sums.get(rootOf.get(runKey) ?? 0);
    const { metrics } = JSON.parse(body) as { readonly metrics?: { input_tokens?: number; output_tokens?: number } };
    if (!sum || !metrics) continue;
    sum.inputTokens += metrics.input_tokens ?? 0;
    sum.outputTokens += metrics.output_tokens ?? 0;
  }
  return sums;
}
