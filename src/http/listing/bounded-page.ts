/**
 * A page of a listing of runs: as many rows as the caller asks for, or as fit into its bytes. The rows are read without their texts first. The
 * texts follow in batches whose stored size is known, so that few of them are in memory at a time, however large rows are.
 */
import type { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ListedScope, LocatedRun, MessageRow, RunRow } from "../../store/contract/store.ts";
import { eventsOf, type StoredEvent } from "../records/events.ts";
import { byRun, type MessagesByRun } from "../records/run.ts";
import { sendPieces, toPieces } from "../transport/json-pieces.ts";
import type { Services } from "../transport/services.ts";
import { linkNext } from "./paging.ts";

/** Rows that are read at a time, without their texts. */
const rowsPerRead = 100;

/** Stored bytes of the texts that are read at a time. A larger row is read alone. */
const batchBytes = 1024 * 1024;

/** A page ends when the logs that were read for it are so many times larger than the page may be: most of a log is not shown. */
const maxLogFactor = 8;

/** A root run with what belongs to it, as far as listings show it. */
export interface ListedRoot {
  readonly run: RunRow;
  /** Runs of its members, of whatever depth; none where the listing does not show them. */
  readonly members: readonly RunRow[];
  readonly messages: MessagesByRun;
  readonly events: readonly StoredEvent[];
}

/** How a page is made. */
export interface BoundedPage {
  readonly limit: number;
  readonly scope: ListedScope;
  /** The first `limit` rows after one; undefined for the first of the page. */
  readonly read: (after: LocatedRun | undefined, limit: number) => Promise<readonly LocatedRun[]>;
  /** What a row looks like: one or several elements of the list. */
  readonly show: (root: ListedRoot) => readonly unknown[];
}

/**
 * The JSON text of the list, at least one row of it if there is one. Where there are more rows, the answer's `Link` header names the next page.
 */
export async function boundedPage(
  { limit, scope, read, show }: BoundedPage,
  { services: { store, platform }, request, reply }: PageCall,
): Promise<Readable | string> {
  const maxBytes = platform.settings.listingBytes;
  const pieces: string[] = [];
  const logs = { bytes: 0 };
  let bytes = 0;
  let count = 0;
  let last: LocatedRun | undefined;
  for (let isOver = false; !isOver; ) {
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
      for await (const root of readRoots(store, batch, scope, logs)) {
        for (const element of root ? show(root) : []) {
          for (const piece of [pieces.length === 0 ? "" : ",", ...toPieces(element)]) {
            pieces.push(piece);
            bytes += Buffer.byteLength(piece);
          }
        }
        last = rows[shown++];
        count += 1;
        if (isFull()) break;
      }
      await nextTurn();
    }
    isOver = shown === found.length || isFull();
    if (isOver && shown < found.length && last) linkNext(last, { request, reply });
  }
  return sendPieces(reply, ["[", ...pieces, "]"], bytes);
}

/** What a page takes of its request. */
export interface PageCall {
  readonly services: Pick<Services, "store" | "platform">;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Rows in their order, as many together as may be read at once. `sizeOf` is the stored size of a row. */
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

/** The texts of rows, in the order of the rows. A row that was deleted meanwhile is left out. */
async function* readRoots(
  store: PageCall["services"]["store"],
  rows: readonly LocatedRun[],
  scope: ListedScope,
  logs: { bytes: number },
): AsyncGenerator<ListedRoot | undefined, void> {
  const read = await store.listedRuns(
    rows.map(({ key }) => key),
    scope,
  );
  const said: readonly MessageRow[] = await store.messages(
    read.map(({ key }) => key),
    true,
  );
  const messages = byRun(said);
  const families = Map.groupBy(read, ({ rootKey }) => rootKey);
  for (const { key } of rows) {
    const family = families.get(key) ?? [];
    const run = family.find((one) => one.key === key);
    if (!run) {
      yield undefined;
      continue;
    }
    const events: StoredEvent[] = [];
    for await (const part of eventsOf(store, run)) {
      logs.bytes += part.bytes;
      events.push(...part.events);
    }
    yield { run, members: family.filter((one) => one.key !== key), messages, events };
  }
}
