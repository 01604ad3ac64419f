/** What an error of a database means for the statement that met it. */
import { TroupeError } from "../errors.ts";

/**
 * - `again`: the transaction was rolled back; the same one may pass now.
 * - `away`: the connection failed, and a commit under way may have happened or not.
 * - `refused`: the statement cannot succeed, so a retry does not help. Its values cannot be stored, a table is missing, a trigger raised an
 *   exception, the file is damaged, or our own code failed inside the transaction.
 */
export type Fault = "again" | "away" | "refused";

/**
 * Classes of SQLSTATE (first two characters) that a retry does not change: values (22, 23, 54), statements (21, 42, 3F, 44), exceptions in
 * functions and triggers (2F, 38, 39, P0), damaged tables and bugs of the server (XX).
 */
const refusedClasses = new Set(["21", "22", "23", "2F", "38", "39", "3F", "42", "44", "54", "P0", "XX"]);

/** A prepared statement that the connection already has: a new connection does not. */
const duplicateStatement = "42P05";

/** Failures of SQLite that pass: somebody else has the file, or memory, disk or file handles are exhausted. */
const passing =
  /^SQLITE_(BUSY|LOCKED|FULL|NOMEM|INTERRUPT|PROTOCOL|SCHEMA|CANTOPEN|READONLY|IOERR_(NOMEM|BLOCKED|LOCK|SHMSIZE))/;

/** Failures of SQLite that mean a damaged file or a failing disk. */
const damage = /^SQLITE_(CORRUPT|NOTADB|IOERR)/;

/** SQLSTATEs after which the connection is gone: the server goes down, or ended the session. */
const endings = new Set(["57P01", "57P02", "57P03", "57P05", "25P03"]);

/** Another transaction was faster: the next try sees what it did. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
  readonly code = "40001";
}

/** What became of a transaction is not known, and its connection is of no more use. */
export class Unresolved extends Error {
  override readonly name = "Unresolved";
  readonly code = "08007";
}

/** The database has answered nothing for too long, and what it was asked may be done or not. */
export class Silence extends Error {
  override readonly name = "Silence";
  readonly code = "08006";

  constructor() {
    super("the database is silent");
  }
}

/** What an error of Postgres means. An error without SQLSTATE comes from the connection, or from our own code. */
export function postgresFault(error: unknown): Fault {
  const code = codeOf(error);
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("E")) {
    // Two transactions made a run of one id at the same time: the next try finds the other's.
    if (isTaken(error, "runs_id")) return "again";
    if (refusedClasses.has(code.slice(0, 2)) && code !== duplicateStatement) return "refused";
    return code.startsWith("08") || endings.has(code) ? "away" : "again";
  }
  return isOfConnection(error) ? "away" : "refused";
}

/** What an error of SQLite means. */
export function sqliteFault(error: unknown): Fault {
  return passing.test(codeOf(error) ?? "") ? "again" : "refused";
}

/** Whether an error of SQLite means that the file is damaged or the disk fails. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error) ?? "";
  return damage.test(code) && !passing.test(code);
}

/** Whether a text has characters that Postgres does not know. */
export function isForeignText(error: unknown): boolean {
  return codeOf(error) === "22021";
}

/** Whether a segment could not be stored because it is there. */
export function isKnownSegment(error: unknown): boolean {
  return isTaken(error, "segments_pkey");
}

/** Whether a run could not be stored because one with its key is there. */
export function isKnownRun(error: unknown): boolean {
  return isTaken(error, "runs_pkey");
}

function isTaken(error: unknown, constraint: string): boolean {
  return codeOf(error) === "23505" && (error as { constraint?: unknown }).constraint === constraint;
}

/** Whether a connection is as good as before once the transaction is rolled back: what failed was the transaction, or our code meant to end it. */
export function keepsConnection(error: unknown): boolean {
  if (error instanceof TroupeError) return true;
  const code = codeOf(error) ?? "";
  return /^(22|23|40|42|54|55|P0)/.test(code) && code !== duplicateStatement;
}

/** What a caller is told while the database is away. */
export function unavailable(cause: unknown): TroupeError {
  return new TroupeError("unavailable", "The database is not available", { retryAfter: 1, cause });
}

/** What may be logged of an error: never its detail, which quotes values. */
export function describeFault(error: unknown): Record<string, unknown> {
  return { code: codeOf(error), message: error instanceof Error ? error.message : String(error) };
}

/**
 * Whether an error without SQLSTATE comes from the connection. Sockets and TLS throw a plain `Error` with a code, `pg` one without. Our own
 * failures and those of the language have a class of their own.
 */
function isOfConnection(error: unknown): boolean {
  if (codeOf(error) === "ERR_STRING_TOO_LONG") return false;
  return error instanceof AggregateError || (error instanceof Error && error.name === "Error");
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
