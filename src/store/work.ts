/**
 * A transaction as a generator of statements, so that one text serves both databases: SQLite runs it to its end without an await
 * (nothing can come between), Postgres awaits each statement.
 */
import type { Compilable, CompiledQuery } from "kysely";

/** What a statement brought. */
export interface Answer {
  readonly rows: readonly unknown[];
  /** Rows that an insert, update or delete touched. */
  readonly affected: number;
}

/** Statements to run one after the other, and what comes of them. */
export type Work<T> = Generator<CompiledQuery, T, Answer>;

/** Rows of a query. */
export function* all<O>(query: Compilable<O>): Work<readonly O[]> {
  const answer = yield query.compile();
  return answer.rows as readonly O[];
}

/** First row of a query. */
export function* first<O>(query: Compilable<O>): Work<O | undefined> {
  const answer = yield query.compile();
  return answer.rows[0] as O | undefined;
}

/** Rows that a change touched. */
export function* run(query: Compilable): Work<number> {
  const answer = yield query.compile();
  return answer.affected;
}

/** A statement that was built once, with other values in the order of its parameters: building one costs more than running it. */
export function bind<O>(query: CompiledQuery<O>, parameters: readonly unknown[]): CompiledQuery<O> {
  return { ...query, parameters };
}
