/**
 * A transaction as a generator of statements, so that one implementation serves both databases: SQLite runs it to its end without an await (nothing
 * can interleave), Postgres awaits each statement.
 */
import type { Compilable, CompiledQuery } from "kysely";

/** The result of a statement. */
export interface StatementResult {
  readonly rows: readonly unknown[];
  /** Rows that an insert, update or delete changed. */
  readonly affected: number;
}

/** A sequence of statements and its result. */
export type Transaction<T> = Generator<CompiledQuery, T, StatementResult>;

/** Runs one transaction. */
export type Transact = <T>(work: () => Transaction<T>) => Promise<T>;

/** Returns the rows of a query. */
export function* all<O>(query: Compilable<O>): Transaction<readonly O[]> {
  const result = yield query.compile();
  return result.rows as readonly O[];
}

/** Returns the first row of a query. */
export function* first<O>(query: Compilable<O>): Transaction<O | undefined> {
  const result = yield query.compile();
  return result.rows[0] as O | undefined;
}

/** Returns the number of rows that a statement changed. */
export function* run(query: Compilable): Transaction<number> {
  const result = yield query.compile();
  return result.affected;
}

/** Returns a prebuilt statement with other values, in the order of its parameters: building a statement costs more than running it. */
export function bind<O>(query: CompiledQuery<O>, parameters: readonly unknown[]): CompiledQuery<O> {
  return { ...query, parameters };
}
