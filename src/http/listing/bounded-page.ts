/**
 * Builds one page of a listing of runs, limited by row count and by bytes. It first reads the rows without their texts. It then reads the texts in
 * batches of known stored size, so that memory stays bounded however large rows are.
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
  readonly events: readonly StoredEvent[];
}

/** Settings of one page. */
export interface BoundedPage {
  readonly limit: number;
  readonly scope: ListedScope;
  /** The first `limit` rows after the given one; undefined means the first rows of the page. */
  readonly read: (after: LocatedRun | undefined, limit: number) => Promise<readonly LocatedRun[]>;
  /** Converts a row to one or several elements of the list. */
  readonly show: (root: ListedRoot) => readonly unknown[];
}

/** The JSON text of the list, with at least one row if there is any. If more rows follow, the answer's `Link` header names the next page. */
export async function boundedPage(
  { limit, scope, read, show }: BoundedPage,
  { services: { store, platform }, request, reply }: PageCall,
): Promise<Readable | string> {
  const maxBytes = platform.settings.maxListingBytes;
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

/** The services, the request and the reply that a page uses. */
export interface PageCall {
  readonly services: Pick<Services, "store" | "platform">;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
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
