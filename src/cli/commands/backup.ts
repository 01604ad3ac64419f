import { resolve } from "node:path";
import { ConfigurationError } from "../../errors.ts";
import { type BackupManifest, backUp, restore as restoreBackup } from "../../store/sqlite/backup.ts";
import type { DatabaseOptions } from "../options.ts";
import { progressOf } from "../progress.ts";
import { commandRuntime } from "../runtime.ts";

const postgresAdvice =
  `Postgres is backed up by its own tools: "pg_dump --format=custom" while servers run, or a base backup with archived
write-ahead log for a restore to any moment. docs/operating.md has both as commands.`.replace("\n", " ");

/** `troupe backup <folder>`: copies the data folder while a server may use it, and checks the copy. */
export async function backup(target: string, { database, dataDir }: DatabaseOptions, version: string): Promise<void> {
  if (database !== undefined)
    throw new ConfigurationError(`"troupe backup" copies the embedded database. ${postgresAdvice}`);
  const createdAt = new Date(commandRuntime().clock.now());
  const progress = progressOf();
  const manifest = await backUp({ dataDir, target, version, createdAt, onProgress: progress });
  console.log(`Backup of ${resolve(dataDir)} in ${resolve(target)}: ${describe(manifest)}.`);
}

/** `troupe restore <folder>`: copies a backup into an empty data folder, and checks it. */
export async function restore(from: string, { database, dataDir }: DatabaseOptions): Promise<void> {
  if (database !== undefined)
    throw new ConfigurationError(`"troupe restore" writes the embedded database. ${postgresAdvice}`);
  const manifest = await restoreBackup(from, dataDir, progressOf());
  const of = `of ${manifest.created_at} by Troupe ${manifest.troupe}`;
  console.log(`Backup ${of} restored in ${resolve(dataDir)}: ${describe(manifest)}.`);
}

function describe({ runs, events, files }: BackupManifest): string {
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return `${runs} runs, ${events} events, ${(bytes / 1e6).toFixed(1)} MB, integrity checked, every log read`;
}
