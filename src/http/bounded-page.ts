/** A page of a listing: as many rows as are asked for, or as fit into its bytes. However large rows are, few of them are in memory at a time. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { linkNext } from "./paging.ts";

/** Rows that are read first: how large they are is known then. */
const firstRows = 4;
/** Most rows of one read. */
const mostRows = 200;

/** A row that can be gone on after. */
interface Placed {
  readonly key: number;
  readonly createdAt: number;
  readonly sessionKey: number;
  readonly sessionSeq: number | null;
}

/** How a page is made. */
export interface BoundedPage<Row extends Placed> {
  readonly limit: number;
  readonly mostBytes: number;
  /** The first `limit` rows after one; undefined for the first of the page. */
  readonly read: (after: Row | undefined, limit: number) => Promise<readonly Row[]>;
  /** What rows look like: one or several elements of the list for each. */
  readonly show: (rows: readonly Row[]) => AsyncIterable<readonly unknown[]>;
}

/**
 * The JSON text of the list, at least one row of it if there is one. Where there are more rows, the answer's `Link` header names the next page.
 */
export async function boundedPage<Row extends Placed>(
  { limit, mostBytes, read, show }: BoundedPage<Row>,
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<string> {
  const texts: string[] = [];
  let bytes = 0;
  let count = 0;
  let last: Row | undefined;
  for (let wanted = firstRows, isFull = false; !isFull; wanted = fitting(mostBytes - bytes, bytes / count)) {
    const most = Math.min(wanted, limit - count);
    const rows = await read(last, most + 1);
    const shown = rows.slice(0, most);
    let place = 0;
    for await (const elements of show(shown)) {
      for (const element of elements) {
        const text = JSON.stringify(element);
        texts.push(text);
        bytes += Buffer.byteLength(text);
      }
      last = shown[place++];
      count += 1;
      isFull = count >= limit || bytes >= mostBytes;
      if (isFull) break;
    }
    if (rows.length > place) {
      if (isFull && last) linkNext(last, call);
    } else isFull = true;
  }
  call.reply.type("application/json; charset=utf-8");
  return `[${texts.join(",")}]`;
}

function fitting(bytes: number, each: number): number {
  return Math.max(1, Math.min(mostRows, Math.floor(bytes / Math.max(each, 1))));
}
