/** What an error of a database means for the statement that met it. */
import { TroupeError } from "../errors.ts";

/**
 * - `again`: the transaction was rolled back; the same one may pass now.
 * - `away`: the database does not answer, and a commit under way may have happened or not.
 * - `data`: the values cannot be stored; trying again is of no use.
 */
export type Fault = "again" | "away" | "data";

/** Classes of SQLSTATE (first two characters) that come from the values of a statement. */
const dataClasses = new Set(["22", "23", "54"]);

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

/** What an error of Postgres means. One without SQLSTATE comes from the socket, or from making the message. */
export function postgresFault(error: unknown): Fault {
  const code = codeOf(error);
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith("E")) {
    // Two transactions made a run of one id at the same time: the next try finds the other's.
    if (isTaken(error, "runs_id")) return "again";
    if (dataClasses.has(code.slice(0, 2))) return "data";
    return code.startsWith("08") || endings.has(code) ? "away" : "again";
  }
  return isProgrammingError(error) ? "data" : "away";
}

/** What an error of SQLite means. */
export function sqliteFault(error: unknown): Fault {
  const code = codeOf(error);
  if (code === undefined || !code.startsWith("SQLITE_")) return "data";
  return /^SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)/.test(code) ? "data" : "again";
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

/** Whether a connection is as good as before once the transaction is rolled back: what failed was the transaction. */
export function keepsConnection(error: unknown): boolean {
  return /^(22|23|40|54|55)/.test(codeOf(error) ?? "");
}

/** What a caller is told while the database is away. */
export function unavailable(cause: unknown): TroupeError {
  return new TroupeError("unavailable", "The database is not available", { retryAfter: 1, cause });
}

/** What may be logged of an error: never its detail, which quotes values. */
export function describeFault(error: unknown): Record<string, unknown> {
  return { code: codeOf(error), message: error instanceof Error ? error.message : String(error) };
}

function isProgrammingError(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || codeOf(error) === "ERR_STRING_TOO_LONG";
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
