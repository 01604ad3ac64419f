/** Cursors of listings: opaque texts in a `Link` header (RFC 8288), so that the body stays what it was. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { RunPlace } from "../../store/contract/store.ts";
import { invalid } from "../input/validation-errors.ts";

/** Default number of runs on a page, and the maximum. A listing of one session's runs uses the maximum by default. */
export const pageSizes = { usual: 100, most: 1_000 } as const;

/** Of the session's order of turns there are 32 bits, of the rest as many as numbers have. */
const place = z.tuple([z.int(), z.int(), z.int(), z.int32()]);

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

/** Names the next page in the answer's `Link` header: the one after this row. */
export function linkNext(
  last: Omit<RunPlace, "sessionSeq"> & { readonly sessionSeq: number | null },
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): void {
  const [path = "", query = ""] = request.url.split("?", 2);
  const parameters = new URLSearchParams(query);
  const { key, createdAt, sessionKey, sessionSeq } = last;
  parameters.set("cursor", toCursor({ key, createdAt, sessionKey, sessionSeq: sessionSeq ?? 0 }));
  reply.header("link", `<${path}?${parameters}>; rel="next"`);
}
