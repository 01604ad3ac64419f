/** Cursors of listings: opaque texts in a `Link` header (RFC 8288), so that the body stays what it was. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { RunPlace } from "../store/seam.ts";
import { invalid } from "./faults.ts";

/** Runs of a page when the caller does not say, and the most there can be. */
export const pageSizes = { usual: 100, most: 1_000 } as const;

const place = z.tuple([z.int(), z.int(), z.int(), z.int()]);

/** The cursor that goes on after a run. */
function toCursor({ createdAt, key, sessionKey, sessionSeq }: RunPlace): string {
  return Buffer.from(JSON.stringify([createdAt, key, sessionKey, sessionSeq])).toString("base64url");
}

/** Where a cursor goes on. @throws TroupeError `validation` for a text that is none */
export function fromCursor(cursor: string): RunPlace {
  const found = place.safeParse(parsed(cursor));
  if (!found.success) {
    const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
    throw invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
  }
  const [createdAt, key, sessionKey, sessionSeq] = found.data;
  return { createdAt, key, sessionKey, sessionSeq };
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/**
 * The rows of a page out of one more than it holds; where there is one more, the answer's `Link` header names the next page.
 */
export function pageOf<Row extends Omit<RunPlace, "sessionSeq"> & { readonly sessionSeq: number | null }>(
  rows: readonly Row[],
  limit: number,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): readonly Row[] {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  if (rows.length <= limit || !last) return shown;
  const [path = "", query = ""] = request.url.split("?", 2);
  const parameters = new URLSearchParams(query);
  parameters.set("cursor", toCursor({ ...last, sessionSeq: last.sessionSeq ?? 0 }));
  reply.header("link", `<${path}?${parameters}>; rel="next"`);
  return shown;
}
