/**
 * Ingests a document: reads its bytes, parses and divides them, and embeds the chunks in batches. Every batch is durable before the next one begins, so an
 * attempt continues after the last stored batch, and no stored embedding is requested again.
 */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Chunking } from "../define/knowledge.ts";
import type { ClaimedJob } from "../store/contract/jobs.ts";
import type { Chunk, Content, Ingestion, KnowledgeStore, NewChunk } from "../store/contract/knowledge.ts";
import { chunkerOf, divide, type ParsedDocument, pageAt } from "./chunking/chunks.ts";
import { semanticPieces } from "./chunking/semantic.ts";
import type { Piece } from "./chunking/spans.ts";
import type { TextEmbedder } from "./embedder.ts";
import { IngestionRejected } from "./failures.ts";
import { termsOf } from "./terms.ts";
import { countTokens } from "./tokens.ts";

/** A document as its origin has it. */
export interface ReadDocument {
  readonly bytes: Buffer;
  /** The media type that the origin declares; null if it declares none. */
  readonly mediaType: string | null;
  readonly fileName: string | null;
}

/** What an ingestion needs. */
export interface IngestParts {
  readonly store: KnowledgeStore;
  /** The embedder and the chunking of a knowledge base; undefined if the platform does not have it. */
  baseOf(knowledgeId: string): { readonly embedder: TextEmbedder; readonly chunking: Chunking } | undefined;
  /** Reads a document from its origin. @throws IngestionRejected */
  read(content: Content, bytes: Buffer | null, signal: AbortSignal): Promise<ReadDocument>;
  /** Parses it. @throws IngestionRejected */
  parse(
    content: Content,
    document: ReadDocument,
    signal: AbortSignal,
  ): Promise<ParsedDocument & { readonly mediaType: string }>;
}

/** The end of an attempt. `lost`: the document was deleted or cancelled, or another process has the job. */
export type IngestionEnd = "completed" | "lost";

/** Chunks that one transaction stores. On SQLite, a transaction occupies the event loop. */
const chunksPerWrite = 16;

/** Chunks that are prepared between two turns of the event loop. */
const chunksPerTurn = 4;

/** Ingests the document of a claimed job. @throws IngestionRejected when it fails for good; any other error is worth another attempt */
export async function ingest(parts: IngestParts, job: ClaimedJob, signal: AbortSignal): Promise<IngestionEnd> {
  const found = await parts.store.ingestion(job);
  if (!found) return "lost";
  const base = parts.baseOf(found.content.knowledgeId);
  if (!base) throw new IngestionRejected(`The platform has no knowledge base "${found.content.knowledgeId}".`);
  if (found.stored === undefined) {
    // An earlier attempt may have stored a part of the chunks.
    while (await parts.store.sweep(found.content.key, true));
    const chunking = { ...base.chunking, ...optionsOf(found.content) };
    const isStored = keepsChunks(found, base.embedder)
      ? await copyChunks(parts.store, job, found.content, base.embedder, signal)
      : await storeChunks(parts, job, found, { ...base, chunking }, signal);
    if (!isStored) return "lost";
  }
  if (!(await embedChunks(parts.store, job, found.content, base.embedder, signal))) return "lost";
  return (await parts.store.complete(job, found.content.key)) ? "completed" : "lost";
}

function optionsOf({ options }: Content): Partial<Chunking> {
  const { chunker, chunkSize: size, chunkOverlap: overlap } = options;
  return {
    ...(chunker && { chunker: chunker as Chunking["chunker"] & string }),
    ...(size && { size }),
    ...(overlap !== undefined && { overlap }),
  };
}

/**
 * Whether an ingestion embeds the stored chunks again: those of a document whose bytes are gone, and those of another embedder. Otherwise, the document
 * is read from its origin again.
 */
function keepsChunks({ content, bytes }: Ingestion, embedder: TextEmbedder): boolean {
  if (bytes !== null || content.generation === 0) return false;
  const { kind } = content.origin;
  return kind === "text" || kind === "file" || content.embedder !== embedder.id;
}

