/** Stores the chunks and embeddings of an ingestion, in batches that its job's claim fences. */
import { sql } from "kysely";
import type { ClaimedJob } from "../../contract/jobs.ts";
import type { Chunk, ChunksEnd, ContentMetadata, KnowledgeStore, NewChunk } from "../../contract/knowledge.ts";
import { sweepJob } from "../../contract/knowledge.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import type { KnowledgeChunksTable } from "../../rows/knowledge-tables.ts";
import { all, first, run, type Transaction } from "../../transaction.ts";
import { jobSteps } from "../jobs/jobs.ts";
import { contentColumns, toContent } from "./contents.ts";
import { hasTextIndex, type KnowledgeSql } from "./dialects.ts";

type IngestionQueries = Pick<
  KnowledgeStore,
  | "ingestion"
  | "addChunks"
  | "pending"
  | "twins"
  | "present"
  | "addVectors"
  | "markEmbedded"
  | "complete"
  | "fail"
  | "sweep"
  | "swept"
  | "chunks"
>;

/** See `KnowledgeStore.sweep`. */
export interface ChunkSteps {
  /** Keys of chunks that `sweep` may remove; with `only`, those among them. */
  next(contentKey: number, isRestart: boolean, only?: readonly number[]): Transaction<readonly number[]>;
  sweep(contentKey: number, isRestart: boolean, only?: readonly number[]): Transaction<boolean>;
}

/** Chunks that one transaction of `sweep` removes. */
const maxSwept = 500;

type ChunkColumn =
  | `k.${Exclude<keyof KnowledgeChunksTable, "body" | "embedder">}`
  // The name that its encryption knows.
  | "k.body as text";

/** Columns of a chunk `k`. */
export const chunkColumns: readonly ChunkColumn[] = Object.keys({
  ...{ "k.key": true, "k.content_key": true, "k.generation": true, "k.number": true, "k.body as text": true },
  ...{ "k.tokens": true, "k.hash": true, "k.page": true, "k.start_offset": true, "k.end_offset": true },
  "k.headings": true,
} satisfies Record<ChunkColumn, true>) as ChunkColumn[];

/** A row with these columns. */
export interface ChunkRow
  extends Pick<
    KnowledgeChunksTable,
    "number" | "tokens" | "hash" | "page" | "start_offset" | "end_offset" | "headings"
  > {
  readonly key: number;
  readonly text: string;
}

