/** The database that a request names. A platform has one database, with one table for each kind of data. */
import { TroupeError } from "../../errors.ts";
import { tables } from "../records/database.ts";
import type { Services } from "../transport/services.ts";

/** @throws TroupeError `notFound` for a database or a table that the platform does not have, `badRequest` for a table without its database */
export function checkDatabase(
  { platform }: Pick<Services, "platform">,
  { databaseId, table }: { readonly databaseId: string | undefined; readonly table?: string | undefined },
  known: readonly string[] = tables,
): void {
  if (databaseId !== undefined && databaseId !== platform.databaseId)
    throw new TroupeError("notFound", `No database found with id '${databaseId}'`);
  if (table !== undefined && databaseId === undefined)
    throw new TroupeError("badRequest", "The db_id query parameter is required when passing a table");
  if (table !== undefined && !known.includes(table))
    throw new TroupeError("notFound", `No table '${table}' in the database '${databaseId}'`);
}
