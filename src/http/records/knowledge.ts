/** Documents in their wire form. */
import { z } from "zod";
import type { ContentSource } from "../../define/knowledge.ts";
import type { KnowledgeBase } from "../../knowledge/bases.ts";
import { fileReaders } from "../../knowledge/parsing/kinds.ts";
import type { SearchLack } from "../../model/measurements.ts";
import type { FilePage } from "../../runs/knowledge/files.ts";
import type { Chunk, Content, ContentCitation, ContentOrigin, FoundChunk } from "../../store/contract/knowledge.ts";
import { named } from "../input/named-schemas.ts";
import { pageInfo } from "./pages.ts";
import { isoSeconds } from "./times.ts";

const text = z.string().nullish();
const object = z.record(z.string(), z.unknown()).nullish();
const status = named("ContentStatus", z.enum(["processing", "completed", "failed"]));

const content = z.object({
  id: z.string(),
  ...{ name: text, description: text, type: text, size: text, linked_to: text, metadata: object },
  access_count: z.int().min(0).nullish(),
  status: status.nullish(),
  ...{ status_message: text, created_at: z.iso.datetime().nullish(), updated_at: z.iso.datetime().nullish() },
  user_id: text.describe("The user who alone can see the document; null for a shared one."),
  chunks: z.int().nullish().describe("Chunks that searches can find."),
  tokens: z.int().nullish(),
});

/** One document. */
export const contentRecord: z.ZodType = named("ContentResponseSchema", content);

/** A page of documents. */
export const contentPage: z.ZodType = named(
  "PaginatedResponse_ContentResponseSchema_",
  z.object({ data: z.array(contentRecord), meta: pageInfo }),
);

export function toContentRecord(one: Content): Record<string, unknown> {
  return {
    ...{ id: one.id, name: one.name, description: one.description, type: one.type },
    ...{ size: one.size === null ? null : String(one.size), linked_to: one.knowledgeId, metadata: one.metadata },
    ...{ access_count: one.accessCount, status: wireStatus(one), status_message: one.statusMessage },
    ...{ created_at: isoSeconds(one.createdAt), updated_at: isoSeconds(one.updatedAt) },
    ...{ user_id: one.userId, chunks: one.chunks, tokens: one.tokens },
  } satisfies z.input<typeof content>;
}

function wireStatus({ status }: Content): "processing" | "completed" | "failed" {
  return status === "cancelled" ? "failed" : status;
}

const state = z.object({
  id: z.string().nullish(),
  status,
  status_message: z.string().default(""),
  embedded: z.int().nullish().describe("Chunks of a running ingestion that have an embedding."),
  total: z.int().nullish().describe("Chunks of a running ingestion so far."),
});

/** The progress of an ingestion. */
export const contentState: z.ZodType = named("ContentStatusResponse", state);

export function toContentState(one: Content): Record<string, unknown> {
  const progress = one.status === "processing" ? { embedded: one.embedded, total: one.total } : {};
  return { id: one.id, status: wireStatus(one), status_message: one.statusMessage, ...progress } satisfies z.input<
    typeof state
  >;
}

const chunk = z.object({
  number: z.int(),
  content: z.string(),
  tokens: z.int(),
  page: z.int().nullable(),
  start: z.int().describe("Offset of its first character in the parsed document."),
  end: z.int(),
  headings: z.array(z.string()),
});

/** Chunks of a document. */
export const chunkRecords: z.ZodType = z.array(named("KnowledgeChunk", chunk));

export function toChunkRecord({
  number,
  text: body,
  tokens,
  page,
  start,
  end,
  headings,
}: Chunk): Record<string, unknown> {
  return { number, content: body, tokens, page, start, end, headings: [...headings] } satisfies z.input<typeof chunk>;
}

