/** Copies the embedded database into a folder while a server uses it, and restores such a copy. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  copyFileSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import Sqlite from "better-sqlite3";
import { ConfigurationError } from "../../errors.ts";
import { checkLogs, type LogCheck } from "../check/sqlite-logs.ts";
import { databaseFile, fileError, isOfDatabase, makeDataFolder, requireDatabase } from "./data-folder.ts";
import { lockDataFolder } from "./data-folder-lock.ts";

/** Contents of a backup, from its manifest. */
export interface BackupManifest {
  readonly troupe: string;
  /** The last migration of its database. */
  readonly migration: number;
  readonly created_at: string;
  readonly runs: number;
  readonly events: number;
  /** Sizes and hashes of its files. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** Receives progress: a step, and the share of it that is done (0 to 1). */
export type OnProgress = (step: string, share: number) => void;

const manifestFile = "backup.json";

/** Pages that one step copies: 4 MiB. Between two steps, progress is reported. */
const pagesPerStep = 1024;

/** A request for a backup. */
export interface BackupRequest {
  readonly dataDir: string;
  /** The folder of the backup. It must not exist, or be empty. */
  readonly target: string;
  /** Troupe's version. */
  readonly version: string;
  readonly createdAt: Date;
  readonly onProgress: OnProgress;
}

/**
 * Copies a data folder and checks the copy: SQLite's integrity check, and each event of each log. The copy has every commit that was acknowledged
 * before the backup began. A server may use the folder meanwhile. A backup that fails leaves no folder.
 * @throws ConfigurationError when there is no database, the target is not empty, or the copy is damaged
 */
export async function backUp(request: BackupRequest): Promise<BackupManifest> {
  const { dataDir, target, version, createdAt, onProgress } = request;
  requireDatabase(dataDir);
  const source = databaseFile(dataDir);
  const folder = resolve(target);
  requireEmpty(folder, "Choose another folder for the backup.");
  // The folder gets its name when the backup is complete.
  const partial = `${folder}.partial`;
  const others = filesOf(dataDir);
  try {
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true, mode: 0o700 });
    const copy = join(partial, basename(source));
    await copyDatabase(source, copy, onProgress);
    chmodSync(copy, 0o600);
    for (const name of others) copyFileSync(join(resolve(dataDir), name), join(partial, name));
    const { runs, events } = requireSound(copy, "The data folder itself may be damaged", onProgress);
    const files: Record<string, { bytes: number; sha256: string }> = {};
    for (const name of readdirSync(partial).sort()) files[name] = await describeFile(join(partial, name));
    const manifest = {
      troupe: version,
      migration: migrationOf(copy),
      created_at: createdAt.toISOString(),
      runs,
      events,
      files,
    };
    writeFileSync(join(partial, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    for (const name of [...Object.keys(files), manifestFile]) sync(join(partial, name));
    sync(partial);
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
    sync(resolve(folder, ".."));
    return manifest;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw fileError((error as NodeJS.ErrnoException).path ?? source, error);
  }
}

/**
 * Copies a backup into a data folder and checks it. No server can start in the folder meanwhile.
 * @throws ConfigurationError when the folder is in use or not empty, or the backup is damaged
 */
export async function restore(backup: string, dataDir: string, onProgress: OnProgress): Promise<BackupManifest> {
  const from = resolve(backup);
  const manifest = readManifest(from);
  const folder = resolve(dataDir);
  if (existsSync(folder)) {
    // Locked first, because the error names the process that uses the folder.
    if (existsSync(databaseFile(folder))) lockDataFolder(folder)();
    requireEmpty(folder, "Move its files away, or choose another folder with --data-dir.");
  }
  const unlock = lockDataFolder(makeDataFolder(folder));
  const copied: string[] = [];
  const file = databaseFile(folder);
  const partial = `${file}.partial`;
  try {
    for (const [name, expected] of Object.entries(manifest.files)) {
      // The database gets its name last: a start finds a complete database or none.
      const copy = name === basename(file) ? partial : join(folder, name);
      copied.push(copy);
      copyFileSync(join(from, name), copy);
      // The backup may have been stored where files have no permissions.
      chmodSync(copy, 0o600);
      const { bytes, sha256 } = await describeFile(copy);
      if (bytes !== expected.bytes || sha256 !== expected.sha256)
        throw new ConfigurationError(`${join(from, name)} is not the file that the backup wrote. Use another backup.`);
      sync(copy);
    }
    const { runs, events } = requireSound(partial, "Use another backup", onProgress);
    if (runs !== manifest.runs || events !== manifest.events)
      throw new ConfigurationError(`${from} has ${runs} runs with ${events} events, and its manifest names others.`);
    renameSync(partial, file);
    sync(folder);
    return manifest;
  } catch (error) {
    for (const name of copied) rmSync(name, { force: true });
    throw fileError((error as NodeJS.ErrnoException).path ?? folder, error);
  } finally {
    unlock();
  }
}

/**
 * Copies one snapshot in steps. The open transaction keeps the snapshot: without it, each commit of the server would start the copy again. The
 * server's write-ahead log grows meanwhile, because it keeps the pages of the snapshot.
 */
async function copyDatabase(source: string, copy: string, onProgress: OnProgress): Promise<void> {
  const database = new Sqlite(source, { readonly: true, timeout: 5_000 });
  try {
    database.exec("begin");
    database.prepare("select 1 from sqlite_schema limit 1").get();
    await database.backup(copy, {
      progress({ totalPages, remainingPages }) {
        if (totalPages > 0) onProgress("copying", 1 - remainingPages / totalPages);
        return pagesPerStep;
      },
    });
  } finally {
    database.close();
  }
  // Without a write-ahead log, the copy is one file, also after it was read. A server that opens it changes it back.
  const copied = new Sqlite(copy);
  copied.pragma("journal_mode = delete");
  copied.close();
}

function requireSound(file: string, advice: string, onProgress: OnProgress): LogCheck {
  const check = checkLogs(file, (share) => onProgress("checking", share));
  const { damaged, findings } = check;
  if (damaged.length + findings.length === 0) return check;
  const first = damaged[0];
  const lost = first
    ? `${damaged.length} of its runs are damaged, for example ${first.name}: ${first.lost.join("; ")}`
    : findings[0];
  throw new ConfigurationError(
    `The copy ${file} is damaged (${lost}), and was removed. ${advice}: "troupe doctor --deep" lists what a data folder has lost.`,
  );
}

/** Files of a data folder besides its database and its lock: keys for development, for example. */
function filesOf(dataDir: string): readonly string[] {
  return readdirSync(resolve(dataDir), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !isOfDatabase(entry.name) && entry.name !== manifestFile)
    .map(({ name }) => name);
}

/** A lock that a stopped server left does not count. */
function requireEmpty(folder: string, advice: string): void {
  if (!existsSync(folder)) return;
  const names = statSync(folder).isDirectory()
    ? readdirSync(folder).filter((name) => name !== "lock.sqlite")
    : [folder];
  if (names.length > 0) throw new ConfigurationError(`${folder} is not an empty folder. ${advice}`);
}

function readManifest(folder: string): BackupManifest {
  const file = join(folder, manifestFile);
  let manifest: BackupManifest | undefined;
  try {
    manifest = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigurationError(`${folder} is not a backup of "troupe backup" (${(error as Error).message}).`, {
      cause: error,
    });
  }
  const database = basename(databaseFile(folder));
  const names = Object.keys(manifest?.files ?? {});
  // Other names of the database's files would reach its write-ahead log or its lock.
  const isListed = (name: string): boolean =>
    name === database || (name === basename(name) && !["", ".", ".."].includes(name) && !isOfDatabase(name));
  if (!names.includes(database) || !names.every(isListed))
    throw new ConfigurationError(`${file} does not list the files of a backup.`);
  return manifest as BackupManifest;
}

function migrationOf(file: string): number {
  const database = new Sqlite(file, { readonly: true });
  try {
    return database.prepare("select max(number) from migrations").pluck().get() as number;
  } finally {
    database.close();
  }
}

async function describeFile(file: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return { bytes: statSync(file).size, sha256: hash.digest("hex") };
}

/** Writes a file or a folder's list of files to the disk. Windows has no such call for folders. */
function sync(path: string): void {
  if (process.platform === "win32" && statSync(path).isDirectory()) return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
