/** Statements on one SQLite connection: prepared once, run without an await, so that transactions never interleave. */
import type { Database, Statement } from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import type { StatementResult, Transaction } from "../transaction.ts";

const maxStatements = 500;

/** A connection with its prepared statements. */
export class SqliteConnection {
  readonly database: Database;
  readonly #statements = new Map<string, Statement>();

  constructor(database: Database) {
    this.database = database;
  }

  /** Returns the statement for a text, prepared once. */
  prepare(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.database.prepare(withStablePlan(text));
    if (this.#statements.size >= maxStatements) this.#statements.clear();
    this.#statements.set(text, statement);
    return statement;
  }

  /** Runs a statement. A script (raw text without parameters) may contain several. */
  run(query: CompiledQuery): StatementResult {
    if (query.query.kind === "RawNode" && query.parameters.length === 0) {
      this.database.exec(query.sql);
      return { rows: [], affected: 0 };
    }
    const statement = this.prepare(query.sql);
    if (statement.reader) {
      const rows = statement.all(...query.parameters);
      return { rows, affected: rows.length };
    }
    return { rows: [], affected: statement.run(...query.parameters).changes };
  }

  /** Runs a function in one write transaction. */
  transact<T>(body: () => T): T {
    this.prepare("begin immediate").run();
    try {
      const result = body();
      this.prepare("commit").run();
      return result;
    } catch (error) {
      if (this.database.inTransaction) this.prepare("rollback").run();
      throw error;
    }
  }

  /** Runs the statements of `work` in one transaction. */
  runTransaction<T>(work: () => Transaction<T>): T {
    return this.transact(() => this.runSteps(work));
  }

  /** Runs the statements of `work` in the open transaction. */
  runSteps<T>(work: () => Transaction<T>): T {
    const steps = work();
    let step = steps.next();
    while (!step.done) step = steps.next(this.run(step.value));
    return step.value;
  }
}

/**
 * Prefixes parameters with a plus sign, which does not change their values. Without it SQLite replans a join whenever a value is bound, because its
 * plan might depend on the value: looking up one run took 34 instead of 4 microseconds.
 */
function withStablePlan(text: string): string {
  return text.replaceAll(/'[^']*'|"[^"]*"|\?/g, (part) => (part === "?" ? "+?" : part));
}
