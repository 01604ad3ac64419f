/** What a page of a listing says about itself. */
import { z } from "zod";
import { named } from "../input/named-schemas.ts";

/** Schema of it. */
export const pageInfo: z.ZodType = named(
  "PaginationInfo",
  z.object({
    page: z.int().min(0).default(0),
    limit: z.int().min(1).default(20),
    total_pages: z.int().min(0).default(0),
    total_count: z.int().min(0).default(0),
    search_time_ms: z.number().min(0).default(0),
  }),
);

/** Which page it is, of how many things, and how long the look took. */
export function toPageInfo({ page, limit, total, milliseconds }: PageFacts): Record<string, number> {
  return {
    ...{ page, limit, total_pages: Math.ceil(total / limit), total_count: total },
    search_time_ms: milliseconds,
  };
}

/** What is known of a page. */
export interface PageFacts {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly milliseconds: number;
}
