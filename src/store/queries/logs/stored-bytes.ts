/** Sizes of stored logs. */
import { type RawBuilder, sql } from "kysely";

/** Stored bytes of the frames of a run. The database reads the lengths of values, not the values. @param key the column with the key of the run */
export function storedBytes(key: string): RawBuilder<number> {
  return sql<number>`(select coalesce(sum(octet_length(g.frames)), 0) from segments g where g.run_key = ${sql.ref(key)})`;
}