/** Makes the queries of ingestions of a database. */
export function ingestionQueries(database: Database, forms: KnowledgeSql): IngestionQueries {
  const { db, now, locked } = database.dialect;
  const { encryption } = database;
  const jobs = jobSteps(database);
  const steps = chunkSteps(database);
  // An index of clear terms would show what encrypted chunks contain.
  const isIndexed = hasTextIndex(database);

  /** Whether the claim still holds the job: its row is locked until the end of the transaction. */
  function* holds({ key, claim }: ClaimedJob): Transaction<boolean> {
    const job = db.selectFrom("jobs").select("key").where("key", "=", key).where("claims", "=", claim);
    return (yield* first(job.modifyEnd(locked))) !== undefined;
  }

  const generationOf = (contentKey: number) =>
    db.selectFrom("knowledge_contents").select(["generation", "stored"]).where("key", "=", contentKey);

  const chunksOf = (contentKey: number, generation: number) =>
    db.selectFrom("knowledge_chunks").where("content_key", "=", contentKey).where("generation", "=", generation);

  function toRow(contentKey: number, generation: number, chunk: NewChunk) {
    const row = [contentKey, generation, chunk.number];
    return {
      ...{ content_key: contentKey, generation, number: chunk.number, tokens: chunk.tokens, hash: chunk.hash },
      ...{ page: chunk.page, start_offset: chunk.start, end_offset: chunk.end, embedder: null },
      body: sealText(encryption, "knowledge_chunks.body", row, chunk.text),
      headings: sealText(encryption, "knowledge_chunks.headings", row, JSON.stringify(chunk.headings)),
    };
  }

  /**
   * Chunks with an earlier one that has the same text and an embedding. SQLite keeps the order of a cross join: for many keys it would read all chunks of the
   * document first.
   */
  const twinsOf = (contentKey: number, keys: readonly number[], embedder: string) =>
    sql<{ readonly key: number; readonly source: number }>`select n.key, min(o.key) as source
      from knowledge_chunks n cross join knowledge_chunks o
      where n.content_key = ${contentKey} and n.key in (${sql.join(keys)})
      and o.content_key = n.content_key and o.hash = n.hash and o.embedder = ${embedder} group by n.key`;

  /** Copies the embeddings of earlier chunks with the same text. */
  function* reuse(contentKey: number, keys: readonly number[], embedder: string): Transaction<void> {
    const earlier = twinsOf(contentKey, keys, embedder);
    const copies = sql<{ readonly key: number }>`insert into knowledge_vectors (chunk_key, embedding)
      select e.key, v.embedding from (${earlier}) as e join knowledge_vectors v on v.chunk_key = e.source
      where true on conflict do nothing returning chunk_key as key`;
    const copied = yield* all({ compile: () => copies.compile(db) });
    if (copied.length === 0) return;
    const found = copied.map(({ key }) => key);
    yield* run(db.updateTable("knowledge_chunks").set({ embedder }).where("key", "in", found));
  }

  function* addChunks(
    job: ClaimedJob,
    contentKey: number,
    chunks: readonly NewChunk[],
    { embedder, end }: { readonly embedder: string; readonly end: ChunksEnd | undefined },
  ): Transaction<boolean> {
    if (!(yield* holds(job))) return false;
    const content = yield* first(generationOf(contentKey));
    if (!content) return false;
    const generation = content.generation + 1;
    if (chunks.length > 0) {
      const insert = db
        .insertInto("knowledge_chunks")
        .values(chunks.map((chunk) => toRow(contentKey, generation, chunk)));
      const rows = yield* all(insert.returning(["key", "number"]));
      if (isIndexed) {
        const byNumber = new Map(chunks.map((chunk) => [chunk.number, chunk]));
        const terms = rows.map(({ key, number }) => ({
          rowid: key,
          terms: forms.terms(byNumber.get(number)?.terms ?? []),
        }));
        yield* run(db.insertInto("knowledge_terms").values(terms));
      }
      yield* reuse(
        contentKey,
        rows.map(({ key }) => key),
        embedder,
      );
    }
    if (!end) return true;
    // A row contains the bytes of its document, and SQLite writes whole rows: no batch changes it.
    const stored = sql<number>`(select count(*) from knowledge_chunks k where k.content_key = knowledge_contents.key
      and k.generation = ${generation})`;
    const over = {
      stored,
      total: stored,
      next_embedder: embedder,
      next_hash: end.hash,
      size: end.size,
      type: end.type,
    };
    yield* run(
      db
        .updateTable("knowledge_contents")
        .where("key", "=", contentKey)
        .set({ ...over, updated_at: now }),
    );
    return true;
  }

  function* addVectors(
    job: ClaimedJob,
    contentKey: number,
    embedder: string,
    vectors: ReadonlyMap<number, Float32Array>,
  ): Transaction<boolean> {
    if (!(yield* holds(job))) return false;
    const rows = [...vectors].map(([chunk_key, vector]) => ({ chunk_key, embedding: forms.vector(unit(vector)) }));
    if (rows.length === 0) return true;
    yield* run(
      db
        .insertInto("knowledge_vectors")
        .values(rows)
        .onConflict((same) => same.column("chunk_key").doNothing()),
    );
    const done = db
      .updateTable("knowledge_chunks")
      .set({ embedder })
      .where("key", "in", [...vectors.keys()]);
    yield* run(done);
    return true;
  }

  function* markEmbedded(
    job: ClaimedJob,
    contentKey: number,
    embedder: string,
    { keys, metadata }: { readonly keys: readonly number[]; readonly metadata: ContentMetadata | null },
  ): Transaction<"stored" | "lost" | "changed"> {
    const content = db.selectFrom("knowledge_contents").select("metadata").where("key", "=", contentKey);
    // Before the job, as in a removal: otherwise, both could wait for each other.
    const row = yield* first(content.modifyEnd(locked));
    if (!row || !(yield* holds(job))) return "lost";
    if (row.metadata !== (metadata && JSON.stringify(metadata))) return "changed";
    if (keys.length === 0) return "stored";
    yield* run(
      db
        .updateTable("knowledge_chunks")
        .set({ embedder })
        .where("key", "in", [...keys]),
    );
    return "stored";
  }

  function* complete(job: ClaimedJob, contentKey: number): Transaction<boolean> {
    const content = yield* first(generationOf(contentKey).modifyEnd(locked));
    if (!content || content.stored === null) return false;
    if (!(yield* jobs.finish(job, { kind: "done" }))) return false;
    const generation = content.generation + 1;
    const sum = yield* first(
      chunksOf(contentKey, generation).select(sql<number>`coalesce(sum(tokens), 0)`.as("tokens")),
    );
    const done = {
      ...({ status: "completed", status_message: "", generation, chunk_count: content.stored, stored: null } as const),
      embedded: content.stored,
      ...{ token_count: Number(sum?.tokens ?? 0), body: null, next_embedder: null, next_hash: null, updated_at: now },
      ...{ embedder: sql<string>`next_embedder`, hash: sql<string>`next_hash` },
    };
    yield* run(db.updateTable("knowledge_contents").set(done).where("key", "=", contentKey));
    if (content.generation > 0) yield* jobs.addAgain({ kind: sweepJob, id: String(contentKey) });
    return true;
  }

  function* fail(job: ClaimedJob, contentKey: number, message: string): Transaction<boolean> {
    if (!(yield* jobs.finish(job, { kind: "done" }))) return false;
    const over = { status: "failed", status_message: message, updated_at: now } as const;
    const content = db.updateTable("knowledge_contents").set(over).where("key", "=", contentKey);
    yield* run(content.where("status", "=", "processing"));
    yield* jobs.addAgain({ kind: sweepJob, id: String(contentKey) });
    return true;
  }

  return {
    async ingestion(job) {
      const query = db
        .selectFrom("knowledge_contents")
        .select([...contentColumns, "body", "stored"])
        .where("key", "=", Number(job.id));
      const [row] = await database.read(query.compile());
      if (row?.status !== "processing") return undefined;
      const bytes = row.body === null ? null : Buffer.from(row.body, "base64");
      return { content: toContent(row), bytes, stored: row.stored ?? undefined };
    },

    addChunks: (job, contentKey, chunks, embedder, end) =>
      database.write(() => addChunks(job, contentKey, chunks, { embedder, end })),

    async pending(contentKey, limit) {
      const query = db
        .selectFrom("knowledge_chunks as k")
        .select([...chunkColumns])
        .where("k.content_key", "=", contentKey)
        .where("k.embedder", "is", null)
        // The expression keeps the query on the index of chunks without an embedding: the one of all chunks would read those with one, too.
        .where(
          sql<number>`k.generation + 0`,
          "=",
          db
            .selectFrom("knowledge_contents")
            .select(sql<number>`generation + 1`.as("next"))
            .where("key", "=", contentKey),
        )
        .orderBy("k.number")
        .limit(limit);
      return (await database.read(query.compile())).map(toChunk);
    },

    async twins(contentKey, embedder, keys) {
      if (keys.length === 0) return new Map();
      const found = await database.read(twinsOf(contentKey, keys, embedder).compile(db));
      return new Map(found.map(({ key, source }) => [Number(key), Number(source)]));
    },

    async present(contentKey, keys) {
      const query = db.selectFrom("knowledge_chunks").select("key").where("content_key", "=", contentKey);
      const found = await database.read(query.where("key", "in", [...keys]).compile());
      return new Set(found.map(({ key }) => Number(key)));
    },

    addVectors: (job, contentKey, embedder, vectors) =>
      database.write(() => addVectors(job, contentKey, embedder, vectors)),
    markEmbedded: (job, contentKey, embedder, keys, metadata) =>
      database.write(() => markEmbedded(job, contentKey, embedder, { keys, metadata })),
    complete: (job, contentKey) => database.write(() => complete(job, contentKey)),
    fail: (job, contentKey, message) => database.write(() => fail(job, contentKey, message)),
    sweep: (contentKey, isRestart = false, only) => database.write(() => steps.sweep(contentKey, isRestart, only)),
    swept: (contentKey, isRestart) =>
      database.write(function* () {
        const row = yield* first(
          db.selectFrom("knowledge_contents").select(contentColumns).where("key", "=", contentKey),
        );
        return { content: row && toContent(row), keys: yield* steps.next(contentKey, isRestart) };
      }),

    async chunks({ key, generation }, offset, limit) {
      const query = db
        .selectFrom("knowledge_chunks as k")
        .select([...chunkColumns])
        .where("k.content_key", "=", key)
        .where("k.generation", "=", generation)
        .where("k.number", ">=", offset)
        .orderBy("k.number")
        .limit(limit);
      return (await database.read(query.compile())).map(toChunk);
    },
  };
}

