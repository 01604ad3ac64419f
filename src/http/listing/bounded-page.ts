/** Answers a page of a listing of runs: its JSON text, and the `Link` header of the next page. */
import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ListedRoot, NextPlace, Show } from "../../runs/list.ts";
import { sendPieces, toPieces } from "../transport/json-pieces.ts";
import { linkNext } from "./paging.ts";

/**
 * The JSON text of a page.
 *
 * @param list - lists the runs of the page and shows each
 * @param elementsOf - converts a run to one or several elements of the list
 */
export async function boundedPage(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  list: (show: Show) => Promise<NextPlace>,
  elementsOf: (root: ListedRoot) => readonly unknown[],
): Promise<Readable | string> {
  const pieces: string[] = [];
  let bytes = 0;
  const next = await list((root) => {
    const before = bytes;
    for (const element of elementsOf(root)) {
      for (const piece of [pieces.length === 0 ? "" : ",", ...toPieces(element)]) {
        pieces.push(piece);
        bytes += Buffer.byteLength(piece);
      }
    }
    return bytes - before;
  });
  if (next) linkNext(next, { request, reply });
  return sendPieces(reply, ["[", ...pieces, "]"], bytes);
}
