/** The query of `GET /runs`. */
import { z } from "zod";
import type { RunStatus } from "../../model/run/run.ts";
import type { listAllRuns } from "../../runs/overview.ts";
import { listOf } from "../input/bounded-lists.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { invalid } from "../input/validation-errors.ts";

const statuses = [
  "PENDING",
  "RUNNING",
  "PAUSED",
  "COMPLETED",
  "CANCELLED",
  "ERROR",
] as const satisfies readonly RunStatus[];
const pageSizes = { usual: 25, most: 100 } as const;

type RunListQuery = Parameters<typeof listAllRuns>[2];
type Position = NonNullable<RunListQuery["after"]>;

export const allRunsQuery: Reader<RunListQuery> = reader(
  z.object({
    status: listOf(z.enum(statuses)).nullish(),
    type: z.enum(["agent", "team", "workflow"]).nullish(),
    component_id: identifier.nullish(),
    user_id: identifier.nullish(),
    session_id: identifier.nullish(),
    limit: z.int().min(1).max(pageSizes.most).default(pageSizes.usual),
    cursor: z.string().nullish().describe("From the Link header of the page before."),
  }),
  (fields) => ({
    kind: fields.type ?? undefined,
    componentId: fields.component_id ?? undefined,
    userId: fields.user_id ?? undefined,
    sessionId: fields.session_id ?? undefined,
    statuses: fields.status ?? undefined,
    limit: fields.limit,
    after: fields.cursor ? fromCursor(fields.cursor) : undefined,
  }),
);

export function toCursor({ updatedAt, key }: Position): string {
  return Buffer.from(JSON.stringify([updatedAt, key])).toString("base64url");
}

const place = z.tuple([z.int(), z.int()]);

function fromCursor(cursor: string): Position {
  const found = place.safeParse(parsed(cursor));
  if (!found.success) {
    const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
    throw invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
  }
  const [updatedAt, key] = found.data;
  return { updatedAt, key };
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