/** Steps of transactions that remove chunks, and the citations of a removed document. */
export function chunkSteps({ dialect: { db } }: Pick<Database, "dialect">): ChunkSteps {
  /** Removes citations of a document that is removed. Returns whether there may be more. */
  function* removeCitations(contentKey: number): Transaction<boolean> {
    const kept = db.selectFrom("knowledge_contents").select("key").where("key", "=", contentKey);
    const citations = db.selectFrom("knowledge_citations").select("run_key").where("content_key", "=", contentKey);
    const rows = yield* all(citations.where(({ not, exists }) => not(exists(kept))).limit(maxSwept));
    const runs = rows.map(({ run_key }) => run_key);
    if (runs.length === 0) return false;
    const removed = db.deleteFrom("knowledge_citations").where("content_key", "=", contentKey);
    yield* run(removed.where("run_key", "in", runs));
    return runs.length === maxSwept;
  }

  const steps: ChunkSteps = {
    *next(contentKey, isRestart, only) {
      const content = yield* first(
        db.selectFrom("knowledge_contents").select(["generation", "status"]).where("key", "=", contentKey),
      );
      let rows = db.selectFrom("knowledge_chunks").select("key").where("content_key", "=", contentKey);
      if (content) {
        const isRunning = content.status === "processing" && !isRestart;
        const kept = isRunning ? [content.generation, content.generation + 1] : [content.generation];
        rows = rows.where("generation", "not in", kept);
      }
      if (only) rows = rows.where("key", "in", [...only]);
      return (yield* all(rows.limit(maxSwept))).map(({ key }) => key);
    },

    *sweep(contentKey, isRestart, only) {
      if (yield* removeCitations(contentKey)) return true;
      const keys = only?.length === 0 ? [] : yield* steps.next(contentKey, isRestart, only);
      if (keys.length === 0) return false;
      yield* run(db.deleteFrom("knowledge_vectors").where("chunk_key", "in", keys));
      yield* run(db.deleteFrom("knowledge_terms").where("rowid", "in", keys));
      yield* run(db.deleteFrom("knowledge_chunks").where("key", "in", keys));
      return keys.length === maxSwept;
    },
  };
  return steps;
}

/** Returns the chunk of a row. */
export function toChunk(row: ChunkRow): Chunk {
  return {
    ...{ key: row.key, number: row.number, text: row.text, tokens: row.tokens, hash: row.hash, page: row.page },
    ...{ start: row.start_offset, end: row.end_offset, headings: JSON.parse(row.headings) as string[] },
  };
}

/** Returns the vector with length 1, so that a distance needs no division. */
export function unit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum);
  return length === 0 || !Number.isFinite(length) ? vector : vector.map((value) => value / length);
}
