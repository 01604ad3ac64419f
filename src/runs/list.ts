/**
 * Lists runs a page at a time, limited by row count and by bytes. A page is first read without texts. The texts are then read in batches of known
 * stored size, so that memory stays bounded however large rows are.
 */
import { TroupeError } from "../errors.ts";
import { nextTurn } from "../model/next-turn.ts";
import { type Principal, visibleOwner } from "../model/principal.ts";
import type { ListedScope, LocatedRun, RunPosition, RunQuery, RunRow } from "../store/contract/store.ts";
import { findPastComponent } from "./find.ts";
import { checkIds } from "./limits/sizes.ts";
import { byRun, eventsOf, type MessagesByRun } from "./read.ts";
import type { ReadParts } from "./reading.ts";

export type { ListedScope, RunPosition } from "../store/contract/store.ts";

/** Number of rows per read, without their texts. */
const rowsPerRead = 100;

/** Maximum stored bytes of the texts in one batch. A larger row is read alone. */
const batchBytes = 1024 * 1024;

/** A page ends when the logs read for it exceed its byte limit by this factor: most of a log is not shown. */
const maxLogFactor = 8;

/** A root run with its members, messages and events, as far as listings show them. */
export interface ListedRoot {
  readonly run: RunRow;
  /** Runs of its members at any depth; empty if the listing does not show them. */
  readonly members: readonly RunRow[];
  readonly messages: MessagesByRun;
  /** As JSON texts. */
  readonly events: readonly string[];
}

/** Receives each run of a page; returns the bytes that it adds to the page. */
export type Show = (root: ListedRoot) => number;

/** The last run of a page if more runs follow. */
export type NextPlace = LocatedRun | undefined;

/** Filters and page of a listing of a component's runs. */
export type ListQuery = Omit<RunQuery, "after" | "limit"> & {
  readonly kind: NonNullable<RunQuery["kind"]>;
  readonly componentId: string;
  readonly after?: RunPosition | undefined;
  readonly limit: number;
};

/** Lists the runs of a component that the caller may see. @throws TroupeError `notFound` (component, session) */
export async function listRuns(parts: ReadParts, caller: Principal, query: ListQuery, show: Show): Promise<NextPlace> {
  const { kind, componentId, sessionId } = query;
  await findPastComponent(parts, caller, { kind, componentId });
  if (sessionId !== undefined) await requireSessionOf(parts, caller, { kind, componentId }, sessionId);
  // A caller with user isolation has only its own runs: filtering by its user id lets the query use the index.
  const userId = visibleOwner(caller) === null ? query.userId : (caller.userId ?? query.userId);
  return await readPage(parts, {
    limit: query.limit,
    // A workflow's run is shown with the runs of its steps.
    scope: kind === "workflow" ? "members" : "roots",
    read: (last, limit) => {
      const after = last ? placeOf(last) : query.after;
      return parts.store.listRuns(caller, { ...query, ...(after && { after }), userId, limit });
    },
    show,
  });
}

/** A component's runs in a session. */
export interface SessionOfRuns {
  readonly kind: NonNullable<RunQuery["kind"]>;
  readonly componentId: string;
  readonly sessionId: string;
}

/** Every status except `REGENERATED`, which replaced runs have. */
const unreplaced = ["PENDING", "RUNNING", "PAUSED", "COMPLETED", "CANCELLED", "ERROR"] as const;

/**
 * The last runs of a component in a session that the caller may see, newest first, without replaced ones and without their texts. Empty for an unknown session.
 *
 * @throws TroupeError `notFound` (component)
 */
export async function latestRuns(
  parts: ReadParts,
  caller: Principal,
  { kind, componentId, sessionId }: SessionOfRuns,
  limit: number,
): Promise<readonly LocatedRun[]> {
  await findPastComponent(parts, caller, { kind, componentId });
  checkIds({ session: sessionId });
  const query = { kind, componentId, sessionId, statuses: unreplaced, limit, descending: true };
  return await parts.store.listRuns(caller, query);
}

function placeOf({ key, createdAt, sessionKey, sessionSeq }: LocatedRun): RunPosition {
  return { key, createdAt, sessionKey, sessionSeq: sessionSeq ?? 0 };
}

