/**
 * Searches documents: a lexical list, a list by distance of embeddings, or both merged by their reciprocal ranks. Ownership and filters are part of
 * each query, so a list is full whenever enough chunks match.
 */
import { type CompiledQuery, type RawBuilder, type SqlBool, sql } from "kysely";
import { TroupeError } from "../../../errors.ts";
import type {
  ChunkSearch,
  ContentMetadata,
  ContentOrigin,
  FoundChunk,
  NearestVectors,
} from "../../contract/knowledge.ts";
import type { Database } from "../../database.ts";
import { all, type Transaction } from "../../transaction.ts";
import { isVisible } from "./contents.ts";
import { bytesOf, hasTextIndex, type KnowledgeSql } from "./dialects.ts";
import { type ChunkRow, chunkColumns, toChunk, unit } from "./ingestions.ts";
import type { VectorTable } from "./vector-table.ts";

/**
 * Constant of the reciprocal rank fusion. The usual 60 is for lists of 1,000: in short lists, a chunk in the middle of both would come before the first one of either
 * list. `npm run bench -- knowledge` measures the effect.
 */
const fusion = 10;

/** Each list has this many times the requested chunks, so that a chunk near the top of both lists is found. */
const depth = 4;
const minDepth = 50;

/** Max embeddings that a search compares without an index on Postgres. */
export const maxScanned = 20_000;

/** A vector store first returns this many times the requested chunks, and at most `maxNearest`. */
const nearestDepth = 2;
const maxNearest = 4_000;

/** The rarest terms of a query select about this many chunks, which are then ranked by all its terms. */
const maxSelected = 5_000;

/** The least inverse document frequency in SQLite, and the limit of its BM25 for a term with the frequency 1. */
const leastIdf = 1e-6;
const maxBm25 = 2.2;

/** Limit of `ts_rank` for a term in a chunk of 100 different terms. In a shorter one the rank is higher. */
const usualRank = 0.1 / (1 + Math.log(100));

const chunksInAll = sql`(select coalesce(sum(chunk_count), 0) from knowledge_contents)`;

/** A term with the number of chunks that contain it, and the number of all chunks. */
interface Count {
  readonly term: string;
  readonly df: number;
  readonly total: number;
}

/** A chunk with its place in a list; `score` is larger for better chunks. */
interface Ranked {
  readonly key: number;
  readonly score: number;
}

