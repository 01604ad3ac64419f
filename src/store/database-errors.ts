/** Classifies database errors by what they mean for the failed statement. */
import { TroupeError } from "../errors.ts";

/**
 * - `retry`: the transaction was rolled back; retrying it may succeed.
 * - `disconnected`: the connection failed, and a commit in progress may or may not have happened.
 * - `permanent`: the statement cannot succeed, so a retry does not help. Its values cannot be stored, a table is missing, a trigger raised an
 *   exception, the file is damaged, or our own code failed inside the transaction.
 */
export type DatabaseErrorKind = "retry" | "disconnected" | "permanent";

/**
 * SQLSTATE classes (first two characters) for which a retry is useless: values (22, 23, 54), statements (21, 42, 3F, 44), exceptions in functions and
 * triggers (2F, 38, 39, P0), damaged tables and server bugs (XX).
 */
const permanentClasses = new Set(["21", "22", "23", "2F", "38", "39", "3F", "42", "44", "54", "P0", "XX"]);

/** The connection already has a prepared statement with this name; a new connection does not. */
const duplicateStatement = "42P05";

/** Transient failures of SQLite: another program holds the file, or memory, disk or file handles are exhausted. */
const transient =
  /^SQLITE_(BUSY|LOCKED|FULL|NOMEM|INTERRUPT|PROTOCOL|SCHEMA|CANTOPEN|READONLY|IOERR_(NOMEM|BLOCKED|LOCK|SHMSIZE))/;

/** SQLite failures that mean a damaged file or a failing disk. */
const corruption = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

/** The server accepts no writes: it is a standby, or was demoted while the connection was open. */
const readOnlyServer = "25006";

/** SQLSTATEs after which the connection is of no use: the server shuts down, ended the session, or accepts no writes. */
const connectionEnded = new Set(["57P01", "57P02", "57P03", "57P05", "25P03", readOnlyServer]);

/** Another transaction committed first: the next try sees its changes. */
export class ConcurrentChange extends Error {
  override readonly name = "ConcurrentChange";
  readonly code = "40001";
}

/** The database did not respond for too long; its pending statements may or may not have taken effect. */
export class NoResponse extends Error {
  override readonly name = "NoResponse";
  readonly code = "08006";

  constructor() {
    super("the database does not respond");
  }
}

/** Classifies an error of Postgres. An error without SQLSTATE comes from the connection, or from our own code. */
export function classifyPostgresError(error: unknown): DatabaseErrorKind {
  const code = codeOf(error);
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("E")) {
    // Two transactions created a run with the same id concurrently: the next try finds the other transaction's run.
    if (isUniqueViolation(error, "runs_id")) return "retry";
    if (permanentClasses.has(code.slice(0, 2)) && code !== duplicateStatement) return "permanent";
    return code.startsWith("08") || connectionEnded.has(code) ? "disconnected" : "retry";
  }
  return isConnectionError(error) ? "disconnected" : "permanent";
}

/** Classifies an error of SQLite. */
export function classifySqliteError(error: unknown): DatabaseErrorKind {
  return transient.test(codeOf(error) ?? "") ? "retry" : "permanent";
}

/** Whether an error of SQLite means that the file is damaged or the disk fails. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  return corruption.test(code) && !transient.test(code);
}

/** Whether a text contains characters that Postgres cannot store. */
export function isUnstorableText(error: unknown): boolean {
  return codeOf(error) === "22021";
}

/** Whether the server of the connection accepts no writes. */
export function isReadOnlyServer(error: unknown): boolean {
  return codeOf(error) === readOnlyServer;
}

/** Whether a segment could not be stored because it already exists. */
export function isDuplicateSegment(error: unknown): boolean {
  return isUniqueViolation(error, "segments_pkey");
}

/** Whether a run could not be stored because its key already exists. */
export function isDuplicateRun(error: unknown): boolean {
  return isUniqueViolation(error, "runs_pkey");
}

function isUniqueViolation(error: unknown, constraint: string): boolean {
  return codeOf(error) === "23505" && (error as { constraint?: unknown }).constraint === constraint;
}

/** Whether a connection is usable after the rollback: the transaction failed, or our code ended it on purpose. */
export function keepsConnection(error: unknown): boolean {
  if (error instanceof TroupeError) return true;
  const code = codeOf(error) ?? "";
  return /^(22|23|40|42|54|55|P0)/.test(code) && code !== duplicateStatement;
}

/** The error that callers get while the database is unavailable. */
export function databaseUnavailable(cause: unknown): TroupeError {
  return new TroupeError("unavailable", "The database is not available", { retryAfter: 1, cause });
}

/** The loggable part of an error: never its detail, which quotes values. */
export function describeError(error: unknown): Record<string, unknown> {
  return { code: codeOf(error), message: error instanceof Error ? error.message : String(error) };
}

/**
 * Whether an error without SQLSTATE comes from the connection. Sockets, TLS and `pg` throw a plain `Error`. Our own errors and errors of the
 * language have classes of their own.
 */
function isConnectionError(error: unknown): boolean {
  if (codeOf(error) === "ERR_STRING_TOO_LONG") return false;
  return error instanceof AggregateError || (error instanceof Error && error.name === "Error");
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