const citation = z.object({
  run_id: z.string(),
  session_id: z.string(),
  agent_id: text,
  team_id: text,
  workflow_id: text,
  component_name: z.string(),
  user_id: text,
  chunks: z.array(z.int()).describe("Numbers of the cited chunks, as the document was divided then."),
  cited_at: z.iso.datetime(),
});

/** Runs that cite a document. */
export const citationRecords: z.ZodType = z.array(named("KnowledgeCitation", citation));

export function toCitationRecord(one: ContentCitation): Record<string, unknown> {
  const { kind, componentId } = one;
  const idOf = (wanted: ContentCitation["kind"]): string | null => (kind === wanted ? componentId : null);
  return {
    ...{ run_id: one.runId, session_id: one.sessionId, component_name: one.componentName, user_id: one.userId },
    ...{ agent_id: idOf("agent"), team_id: idOf("team"), workflow_id: idOf("workflow") },
    ...{ chunks: [...one.chunks], cited_at: isoSeconds(one.citedAt) },
  } satisfies z.input<typeof citation>;
}

const found = z.object({
  ...{ id: z.string(), content: z.string(), name: text, meta_data: object, usage: object },
  reranking_score: z.number().min(0).max(1).nullish(),
  ...{ content_id: text, content_origin: text, size: z.int().min(0).nullish() },
});

/** A page of found chunks. */
export const searchPage: z.ZodType = named(
  "PaginatedResponse_VectorSearchResult_",
  z.object({
    data: z.array(named("VectorSearchResult", found)),
    meta: pageInfo,
    warning: z.string().optional().describe("Set if a hybrid search used words only: what failed."),
  }),
);

/** What a client reads about a hybrid search that used words only. */
export const searchWarnings: Readonly<Record<SearchLack, string>> = {
  embedder: "The embedding model of the knowledge base failed: this search used words only.",
  vector_store: "The vector store of the knowledge base is not available: this search used words only.",
};

export function toFoundRecord(one: FoundChunk): Record<string, unknown> {
  const { number, page, start, end, headings, score, lexicalRank, vectorRank } = one;
  const at = { chunk: number, page, start, end, headings, score, lexical_rank: lexicalRank, vector_rank: vectorRank };
  return {
    ...{ id: `${one.contentId}/${number}`, content: one.text, name: one.contentName, content_id: one.contentId },
    ...{ meta_data: { ...one.metadata, ...at }, usage: null, reranking_score: one.rerankingScore ?? null },
    ...{ content_origin: originOf(one.origin), size: Buffer.byteLength(one.text) },
  } satisfies z.input<typeof found>;
}

/** Where a document comes from, as one text. */
export function originOf(origin: ContentOrigin): string {
  if (origin.kind === "url") return origin.url;
  if (origin.kind === "file") return origin.fileName;
  return origin.kind === "source" ? `${origin.sourceId}:${origin.path}` : "text";
}

const chunkerNames = ["fixed", "sentence", "markdown", "semantic", "row"] as const;
const chunkerTexts: Readonly<Record<(typeof chunkerNames)[number], string>> = {
  fixed: "Divides after a number of tokens.",
  sentence: "Divides between sentences.",
  markdown: "Divides by headings, paragraphs and sentences.",
  semantic: "Divides between sentences whose embeddings differ most.",
  row: "Divides by lines of a table.",
};

const texts = z.array(z.string());
const reader = named(
  "ReaderSchema",
  z.object({ id: z.string(), name: text, description: text, chunkers: texts.nullish() }),
);
const chunker = named("ChunkerSchema", z.object({ key: z.string(), name: text, description: text, metadata: object }));
const index = named(
  "VectorDbSchema",
  z.object({ id: z.string(), name: text, description: text, search_types: texts.nullish() }),
);
const source = named(
  "RemoteContentSourceSchema",
  z.object({ id: z.string(), name: z.string(), type: z.string(), metadata: object, prefix: text }),
);

