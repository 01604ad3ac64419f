/** Queries and bodies of routes of feedback. */
import { z } from "zod";
import { ratings } from "../../model/trial.ts";
import type { FeedbackPosition, FeedbackQuery, GivenFeedback } from "../../runs/trials/feedback.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { invalid } from "../input/validation-errors.ts";

const pageSizes = { usual: 25, most: 100 } as const;

/** Max characters of a note. */
const maxNote = 4_000;

/** The body of `POST …/feedback`. */
export const givenFeedback: BodySpec<GivenFeedback> = {
  name: "FeedbackCreate",
  types: ["json", "urlencoded", "multipart"],
  required: true,
  reader: reader(
    z.object({
      rating: z.enum(ratings),
      note: z.string().max(maxNote).nullish(),
      user_id: identifier
        .nullish()
        .describe("The user who gives it. Ignored for callers whose credential determines the user."),
    }),
    (fields) => ({ rating: fields.rating, note: fields.note ?? null, userId: fields.user_id ?? undefined }),
  ),
};

/** The query of `DELETE …/feedback`. */
export const feedbackAuthor: Reader<{ userId: string | undefined }> = reader(
  z.object({ user_id: identifier.nullish() }),
  ({ user_id }) => ({ userId: user_id ?? undefined }),
);

/** The query of `GET /feedback`. */
export const feedbackList: Reader<FeedbackQuery> = reader(
  z.object({
    rating: z.enum(ratings).nullish(),
    type: z.enum(["agent", "team", "workflow"]).nullish(),
    component_id: identifier.nullish(),
    user_id: identifier.nullish().describe("The user who gave it."),
    limit: z.int().min(1).max(pageSizes.most).default(pageSizes.usual),
    cursor: z.string().nullish().describe("From the Link header of the page before."),
  }),
  (fields) => ({
    rating: fields.rating ?? undefined,
    kind: fields.type ?? undefined,
    componentId: fields.component_id ?? undefined,
    userId: fields.user_id ?? undefined,
    limit: fields.limit,
    after: fields.cursor ? fromCursor(fields.cursor) : undefined,
  }),
);

const place = z.tuple([z.int(), z.int(), z.string().max(2_000)]);

/** The cursor that continues after feedback. */
export function toFeedbackCursor({ updatedAt, runKey, author }: FeedbackPosition): string {
  return Buffer.from(JSON.stringify([updatedAt, runKey, author])).toString("base64url");
}

function fromCursor(cursor: string): FeedbackPosition {
  const found = place.safeParse(parsed(cursor));
  if (!found.success || found.data[2].includes("\0") || !found.data[2].isWellFormed()) {
    const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
    throw invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
  }
  const [updatedAt, runKey, author] = found.data;
  return { updatedAt, runKey, author };
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