/** Checks that the caller has this session and that it belongs to the component. @throws TroupeError `notFound` */
async function requireSessionOf(
  { store }: Pick<ReadParts, "store">,
  caller: Principal,
  component: Pick<ListQuery, "kind" | "componentId">,
  sessionId: string,
): Promise<void> {
  const session = await store.findSession(caller, sessionId);
  if (!session) throw new TroupeError("notFound", "Session not found");
  const isOwn = session.kind === component.kind && ["", component.componentId].includes(session.componentId);
  if (isOwn) return;
  const [any] = await store.listRuns(caller, { ...component, sessionId, limit: 1 });
  if (!any) throw new TroupeError("notFound", "Session not found");
}

/** One page of a listing. */
export interface Page {
  readonly limit: number;
  readonly scope: ListedScope;
  /** The first `limit` rows after the given one; undefined means the first rows of the page. */
  readonly read: (after: LocatedRun | undefined, limit: number) => Promise<readonly LocatedRun[]>;
  readonly show: Show;
}

/** Reads a page, with at least one row if there is any. Returns its last row if more rows follow. */
export async function readPage(
  parts: Pick<ReadParts, "store" | "platform" | "runtime">,
  { limit, scope, read, show }: Page,
): Promise<NextPlace> {
  const { store, runtime } = parts;
  const maxBytes = parts.platform.settings.maxListingBytes;
  const logs = { bytes: 0 };
  let bytes = 0;
  let count = 0;
  let last: LocatedRun | undefined;
  for (;;) {
    const wanted = Math.min(rowsPerRead, limit - count);
    const found = await read(last, wanted + 1);
    const rows = found.slice(0, wanted);
    const sizes = await store.listedBytes(
      rows.map(({ key }) => key),
      scope,
    );
    const sizeOf = ({ key }: LocatedRun): number => sizes.get(key) ?? 0;
    let shown = 0;
    const isFull = (): boolean =>
      count >= limit || bytes >= maxBytes || logs.bytes >= maxLogFactor * maxBytes || !fits(rows[shown]);
    const fits = (next: LocatedRun | undefined): boolean =>
      next === undefined || count === 0 || bytes + sizeOf(next) <= maxBytes;
    for (const batch of batches(rows, sizeOf)) {
      if (count > 0 && isFull()) break;
      for await (const root of readRoots(parts, batch, scope, logs)) {
        if (root) bytes += show(root);
        last = rows[shown++];
        count += 1;
        if (isFull()) break;
      }
      await nextTurn(runtime.clock);
    }
    if (shown === found.length) return undefined;
    if (isFull()) return last;
  }
}

/** Groups rows, in their order, into batches that may be read at once. `sizeOf` returns the stored size of a row. */
export function* batches<Row>(rows: readonly Row[], sizeOf: (row: Row) => number): Generator<readonly Row[], void> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (batch.length > 0 && bytes + sizeOf(row) > batchBytes) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(row);
    bytes += sizeOf(row);
  }
  if (batch.length > 0) yield batch;
}

/** Reads the texts of rows, in the order of the rows. Yields undefined for a row that was deleted meanwhile. */
async function* readRoots(
  parts: Pick<ReadParts, "store" | "runtime">,
  rows: readonly LocatedRun[],
  scope: ListedScope,
  logs: { bytes: number },
): AsyncGenerator<ListedRoot | undefined, void> {
  const { store } = parts;
  const read = await store.listedRuns(
    rows.map(({ key }) => key),
    scope,
  );
  const keys = read.map(({ key }) => key);
  const messages = byRun(await store.messages(keys, true));
  const families = Map.groupBy(read, ({ rootKey }) => rootKey);
  for (const { key } of rows) {
    const family = families.get(key) ?? [];
    const run = family.find((one) => one.key === key);
    if (!run) {
      yield undefined;
      continue;
    }
    const events: string[] = [];
    for await (const part of eventsOf(parts, run)) {
      logs.bytes += part.bytes;
      events.push(...part.events);
    }
    yield { run, members: family.filter((one) => one.key !== key), messages, events };
  }
}
