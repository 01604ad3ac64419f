/** Page information of listings. */
import { z } from "zod";
import { named } from "../input/named-schemas.ts";

/** Its schema. */
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

/** The wire form of the page information. */
export function toPageInfo({ page, limit, total, milliseconds }: PageFacts): Record<string, number> {
  return {
    ...{ page, limit, total_pages: Math.ceil(total / limit), total_count: total },
    search_time_ms: milliseconds,
  };
}

/** The number and size of a page, the total count, and the time that the query took. */
export interface PageFacts {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly milliseconds: number;
}
