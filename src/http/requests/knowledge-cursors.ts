/** Cursors of listings of documents and of citations: opaque texts in a `Link` header. */
import { z } from "zod";
import { isStorable } from "../../model/storable.ts";
import type { CitationPosition, ContentPosition } from "../../store/contract/knowledge.ts";
import { invalid } from "../input/validation-errors.ts";

/** Max characters of the value by which documents are sorted. */
const maxValue = 2_000;

/** Max characters of a cursor: it contains a value, of up to 6 bytes for each character, in Base64. */
const maxCursor = 10 * maxValue;

const place = z.tuple([z.union([z.int(), z.string().max(maxValue).refine(isStorable)]), z.int().min(0)]);

/** The member of a query that continues a listing. */
export const cursorMember: z.ZodOptional<z.ZodNullable<z.ZodString>> = z
  .string()
  .max(maxCursor)
  .nullish()
  .describe("From the Link header of the page before.");

/** The cursor that continues after a document. */
export function toContentCursor({ value, key }: ContentPosition): string {
  return Buffer.from(JSON.stringify([value, key])).toString("base64url");
}

/** @throws TroupeError `validation` for a text that is not a cursor */
export function fromContentCursor(cursor: string): ContentPosition {
  const found = place.safeParse(parsed(cursor));
  if (!found.success) throw wrongCursor(cursor);
  const [value, key] = found.data;
  return { value, key };
}

/** The cursor that continues after a citation. */
export function toCitationCursor({ citedAt, runKey }: CitationPosition): string {
  return Buffer.from(JSON.stringify([citedAt, runKey])).toString("base64url");
}

/** @throws TroupeError `validation` for a text that is not a cursor */
export function fromCitationCursor(cursor: string): CitationPosition {
  const { value, key } = fromContentCursor(cursor);
  if (typeof value !== "number") throw wrongCursor(cursor);
  return { citedAt: value, runKey: key };
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

function wrongCursor(cursor: string) {
  const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
  return invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
}
