/** State changes of runs, and runs in the order of their last change. */

import { nextTurn } from "../model/next-turn.ts";
import type { Principal } from "../model/principal.ts";
import type { Media } from "../model/run/message.ts";
import { outputOf } from "../model/run/stored-run.ts";
import type { RunRef, RunRow } from "../store/contract/store.ts";
import type { TaskChanges, TaskPosition, TaskQuery } from "../store/contract/tasks.ts";
import { batches } from "./list.ts";
import type { RunParts } from "./parts.ts";

/** Times of a run's pauses and of its end. */
export type StateChanges = TaskChanges;

/** A place in the order of changes. */
export type ChangePosition = TaskPosition;

/** Maximum count of changed runs; the count stops there. */
const maxCounted = 10_000;

/** The times of a run's pauses, in order, and of its end. The caller of this function has found the run for its own caller before. */
export async function changesOf(
  { tasks }: Pick<RunParts, "tasks">,
  { key }: Pick<RunRef, "key">,
): Promise<StateChanges> {
  return await tasks.changes(key);
}

/** The data of a run that its row does not contain. */
export interface RunDetails {
  /** When the run last changed, in milliseconds; undefined if it is gone. */
  readonly changedAt: number | undefined;
  /** Questions of the run and the replies to them, in the form of the interface that received the reply: JSON texts, in order. */
  readonly exchanges: readonly string[];
  /** Artifacts that its component's definition added: JSON texts, in order. */
  readonly artifacts: readonly string[];
}

/** Selects details. The others are empty. */
export interface DetailSelection {
  readonly exchanges: boolean;
  readonly artifacts: boolean;
}

/** The details of a run. The caller of this function has found the run for its own caller before. */
export async function detailsOf(
  { tasks }: Pick<RunParts, "tasks">,
  { key }: Pick<RunRef, "key">,
  { exchanges, artifacts }: DetailSelection,
): Promise<RunDetails> {
  const [changedAt, exchangesByRun, artifactsByRun] = await Promise.all([
    tasks.changedAt(key),
    exchanges ? tasks.exchanges([key]) : undefined,
    artifacts ? tasks.artifacts([key]) : undefined,
  ]);
  return { changedAt, exchanges: exchangesByRun?.get(key) ?? [], artifacts: artifactsByRun?.get(key) ?? [] };
}

/** The files that a run has produced; empty if the caller may not see the run. Its log does not contain them. */
export async function filesOf(
  { store }: Pick<RunParts, "store">,
  caller: Principal,
  { runId }: Pick<RunRef, "runId">,
): Promise<readonly Media[]> {
  const row = await store.findRun(caller, runId);
  return (row && outputOf(row).media) ?? [];
}

/** Filters and page of a listing by last change. */
export interface ChangedQuery extends TaskQuery {
  readonly limit: number;
  readonly after?: ChangePosition | undefined;
  readonly details: DetailSelection;
}

/** A run of such a listing. */
export interface ChangedRun extends RunDetails {
  readonly run: RunRow;
  readonly changedAt: number;
}

/** The end of a page. */
export interface ChangedPage {
  /** Where the next page begins; undefined on the last page. */
  readonly next: ChangePosition | undefined;
  /** Number of runs on all pages, counted up to a limit. */
  readonly total: number;
}

/**
 * Lists root runs of a component that the caller may see, most recently changed first. A page is limited by bytes, too, but has at least one run if
 * there is any. `show` receives each run.
 */
export async function listChanged(
  parts: Pick<RunParts, "tasks" | "store" | "platform" | "runtime">,
  caller: Principal,
  { limit, after, details, ...filters }: ChangedQuery,
  show: (run: ChangedRun) => void,
): Promise<ChangedPage> {
  const { tasks, store, platform, runtime } = parts;
  const { maxListingBytes } = platform.settings;
  const [page, total] = await Promise.all([
    tasks.list(caller, { ...filters, limit, after }),
    tasks.count(caller, filters, maxCounted),
  ]);
  const sizes = await store.listedBytes(
    page.tasks.map(({ key }) => key),
    "roots",
  );
  const sizeOf = ({ key }: ChangePosition): number => sizes.get(key) ?? 0;
  let last: ChangePosition | undefined;
  let bytes = 0;
  for (const batch of batches(page.tasks, sizeOf)) {
    const keys = batch.map(({ key }) => key);
    const rows = new Map((await store.listedRuns(keys, "roots")).map((row) => [row.key, row]));
    const exchangesByRun = await tasks.exchanges(details.exchanges ? keys : []);
    const artifactsByRun = await tasks.artifacts(details.artifacts ? keys : []);
    for (const place of batch) {
      const exchanges = exchangesByRun.get(place.key) ?? [];
      const artifacts = artifactsByRun.get(place.key) ?? [];
      bytes += [...exchanges, ...artifacts].reduce((sum, { length }) => sum + length, sizeOf(place));
      if (last && bytes > maxListingBytes) return { next: last, total };
      last = place;
      const run = rows.get(place.key);
      if (run) show({ run, changedAt: place.updatedAt, exchanges, artifacts });
    }
    await nextTurn(runtime.clock);
  }
  return { next: page.next ?? undefined, total };
}