/** What a knowledge base can read, divide and search. */
export const baseConfig: z.ZodType = named(
  "ConfigResponseSchema",
  z.object({
    readers: z.record(z.string(), reader).nullish(),
    readersForType: z.record(z.string(), texts).nullish(),
    chunkers: z.record(z.string(), chunker).nullish(),
    filters: texts.nullish(),
    vector_dbs: z.array(index).nullish(),
    remote_content_sources: z.array(source).nullish(),
  }),
);

const base = z.object({
  id: z.string(),
  name: z.string(),
  description: text,
  embedder: z.string().describe("Id of the embedding model: its provider and its name."),
  reranker: text.describe("Id of the model that orders what searches find; null without one."),
  documents: z.int().describe("Documents that the caller can see."),
});

/** The knowledge bases of a platform. */
export const baseRecords: z.ZodType = z.array(named("KnowledgeBase", base));

export function toBaseRecord(
  { id, definition, embedder, reranker }: KnowledgeBase,
  documents: number,
): Record<string, unknown> {
  const { name, description = null } = definition;
  return { id, name, description, embedder: embedder.id, reranker: reranker?.id ?? null, documents } satisfies z.input<
    typeof base
  >;
}

/** The sources of a knowledge base. */
export const sourceRecords: z.ZodType = z.array(source);

export function toSourceRecord({ id, name, type, metadata, prefix }: ContentSource): Record<string, unknown> {
  return { id, name, type, metadata: { ...metadata }, prefix: prefix === "" ? null : prefix } satisfies z.input<
    typeof source
  >;
}

const filePage = z.object({
  ...{ source_id: z.string(), source_name: z.string(), prefix: text },
  folders: z
    .array(
      named(
        "SourceFolderSchema",
        z.object({ prefix: z.string(), name: z.string(), is_empty: z.boolean().default(false) }),
      ),
    )
    .optional(),
  files: z
    .array(
      named(
        "SourceFileSchema",
        z.object({
          ...{ key: z.string(), name: z.string(), size: z.int().nullish() },
          ...{ last_modified: z.iso.datetime().nullish(), content_type: text },
        }),
      ),
    )
    .optional(),
  meta: pageInfo,
});

/** A page of the files of a source. */
export const sourceFilePage: z.ZodType = named("SourceFilesResponseSchema", filePage);

export function toSourceFilePage(
  { source: { id, name }, prefix, folders, files }: FilePage,
  meta: Record<string, unknown>,
): Record<string, unknown> {
  return {
    ...{ source_id: id, source_name: name, prefix: prefix === "" ? null : prefix, meta },
    folders: folders.map((folder) => ({ prefix: folder, name: nameOf(folder), is_empty: false })),
    files: files.map(({ key, size, modifiedAt, mediaType }) => ({
      ...{ key, name: nameOf(key), size, content_type: mediaType },
      last_modified: modifiedAt === null ? null : isoSeconds(modifiedAt),
    })),
  };
}

/** The last part of a path. */
function nameOf(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

export function toBaseConfig({ id, definition, chunking }: KnowledgeBase): Record<string, unknown> {
  const { size = 400, overlap = 40 } = chunking;
  const metadata = { chunk_size: size, chunk_overlap: overlap };
  return {
    readers: Object.fromEntries(
      Object.entries(fileReaders).map(([key, { name, description }]) => [
        key,
        { id: key, name, description, chunkers: [...chunkerNames] },
      ]),
    ),
    readersForType: Object.fromEntries(
      Object.entries(fileReaders).flatMap(([key, { extensions }]) => extensions.map((extension) => [extension, [key]])),
    ),
    chunkers: Object.fromEntries(
      chunkerNames.map((key) => [key, { key, name: key, description: chunkerTexts[key], metadata }]),
    ),
    filters: [],
    vector_dbs: [
      {
        id,
        name: definition.name,
        description: definition.description ?? null,
        search_types: ["vector", "keyword", "hybrid"],
      },
    ],
    remote_content_sources: definition.sources.length === 0 ? null : definition.sources.map(toSourceRecord),
  };
}
