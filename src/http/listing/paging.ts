/** Cursors of listings: opaque texts in a `Link` header (RFC 8288), so that the body keeps its form. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { RunPosition } from "../../store/contract/store.ts";
import { invalid } from "../input/validation-errors.ts";

/** Default number of runs on a page, and the maximum. A listing of one session's runs uses the maximum by default. */
export const pageSizes = { usual: 100, most: 1_000 } as const;

/** The position of a turn in its session is stored in 32 bits; the other numbers are safe integers. */
const place = z.tuple([z.int(), z.int(), z.int(), z.int32()]);

/** The cursor that resumes after a run. */
function toCursor({ createdAt, key, sessionKey, sessionSeq }: RunPosition): string {
  return Buffer.from(JSON.stringify([createdAt, key, sessionKey, sessionSeq])).toString("base64url");
}

/** The position that a cursor encodes. @throws TroupeError `validation` for a text that is not a cursor */
export function fromCursor(cursor: string): RunPosition {
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

/** Adds the next page, which begins after this row, to the response's `Link` header. */
export function linkNext(
  last: Omit<RunPosition, "sessionSeq"> & { readonly sessionSeq: number | null },
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): void {
  const { key, createdAt, sessionKey, sessionSeq } = last;
  linkNextPage(toCursor({ key, createdAt, sessionKey, sessionSeq: sessionSeq ?? 0 }), { request, reply });
}

/** Adds the page of a cursor to the response's `Link` header. */
export function linkNextPage(
  cursor: string,
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): void {
  linkPage({ cursor }, call);
}

/** Adds the next page to the response's `Link` header: the same URL with these query parameters. Undefined removes a parameter. */
export function linkPage(
  changes: Readonly<Record<string, string | undefined>>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): void {
  const [path = "", query = ""] = request.url.split("?", 2);
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  }
  reply.header("link", `<${path}?${parameters}>; rel="next"`);
}

/** The cursor of a listing in the order of keys. @throws TroupeError `validation` for a text that is not a cursor */
export function fromKeyCursor(cursor: string | null | undefined): number | undefined {
  if (cursor == null) return undefined;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
  throw invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
}