/** Copies the visible chunks into the new generation. */
async function copyChunks(
  store: KnowledgeStore,
  job: ClaimedJob,
  content: Content,
  embedder: TextEmbedder,
  signal: AbortSignal,
): Promise<boolean> {
  const { key, hash, size, type } = content;
  for (let first = 0; first < content.chunks; first += chunksPerWrite) {
    signal.throwIfAborted();
    const found = await store.chunks(content, first, chunksPerWrite);
    const some = found.map((chunk) => ({ ...chunk, terms: termsOf(embeddedText(chunk)) }));
    const isLast = first + chunksPerWrite >= content.chunks;
    const end = isLast ? { hash: hash ?? "", size: size ?? 0, type } : undefined;
    if (!(await store.addChunks(job, key, some, embedder.id, end))) return false;
    await nextTurn();
  }
  return true;
}

interface Base {
  readonly embedder: TextEmbedder;
  readonly chunking: Chunking;
}

async function storeChunks(
  parts: IngestParts,
  job: ClaimedJob,
  { content, bytes }: Ingestion,
  { embedder, chunking }: Base,
  signal: AbortSignal,
): Promise<boolean> {
  const { store } = parts;
  const document = await parts.read(content, bytes, signal);
  const hash = createHash("sha256").update(document.bytes).digest("hex");
  const parsed = await parts.parse(content, document, signal);
  if (parsed.text.trim() === "") throw new IngestionRejected("The document contains no text.");
  const chunker = chunkerOf(parsed, chunking);
  const pieces =
    chunker === "semantic"
      ? await semanticPieces(parsed, chunking, embedder, signal)
      : await divide(parsed, chunker, chunking);
  const end = { hash, size: document.bytes.length, type: parsed.mediaType };
  for (let first = 0; first < pieces.length; first += chunksPerWrite) {
    signal.throwIfAborted();
    const some: NewChunk[] = [];
    for (const [place, piece] of pieces.slice(first, first + chunksPerWrite).entries()) {
      some.push(toChunk(parsed, piece, first + place));
      if (place % chunksPerTurn === chunksPerTurn - 1) await nextTurn();
    }
    const isLast = first + chunksPerWrite >= pieces.length;
    if (!(await store.addChunks(job, content.key, some, embedder.id, isLast ? end : undefined))) return false;
    await nextTurn();
  }
  return true;
}

function toChunk(document: ParsedDocument, { start, end, headings }: Piece, number: number): NewChunk {
  const text = document.text.slice(start, end);
  const embedded = embeddedText({ text, headings });
  return {
    ...{ number, text, start, end, headings, page: pageAt(document, start), tokens: countTokens(text) },
    hash: createHash("sha256").update(embedded).digest("hex"),
    terms: termsOf(embedded),
  };
}

/** The text of a chunk as it is embedded: its headings say what it is about. */
export function embeddedText({ text, headings }: Pick<NewChunk, "text" | "headings">): string {
  return headings.length === 0 ? text : `${headings.join(" › ")}\n\n${text}`;
}

async function embedChunks(
  store: KnowledgeStore,
  job: ClaimedJob,
  content: Content,
  embedder: TextEmbedder,
  signal: AbortSignal,
): Promise<boolean> {
  const { key: contentKey, knowledgeId } = content;
  const batchSize = await embedder.batchSize();
  let isPrepared = false;
  for (;;) {
    signal.throwIfAborted();
    const waiting = await store.pending(contentKey, batchSize);
    if (waiting.length === 0) return true;
    const byKey = new Map(await store.knownVectors(content, embedder.id, waiting, signal));
    const others = waiting.filter(({ key }) => !byKey.has(key));
    if (others.length > 0) {
      const { vectors } = await embedder.embed(others.map(embeddedText), signal, keyOf(others));
      if (!isPrepared) await store.prepareVectors(vectors[0]?.length ?? 0, knowledgeId);
      isPrepared = true;
      others.forEach(({ key }, place) => {
        byKey.set(key, vectors[place] as Float32Array);
      });
    }
    if (!(await store.addVectors(job, contentKey, embedder.id, byKey))) return false;
    await nextTurn();
  }
}

/** A repeated batch has the same key: after a crash, the same chunks are the first ones without an embedding. */
function keyOf(chunks: readonly Chunk[]): string {
  const hash = createHash("sha256");
  for (const chunk of chunks) hash.update(chunk.hash);
  return hash.digest("hex");
}
