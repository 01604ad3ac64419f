/** Migrations of the platform's database at the request of a client. */
import { ConfigurationError, TroupeError } from "../errors.ts";
import type { RunParts } from "./parts.ts";

/**
 * Applies the migrations that the database lacks: after a restore of an older backup, for instance. A server applies them when it starts.
 *
 * @param databaseId undefined for all databases
 * @param target number of a migration; undefined for the newest. Migrations are never taken back, so only the newest is accepted.
 * @throws TroupeError `notFound` for an unknown database, `badRequest` for another target, `conflict` for tables that a newer version made
 */
export async function migrateDatabase(
  { platform, store }: Pick<RunParts, "platform" | "store">,
  databaseId: string | undefined,
  target: string | undefined,
): Promise<void> {
  if (databaseId !== undefined && databaseId !== platform.databaseId)
    throw new TroupeError("notFound", `No database found with id '${databaseId}'`);
  const { newestMigration } = store;
  if (target !== undefined && target !== String(newestMigration))
    throw new TroupeError(
      "badRequest",
      `This version of Troupe migrates to ${newestMigration} only: omit target_version`,
    );
  try {
    await store.migrate();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new TroupeError("conflict", `The database was not migrated: ${error.message}`, { cause: error });
  }
}
