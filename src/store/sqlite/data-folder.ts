/** The folder of the embedded database, and the reasons why it cannot be used. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigurationError } from "../../errors.ts";

/** Reasons why a file or folder cannot be created, by the system's error code. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "cannot be used by this user",
  EPERM: "cannot be used by this user",
  EROFS: "is on a file system that is read only",
  ENOTDIR: "is a file, not a folder",
  EISDIR: "is a folder, not a file",
  EEXIST: "already exists and is not a folder",
  ENOENT: "cannot contain files",
  ENOSPC: "is on a full disk",
  EDQUOT: "is on a disk where this user's quota is used up",
};

/** Problems with a database file and their remedies, by the beginning of SQLite's error code. */
const databaseProblems: readonly (readonly [code: RegExp, text: string])[] = [
  [
    /^SQLITE_NOTADB/,
    "is not an SQLite database: move it away so that the next start creates a new one, or restore a backup",
  ],
  [/^SQLITE_CORRUPT/, "is damaged: restore a backup, or save the readable part with the command .recover of sqlite3"],
  [/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/, "cannot be opened for writing: check its owner and permissions"],
  [/^SQLITE_(FULL|IOERR)/, "cannot be written: check whether the disk is full or failing"],
  [/^SQLITE_(BUSY|LOCKED)/, "is locked by another program: stop that program"],
];

/** Path of the database file in a data folder. */
export function databaseFile(dataDir: string): string {
  return join(resolve(dataDir), "troupe.sqlite");
}

/** @throws ConfigurationError if a data folder has no database: a command that only reads must not make one */
export function requireDatabase(dataDir: string): void {
  if (existsSync(databaseFile(dataDir))) return;
  throw new ConfigurationError(
    `There is no database in ${resolve(dataDir)}. Name its folder with --data-dir (TROUPE_DATA_DIR), or a Postgres database with --database.`,
  );
}

/** Path of the small database in a data folder that only one process can lock. */
export function lockFile(dataDir: string): string {
  return join(resolve(dataDir), "lock.sqlite");
}

/** Whether a file of a data folder is the database, a part of it, or its lock. */
export function isOfDatabase(name: string): boolean {
  return /^(troupe\.sqlite|lock\.sqlite|lock-holder\.txt)/.test(name);
}

/** Instructions to an operator for a damaged database file (docs/operating.md). */
export function damageAdvice(file: string): string {
  return (
    `The database file ${file} is damaged, or its disk fails. Runs in the damaged part fail, all others are served. ` +
    'Stop the server, copy its data folder, and list what is lost with "troupe doctor --deep". Then restore a backup with "troupe restore", ' +
    `or save what can be read: sqlite3 ${file} .recover | sqlite3 recovered.sqlite`
  );
}

/**
 * Checks that the folder can be written or created, by creating and removing a trial folder.
 * @throws ConfigurationError with the reason why it cannot
 */
export function checkDataFolder(dataDir: string): void {
  const folder = resolve(dataDir);
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    rmdirSync(mkdtempSync(join(existing, ".troupe-trial-")));
  } catch (error) {
    throw folderError(folder, existing, error);
  }
}

/**
 * Creates the folder if it is missing, accessible to this user only, and returns its absolute path.
 * @throws ConfigurationError with the reason why it cannot
 */
export function makeDataFolder(dataDir: string): string {
  // Checked first because Node searches forever for a parent folder where the system creates none (below /proc, for instance).
  checkDataFolder(dataDir);
  const folder = resolve(dataDir);
  try {
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(folder, 0o700);
  } catch (error) {
    throw folderError(folder, folder, error);
  }
  return folder;
}

/** An error with the reason why a file of the folder cannot be used and the remedy; any other error is returned unchanged. */
export function fileError(file: string, error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const reason = reasons[code] ?? databaseProblems.find(([pattern]) => pattern.test(code))?.[1];
  return reason === undefined ? error : new ConfigurationError(`${file} ${reason} (${message}).`, { cause: error });
}

function folderError(folder: string, failed: string, error: unknown): ConfigurationError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const whose = failed === folder ? "" : ` cannot be made: ${failed}`;
  return new ConfigurationError(
    `The data folder ${folder}${whose} ${reasons[code] ?? `cannot be written (${message})`}. ` +
      "Choose another one with --data-dir (TROUPE_DATA_DIR), or let this user write there.",
    { cause: error },
  );
}
