/**
 * Prepares the table of embeddings. On SQLite the extension sqlite-vec compares them. On Postgres the extension pgvector does, with an index for each
 * number of dimensions; without it, SQL compares all of them.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { indexJob, type VectorSupport } from "../../contract/knowledge.ts";
import type { Database } from "../../database.ts";
import {
  indexNameOf,
  indexStateQuery,
  type VectorExtension,
  type VectorIndexState,
  vectorAdvice,
  vectorExtensionQuery,
} from "../../postgres/vector-extension.ts";
import { all, run, type Transaction } from "../../transaction.ts";
import { jobSteps } from "../jobs/jobs.ts";

/** The table of embeddings. */
export interface VectorTable {
  /** Prepares the table for embeddings of a number of dimensions. */
  prepare(dimensions: number): Promise<VectorSupport>;
  /** See `KnowledgeStore.buildIndex`. */
  build(dimensions: number, signal: AbortSignal): Promise<boolean>;
  /** The distance of `v.embedding` from a vector without an index, and the condition under which they can be compared. */
  compared(vector: Float32Array): { readonly distance: RawBuilder<number>; readonly condition: RawBuilder<SqlBool> };
  /** The distance of `v.embedding` from a vector, and the condition under which the index is used. */
  indexed(vector: Float32Array): { readonly distance: RawBuilder<number>; readonly condition: RawBuilder<SqlBool> };
}

/** Max dimensions of an index of single and of half precision floats. */
const maxSingle = 2_000;
const maxHalf = 4_000;

/** After this many milliseconds the server looks again for an extension that was missing. */
const retryInterval = 300_000;

/** After this many milliseconds the server looks again for an index that was being built. */
const buildInterval = 5_000;

/** Held by the session that builds an index. */
const buildLock = "x'54726f75706576'::bigint";

/** Makes the table of a database. */
export function vectorTable(database: Database): VectorTable {
  const { db, name, now, migrationLock } = database.dialect;
  const ready = new Set<number>();
  const jobs = jobSteps(database);
  let missing: { readonly until: number; readonly support: VectorSupport } | undefined;
  const building = new Map<number, number>();

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

  /**
   * Creates the index at once if there are no embeddings yet. Otherwise a job builds it, because a transaction that builds an index blocks all writes to
   * its table meanwhile.
   */
  function* createIndex(dimensions: number): Transaction<boolean> {
    yield* execute(migrationLock);
    const [index] = yield* rows(sql<VectorIndexState>`${sql.raw(indexStateQuery(dimensions))}`);
    if (index) {
      if (index.valid) return true;
    } else if ((yield* rows(sql`select 1 from knowledge_vectors limit 1`)).length === 0) {
      yield* execute(sql.raw<unknown>(`create index ${indexOf(dimensions)}`));
      return true;
    }
    yield* jobs.add([{ kind: indexJob, id: String(dimensions), lane: indexJob }]);
    return false;
  }

  async function prepareIndex(dimensions: number): Promise<VectorSupport> {
    const clock = Number((await database.read(db.selectNoFrom(now.as("at")).compile()))[0]?.at);
    if (missing && clock < missing.until) return missing.support;
    if ((building.get(dimensions) ?? 0) > clock) return inConstruction;
    const advice = await database.write(install).catch(denied);
    if (advice !== undefined) {
      missing = { until: clock + retryInterval, support: { kind: "scan", advice } };
      return missing.support;
    }
    missing = undefined;
    if (dimensions > maxHalf)
      return {
        ...{ kind: "scan", isExtended: true },
        advice: `pgvector has no index for more than ${maxHalf} dimensions.`,
      };
    if (!(await database.write(() => createIndex(dimensions)))) {
      building.set(dimensions, clock + buildInterval);
      return inConstruction;
    }
    ready.add(dimensions);
    return { kind: "index" };
  }

  return {
    async prepare(dimensions) {
      if (name === "sqlite") return { kind: "scan" };
      return ready.has(dimensions) ? { kind: "index" } : await prepareIndex(dimensions);
    },

    async build(dimensions, signal) {
      // SQLite has no index of embeddings; on Postgres, only pgvector has one.
      if (!database.alone || missing || dimensions > maxHalf) return true;
      return await database.alone(async (execute_) => {
        const [lock] = (await execute_(`select pg_try_advisory_lock(${buildLock}) as locked`)) as { locked: boolean }[];
        // Its session may belong to a process that died: the server ends it when the index is complete.
        if (!lock?.locked) return false;
        const [index] = (await execute_(indexStateQuery(dimensions))) as VectorIndexState[];
        building.delete(dimensions);
        if (index?.valid) return true;
        // A build that was interrupted leaves an index that no statement uses.
        if (index) await execute_(`drop index concurrently if exists ${indexNameOf(dimensions)}`);
        await execute_(`create index concurrently ${indexOf(dimensions)}`);
        return true;
      }, signal);
    },

    compared(vector) {
      const wanted = sql`cast(${`[${vector.join(",")}]`}::text as vector)`;
      return {
        distance: sql<number>`(v.embedding <=> ${wanted})`,
        condition: sql<SqlBool>`vector_dims(v.embedding) = ${sql.lit(vector.length)}`,
      };
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

const inConstruction: VectorSupport = {
  ...{ kind: "scan", isExtended: true },
  advice: "The index of the embeddings is being built.",
};

/** The definition of an index, without the statement that creates it. */
function indexOf(dimensions: number): string {
  const { type, operators } = formOf(dimensions);
  return `${indexNameOf(dimensions)} on knowledge_vectors using hnsw ((embedding::${type}) ${operators}) where vector_dims(embedding) = ${dimensions}`;
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
