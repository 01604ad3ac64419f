/**
 * Prepares the table of embeddings. On SQLite the extension sqlite-vec compares them. On Postgres the extension pgvector does, with an index for each
 * number of dimensions; without it, SQL compares all of them.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { VectorSupport } from "../../contract/knowledge.ts";
import type { Database } from "../../database.ts";
import { type VectorExtension, vectorAdvice, vectorExtensionQuery } from "../../postgres/vector-extension.ts";
import { all, run, type Transaction } from "../../transaction.ts";

/** The table of embeddings. */
export interface VectorTable {
  /** Prepares the table for embeddings of a number of dimensions. */
  prepare(dimensions: number): Promise<VectorSupport>;
  /** The distance of `v.embedding` from a vector, and the condition under which the index is used. */
  indexed(vector: Float32Array): { readonly distance: RawBuilder<number>; readonly condition: RawBuilder<SqlBool> };
}

/** Max dimensions of an index of single and of half precision floats. */
const maxSingle = 2_000;
const maxHalf = 4_000;

/** After this many milliseconds the server looks again for an extension that was missing. */
const retryInterval = 300_000;

/** Makes the table of a database. */
export function vectorTable(database: Database): VectorTable {
  const { db, name, now, migrationLock } = database.dialect;
  const ready = new Set<number>();
  let missing: { readonly at: number; readonly support: VectorSupport } | undefined;

  const rows = <O>(query: RawBuilder<O>): Transaction<readonly O[]> => all({ compile: () => query.compile(db) });
  const execute = (query: RawBuilder<unknown>): Transaction<number> => run({ compile: () => query.compile(db) });

  function* install(): Transaction<string | undefined> {
    yield* execute(migrationLock);
    const [found] = yield* rows(sql<VectorExtension>`${sql.raw(vectorExtensionQuery)}`);
    const missed = vectorAdvice(found);
    if (missed !== undefined) return missed;
    if (found?.installed === null) yield* execute(sql`create extension if not exists vector`);
    const [column] = yield* rows(
      sql<{ readonly type: string }>`select format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = 'knowledge_vectors'::regclass and attname = 'embedding'`,
    );
    if (column?.type === "real[]")
      yield* execute(sql`alter table knowledge_vectors alter column embedding type vector using embedding::vector`);
    return undefined;
  }

  function* createIndex(dimensions: number): Transaction<void> {
    yield* execute(migrationLock);
    const { type, operators } = formOf(dimensions);
    yield* execute(
      sql`create index if not exists ${sql.ref(`knowledge_vectors_hnsw_${dimensions}`)} on knowledge_vectors
        using hnsw ((embedding::${sql.raw(type)}) ${sql.raw(operators)}) where vector_dims(embedding) = ${sql.lit(dimensions)}`,
    );
  }

  async function prepareIndex(dimensions: number): Promise<VectorSupport> {
    const clock = Number((await database.read(db.selectNoFrom(now.as("at")).compile()))[0]?.at);
    if (missing && clock - missing.at < retryInterval) return missing.support;
    const advice = await database.write(install).catch(denied);
    if (advice !== undefined) {
      missing = { at: clock, support: { kind: "scan", advice } };
      return missing.support;
    }
    if (dimensions > maxHalf)
      return { kind: "scan", advice: `pgvector has no index for more than ${maxHalf} dimensions.` };
    await database.write(() => createIndex(dimensions));
    ready.add(dimensions);
    return { kind: "index" };
  }

  return {
    async prepare(dimensions) {
      if (name === "sqlite") return { kind: "scan" };
      return ready.has(dimensions) ? { kind: "index" } : await prepareIndex(dimensions);
    },

    indexed(vector) {
      const { type } = formOf(vector.length);
      const wanted = sql`cast(${`[${vector.join(",")}]`}::text as ${sql.raw(type)})`;
      return {
        distance: sql<number>`((v.embedding::${sql.raw(type)}) <=> ${wanted})`,
        condition: sql<SqlBool>`vector_dims(v.embedding) = ${sql.lit(vector.length)}`,
      };
    },
  };
}

function formOf(dimensions: number): { readonly type: string; readonly operators: string } {
  return dimensions <= maxSingle
    ? { type: `vector(${dimensions})`, operators: "vector_cosine_ops" }
    : { type: `halfvec(${dimensions})`, operators: "halfvec_cosine_ops" };
}

/** The server's role may not install extensions. */
function denied(error: unknown): string {
  const code = (error as { readonly code?: unknown }).code;
  if (code !== "42501") throw error;
  return 'The role of this server may not install pgvector: run "create extension vector" once as a superuser or the owner of the database.';
}