/** Makes the search of a database. */
export function chunkSearch(
  database: Database,
  forms: KnowledgeSql,
  vectors: VectorTable,
): (search: ChunkSearch, nearest?: NearestVectors) => Promise<readonly FoundChunk[]> {
  const { db, name } = database.dialect;
  const isIndexed = hasTextIndex(database);

  /** Reads without delaying other work of the process. */
  const read = <O>(query: RawBuilder<O>): Promise<readonly O[]> => {
    const compiled: CompiledQuery<O> = query.compile(db);
    return database.readInBackground?.(compiled) ?? database.read(compiled);
  };

  /** The visible chunks `k` of documents `c` that the search may return. */
  function candidates({ knowledgeId, reader, filters }: ChunkSearch): RawBuilder<unknown> {
    const conditions = [
      sql<SqlBool>`c.knowledge_id = ${knowledgeId}`,
      sql<SqlBool>`k.generation = c.generation`,
      isVisible(reader),
      ...filters.map((filter) => forms.matches(filter)),
    ];
    return sql`${sql.join(conditions, sql` and `)}`;
  }

  const join = sql`knowledge_chunks k on k.content_key = c.key`;

  /** SQLite ranks by BM25. The counts of the terms only scale its score. */
  async function lexicalOnSqlite(search: ChunkSearch, limit: number): Promise<readonly Ranked[]> {
    const terms = [...new Set(search.terms)];
    const query = terms.map((term) => `"${term}"`).join(" OR ");
    const [counts, found] = await Promise.all([
      read(sql<Count>`select value as term, (select count(*) from knowledge_terms where terms match '"' || value || '"') as df,
        ${chunksInAll} as total from json_each(${JSON.stringify(terms)})`),
      read(sql<Ranked>`select k.key, -t.rank as score from knowledge_terms t
        join knowledge_chunks k on k.key = t.rowid join knowledge_contents c on c.key = k.content_key
        where t.terms match ${query} and ${candidates(search)} order by t.rank limit ${limit}`),
    ]);
    let most = 0;
    for (const { df, total } of counts) most += Math.max(leastIdf, Math.log((total - df + 0.5) / (df + 0.5))) * maxBm25;
    return scaled(found, most);
  }

  /** Postgres knows no frequencies of terms, so the query counts them: the sum of rank and inverse document frequency of each term. */
  async function lexicalOnPostgres(search: ChunkSearch, limit: number): Promise<readonly Ranked[]> {
    const terms = [...new Set(search.terms)];
    const counted = await read(sql<Count>`
      select term, (select count(*) from knowledge_terms t where t.terms @@ (quote_literal(term))::tsquery) as df, ${chunksInAll} as total
      from unnest(${terms}::text[]) as term`);
    const counts = counted.map(({ term, df, total }) => ({ term, df: Number(df), total: Number(total) }));
    const present = counts.filter(({ df }) => df > 0);
    if (present.length === 0) return [];
    const queryOf = (found: readonly Count[]): string => found.map(({ term }) => `'${term}'`).join(" | ");
    const weightOf = ({ df, total }: Count): number => Math.log(1 + (Math.max(total - df, 0) + 0.5) / (df + 0.5));
    const score = sql`(select sum(q.weight * ts_rank(t.terms, q.query, 1)) from unnest(${present.map(({ term }) => `'${term}'`)}::text[],
      ${present.map(weightOf)}::float8[]) as p(term, weight) cross join lateral (select p.term::tsquery as query, p.weight) q where t.terms @@ q.query)`;
    const rankedBy = (selecting: readonly Count[]): Promise<readonly Ranked[]> =>
      read(
        sql<Ranked>`select k.key, ${score} as score from knowledge_contents c join ${join} join knowledge_terms t on t.rowid = k.key
          where t.terms @@ ${queryOf(selecting)}::tsquery and ${candidates(search)} order by score desc, k.key limit ${limit}`,
      );
    const rare = rarest(present, limit);
    const first = await rankedBy(rare);
    // The search may see few of the chunks with the rare terms.
    const found = first.length < limit && rare.length < present.length ? await rankedBy(present) : first;
    return scaled(found, counts.reduce((sum, count) => sum + weightOf(count), 0) * usualRank);
  }

  async function byVectorOnSqlite(search: ChunkSearch, vector: Float32Array, limit: number) {
    await vectors.prepare(vector.length);
    const distance = sql`vec_distance_cosine(v.embedding, ${bytesOf(vector)})`;
    return await read(sql<Ranked>`select k.key, 1 - ${distance} / 2 as score from knowledge_contents c join ${join}
      join knowledge_vectors v on v.chunk_key = k.key
      where k.embedder = ${search.embedder} and ${candidates(search)} order by score desc limit ${limit}`);
  }

  async function byVectorOnPostgres(search: ChunkSearch, vector: Float32Array, limit: number) {
    const { kind, isExtended, advice } = await vectors.prepare(vector.length);
    const joined = sql`knowledge_contents c join ${join} join knowledge_vectors v on v.chunk_key = k.key
      where k.embedder = ${search.embedder} and ${candidates(search)}`;
    if (kind === "index") {
      const { distance, condition } = vectors.indexed(vector);
      // The scan continues until enough of its chunks match the conditions.
      return await database.write(function* (): Transaction<readonly Ranked[]> {
        yield sql`set local hnsw.iterative_scan = strict_order`.compile(db);
        const query = sql<Ranked>`select k.key, 1 - ${distance} / 2 as score from ${joined} and ${condition}
          order by ${distance} limit ${limit}`;
        return yield* all({ compile: () => query.compile(db) });
      });
    }
    const some = await read(sql`select 1 from ${joined} limit ${maxScanned + 1}`);
    if (some.length > maxScanned) throw new TooMany(advice);
    if (isExtended) {
      const { distance, condition } = vectors.compared(vector);
      return await read(
        sql<Ranked>`select k.key, 1 - ${distance} / 2 as score from ${joined} and ${condition} order by ${distance} limit ${limit}`,
      );
    }
    const product = sql`(select sum(a * b) from unnest(v.embedding, ${forms.vector(vector)}) as p(a, b))`;
    return await read(
      sql<Ranked>`select k.key, 0.5 + ${product} / 2 as score from ${joined} order by score desc limit ${limit}`,
    );
  }

  /**
   * A vector store has the embeddings. Its entries may be older than the rows of the database, so the database decides which ones are visible. If too few are
   * visible, the search requests more.
   */
  async function byNearest(search: ChunkSearch, nearest: NearestVectors, vector: Float32Array, limit: number) {
    for (let count = limit * nearestDepth; ; count = Math.min(count * 4, maxNearest)) {
      const found = await nearest(vector, count);
      if (found.length === 0) return [];
      const keys = sql.join(found.map(({ chunkKey }) => chunkKey));
      const rows = await read(
        sql<{ readonly key: number; readonly content: number }>`select k.key, k.content_key as content
          from knowledge_contents c join ${join}
          where k.key in (${keys}) and k.embedder = ${search.embedder} and ${candidates(search)}`,
      );
      const visible = new Set(rows.map(({ key, content }) => `${content}-${key}`));
      const kept = found.flatMap(({ contentKey, chunkKey, distance }) =>
        visible.has(`${contentKey}-${chunkKey}`) ? [{ key: chunkKey, score: 1 - distance / 2 }] : [],
      );
      if (kept.length >= limit || found.length < count || count >= maxNearest) return kept.slice(0, limit);
    }
  }

  async function chunksOf(keys: readonly number[]) {
    if (keys.length === 0) return new Map<number, FoundRow>();
    const query = db
      .selectFrom("knowledge_chunks as k")
      .innerJoin("knowledge_contents as c", "c.key", "k.content_key")
      .select([...chunkColumns])
      .select(["c.id", "c.name", "c.metadata", "c.origin", "c.knowledge_id", "c.owner"])
      .where("k.key", "in", [...keys]);
    return new Map((await database.read(query.compile())).map((row) => [row.key, row as FoundRow]));
  }

  const lexical = name === "sqlite" ? lexicalOnSqlite : lexicalOnPostgres;
  const byVector = name === "sqlite" ? byVectorOnSqlite : byVectorOnPostgres;

  return async (search, nearest) => {
    const { vector, limit } = search;
    const isHybrid = vector !== undefined && search.terms.length > 0;
    const each = isHybrid ? Math.max(minDepth, limit * depth) : limit;
    const [words, meanings] = await Promise.all([
      search.terms.length > 0 && isIndexed ? lexical(search, each) : [],
      // Without an index, a large knowledge base is still searched by words.
      vector === undefined
        ? []
        : nearest
          ? byNearest(search, nearest, unit(vector), each)
          : byVector(search, unit(vector), each).catch((error: unknown) =>
              withoutVectors(isHybrid && isIndexed, error),
            ),
    ]);
    const ranked = words.length > 0 && vector !== undefined ? fuse([words, meanings]) : [...words, ...meanings];
    const best = ranked.slice(0, limit);
    const rows = await chunksOf(best.map(({ key }) => key));
    const rankIn = (list: readonly Ranked[], key: number): number | undefined => {
      const place = list.findIndex((each_) => each_.key === key);
      return place < 0 ? undefined : place + 1;
    };
    return best.flatMap(({ key, score }) => {
      const row = rows.get(key);
      // It was replaced meanwhile.
      if (!row) return [];
      return {
        ...toFound(row),
        score: Number(score),
        lexicalRank: rankIn(words, key),
        vectorRank: rankIn(meanings, key),
      };
    });
  };
}

