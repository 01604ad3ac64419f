/** Queries of the routes for usage by day. */
import { z } from "zod";
import type { DayRange } from "../../runs/metrics.ts";
import { type Reader, reader } from "../input/decode.ts";

/** The database that a request names. */
export interface MetricsTable {
  readonly databaseId: string | undefined;
  readonly table: string | undefined;
}

/** The query of `GET /metrics`. */
export interface MetricsList extends MetricsTable {
  readonly range: Partial<DayRange>;
}

const choice = { db_id: z.string().nullish(), table: z.string().nullish() };
const date = z.iso.date().nullish();

export const metricsList: Reader<MetricsList> = reader(
  z.object({ starting_date: date, ending_date: date, ...choice }),
  ({ starting_date: from, ending_date: to, ...fields }) => ({
    ...toChoice(fields),
    range: { ...(from && { from }), ...(to && { to }) },
  }),
);

export const metricsChoice: Reader<MetricsTable> = reader(z.object(choice), toChoice);

function toChoice({ db_id, table }: z.output<z.ZodObject<typeof choice>>): MetricsTable {
  return { databaseId: db_id ?? undefined, table: table ?? undefined };
}