/** A search without an index would compare too many embeddings. A run does not try it again: only an operator can change that. */
class TooMany extends TroupeError {
  constructor(advice = "Install the Postgres extension pgvector.") {
    super(
      "unsupported",
      `A search without an index compares at most ${maxScanned} chunks: narrow it with filters. ${advice}`,
    );
  }
}

/** Returns the rarest terms: together at most `maxSelected` chunks contain them, unless more terms are necessary for `limit` chunks. */
function rarest(terms: readonly Count[], limit: number): readonly Count[] {
  let selected = 0;
  return terms
    .toSorted((one, other) => one.df - other.df)
    .filter(({ df }) => {
      const isNeeded = selected < limit || selected + df <= maxSelected;
      selected += df;
      return isNeeded;
    });
}

/** Returns the scores as shares of `most`. */
function scaled(found: readonly Ranked[], most: number): readonly Ranked[] {
  return found.map(({ key, score }) => ({ key, score: most > 0 ? Math.min(1, Number(score) / most) : 0 }));
}

function withoutVectors(hasWords: boolean, error: unknown): readonly Ranked[] {
  if (hasWords && error instanceof TooMany) return [];
  throw error;
}

interface FoundRow extends ChunkRow {
  readonly id: string;
  readonly name: string | null;
  readonly metadata: string | null;
  readonly origin: string;
}

function toFound(row: FoundRow): Omit<FoundChunk, "score" | "lexicalRank" | "vectorRank"> {
  return {
    ...toChunk(row),
    ...{ contentId: row.id, contentName: row.name, origin: JSON.parse(row.origin) as ContentOrigin },
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as ContentMetadata),
  };
}

/** Merges lists by reciprocal rank fusion. A chunk that is first in all lists has the score 1. */
export function fuse(lists: readonly (readonly Ranked[])[]): readonly Ranked[] {
  const scores = new Map<number, number>();
  for (const list of lists)
    list.forEach(({ key }, place) => {
      scores.set(key, (scores.get(key) ?? 0) + (fusion + 1) / (fusion + place + 1) / lists.length);
    });
  return [...scores]
    .map(([key, score]) => ({ key, score }))
    .sort((one, other) => other.score - one.score || one.key - other.key);
}
