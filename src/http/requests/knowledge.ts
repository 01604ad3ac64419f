/** Paths, queries and bodies of routes of knowledge bases. */
import { z } from "zod";
import type { Chunker } from "../../define/knowledge.ts";
import { fileReaders, isFileKind } from "../../knowledge/parsing/kinds.ts";
import type { KnowledgeQuery } from "../../knowledge/search.ts";
import { type MetadataFilter, readMetadataFilters } from "../../model/metadata-filters.ts";
import { isStorable, isStorableJson } from "../../model/storable.ts";
import type { NewDocument } from "../../runs/knowledge/calls.ts";
import type { FileQuery } from "../../runs/knowledge/files.ts";
import type {
  CitationPosition,
  ContentMetadata,
  ContentOptions,
  ContentQuery,
} from "../../store/contract/knowledge.ts";
import type { BodySpec } from "../input/body.ts";
import { listOf } from "../input/bounded-lists.ts";
import { keepingEmpty, type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { UploadedFile } from "../input/multipart.ts";
import { invalid } from "../input/validation-errors.ts";
import { cursorMember, fromCitationCursor, fromContentCursor } from "./knowledge-cursors.ts";
import { sortOrder } from "./sessions.ts";

/** Max documents of a page, and max chunks of a page or a search. */
const maxPage = 100;
const maxChunks = 100;

/** Max members of the metadata, and max characters of a name or a text value. */
const maxMembers = 50;
const maxText = 2_000;

/** The knowledge base that a request names. */
export interface BaseChoice {
  readonly knowledgeId: string | undefined;
  readonly databaseId: string | undefined;
}

const choiceMembers = { db_id: identifier.nullish(), knowledge_id: identifier.nullish() };

function toChoice(fields: { db_id?: string | null | undefined; knowledge_id?: string | null | undefined }): BaseChoice {
  return { knowledgeId: fields.knowledge_id ?? undefined, databaseId: fields.db_id ?? undefined };
}

/** The query of routes that only name a knowledge base. */
export const baseChoice: Reader<BaseChoice> = reader(z.object(choiceMembers), toChoice);

/** The query of routes whose path names the knowledge base. */
export const databaseQuery: Reader<Pick<BaseChoice, "databaseId">> = reader(
  z.object({ db_id: choiceMembers.db_id }),
  toChoice,
);

/** The path of one document. */
export const contentPath: Reader<{ contentId: string }> = reader(z.object({ content_id: identifier }), (fields) => ({
  contentId: fields.content_id,
}));

/** The path of one knowledge base. */
export const basePath: Reader<{ knowledgeId: string }> = reader(z.object({ knowledge_id: identifier }), (fields) => ({
  knowledgeId: fields.knowledge_id,
}));

const orders = ["created_at", "updated_at", "name", "status", "size"] as const;

/** Order and page of a listing of documents. */
export interface ContentList extends BaseChoice {
  readonly query: Omit<ContentQuery, "knowledgeId" | "reader">;
  readonly page: number;
}

/** The query of `GET /knowledge/content`. Page 0 is the first page, as recorded. */
export const contentList: Reader<ContentList> = reader(
  z.object({
    limit: z
      .int()
      .min(1)
      .nullable()
      .default(20)
      .describe(
        `Documents of a page: at most ${maxPage}. More are cut to that; meta.limit is what the page was made with.`,
      ),
    page: z.int().min(0).nullable().default(1),
    sort_by: z.string().nullable().default("created_at"),
    sort_order: sortOrder.nullable().default("desc"),
    status: z
      .enum(["processing", "completed", "failed"])
      .nullish()
      .describe("Only documents in this state. A cancelled ingestion is a failed one."),
    cursor: cursorMember,
    ...choiceMembers,
  }),
  (fields) => {
    const orderBy = orders.find((order) => order === (fields.sort_by ?? "created_at"));
    if (!orderBy)
      throw invalid([
        {
          ...{ type: "value_error", loc: ["query", "sort_by"], input: fields.sort_by },
          msg: `Value error, sort_by must be one of ${orders.join(", ")}`,
        },
      ]);
    const page = fields.page ?? 1;
    const limit = Math.min(fields.limit ?? 20, maxPage);
    const offset = Math.min((Math.max(page, 1) - 1) * limit, Number.MAX_SAFE_INTEGER);
    const statuses = fields.status == null ? undefined : statusesOf[fields.status];
    const after = fields.cursor ? fromContentCursor(fields.cursor) : undefined;
    const query = { orderBy, descending: fields.sort_order !== "asc", limit, offset, statuses, after };
    return { ...toChoice(fields), page, query };
  },
);

/** The stored states of a state on the wire. */
const statusesOf = { processing: ["processing"], completed: ["completed"], failed: ["failed", "cancelled"] } as const;

/** The page of a listing of chunks: from a number, in order. */
export const chunkList: Reader<BaseChoice & { readonly from: number; readonly limit: number }> = reader(
  z.object({ from: z.int().min(0).default(0), limit: z.int().min(1).max(maxChunks).default(20), ...choiceMembers }),
  (fields) => ({ ...toChoice(fields), from: fields.from, limit: fields.limit }),
);

/** The query of a listing of citations. */
export const citationList: Reader<
  BaseChoice & { readonly limit: number; readonly after: CitationPosition | undefined }
> = reader(
  z.object({
    limit: z.int().min(1).max(maxPage).default(20),
    cursor: cursorMember,
    ...choiceMembers,
  }),
  (fields) => ({
    ...{ ...toChoice(fields), limit: fields.limit },
    after: fields.cursor ? fromCitationCursor(fields.cursor) : undefined,
  }),
);

/** A text that is stored unchanged. */
const storedText = z.string().max(maxText).refine(isStorable, "must be well-formed Unicode without NUL");
const name = storedText.nullish();
const metadata = z.record(z.string().max(200), z.unknown()).nullish();

const chunkers: Readonly<Record<string, Chunker>> = {
  ...{ fixed: "fixed", sentence: "sentence", markdown: "markdown", semantic: "semantic", row: "row" },
  // The names of AgentOS.
  ...{ FixedSizeChunker: "fixed", RecursiveChunker: "sentence", DocumentChunker: "sentence" },
  ...{ MarkdownChunker: "markdown", SemanticChunker: "semantic", RowChunker: "row" },
};

const optionMembers = {
  reader_id: z.string().max(maxText).nullish(),
  chunker: z.string().max(maxText).nullish(),
  chunk_size: z.int().min(1).max(8_000).nullish(),
  chunk_overlap: z.int().min(0).max(4_000).nullish(),
};

type OptionFields = z.output<z.ZodObject<typeof optionMembers>>;

function toOptions(fields: OptionFields): ContentOptions {
  const chunker = fields.chunker == null ? undefined : chunkers[fields.chunker];
  if (fields.chunker != null && !chunker)
    throw wrong("chunker", `the chunker must be one of ${Object.keys(chunkers).join(", ")}`, fields.chunker);
  if (fields.reader_id != null && !isFileKind(fields.reader_id))
    throw wrong("reader_id", `the reader must be one of ${Object.keys(fileReaders).join(", ")}`, fields.reader_id);
  const { chunk_size: size, chunk_overlap: overlap } = fields;
  if (size != null && overlap != null && overlap >= size)
    throw wrong("chunk_overlap", "chunk_overlap must be below chunk_size", overlap);
  return {
    ...(fields.reader_id != null && { reader: fields.reader_id }),
    ...(chunker && { chunker }),
    ...(size != null && { chunkSize: size }),
    ...(overlap != null && { chunkOverlap: overlap }),
  };
}

function wrong(member: string, text: string, input: unknown) {
  return invalid([{ type: "value_error", loc: ["body", member], msg: `Value error, ${text}`, input }]);
}

/** Filters compare texts, numbers and booleans; other values are kept for clients. */
function toMetadata(given: Record<string, unknown> | null | undefined): ContentMetadata | null {
  if (given == null) return null;
  if (Object.keys(given).length > maxMembers)
    throw wrong("metadata", `metadata must have at most ${maxMembers} members`, null);
  if (JSON.stringify(given).length > 20 * maxText) throw wrong("metadata", "metadata is too large", null);
  // Postgres cannot read such a value: it would make the filters of all searches fail.
  if (!isStorableJson(given)) throw wrong("metadata", "metadata must be well-formed Unicode without NUL", null);
  return given;
}

const file = z
  .custom<UploadedFile>((value) => value instanceof UploadedFile, "must be an uploaded file")
  .meta({ type: "string", contentMediaType: "application/octet-stream" });

/** A document that a form adds: exactly one of a file, a URL and a text. */
export const newContent: BodySpec<NewDocument> = {
  name: "Body_upload_content",
  types: ["multipart", "urlencoded", "json"],
  required: false,
  reader: reader(
    z.object({
      ...{ name, description: name, url: storedText.nullish(), metadata, file: listOf(file).nullish() },
      text_content: keepingEmpty(z.string().nullish()),
      ...optionMembers,
    }),
    (fields) => {
      const { url, text_content: text } = fields;
      const upload = fields.file?.at(-1);
      const given = [upload, url ?? undefined, text ?? undefined].filter((one) => one !== undefined);
      if (given.length !== 1) throw wrong("text_content", "give exactly one of file, url and text_content", null);
      const shared = {
        ...{
          description: fields.description ?? null,
          metadata: toMetadata(fields.metadata),
          options: toOptions(fields),
        },
      };
      if (upload) {
        const { filename, mediaType, data } = upload;
        if (data.length === 0) throw wrong("file", "the file is empty", filename);
        if (!storedText.safeParse(filename).success || !storedText.safeParse(mediaType).success)
          throw wrong("file", `the name and the type must be well-formed, of at most ${maxText} characters`, null);
        const origin = { kind: "file", fileName: filename, mediaType: mediaType || null } as const;
        return {
          ...shared,
          name: fields.name ?? filename,
          type: mediaType || null,
          size: data.length,
          origin,
          bytes: data,
        };
      }
      if (url != null) {
        if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
          throw wrong("url", "url must be an http or https address", url);
        return {
          ...shared,
          name: fields.name ?? url,
          type: null,
          size: null,
          origin: { kind: "url", url },
          bytes: null,
        };
      }
      if (!text?.trim()) throw wrong("text_content", "the text is empty", text);
      const bytes = Buffer.from(text.toWellFormed());
      return {
        ...{
          ...shared,
          name: fields.name ?? null,
          type: "text/plain",
          size: bytes.length,
          origin: { kind: "text" },
          bytes,
        },
      };
    },
  ),
};

/** A file of a source that a form adds. */
export const remoteContent: BodySpec<NewDocument> = {
  name: "Body_upload_remote_content",
  types: ["urlencoded", "multipart", "json"],
  required: true,
  reader: reader(
    z.object({
      ...{
        config_id: identifier,
        path: z.string().min(1).max(1_024),
        source_params: z.string().max(maxText).nullish(),
      },
      ...{ name, description: name, metadata, ...optionMembers },
    }),
    (fields) => ({
      ...{ name: fields.name ?? fields.path.split("/").at(-1) ?? null, description: fields.description ?? null },
      ...{ metadata: toMetadata(fields.metadata), options: toOptions(fields), type: null, size: null, bytes: null },
      origin: { kind: "source", sourceId: fields.config_id, path: fields.path },
    }),
  ),
};

/** The path of one source. */
export const sourcePath: Reader<{ knowledgeId: string; sourceId: string }> = reader(
  z.object({ knowledge_id: identifier, source_id: identifier }),
  (fields) => ({ knowledgeId: fields.knowledge_id, sourceId: fields.source_id }),
);

/** The query of a listing of files of a source. */
export const sourceFiles: Reader<FileQuery & Pick<BaseChoice, "databaseId">> = reader(
  z.object({
    prefix: z.string().max(1_024).nullish(),
    limit: z.int().min(1).max(1_000).default(100),
    page: z.int().min(1).default(1),
    delimiter: z.string().max(10).default("/"),
    db_id: choiceMembers.db_id,
  }),
  (fields) => ({
    ...{ ...toChoice(fields), limit: fields.limit, page: fields.page },
    ...{ prefix: fields.prefix ?? undefined, delimiter: fields.delimiter },
  }),
);

/** Members that `PATCH` changes. */
export const changedContent: BodySpec<{
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: ContentMetadata | null;
}> = {
  name: "Body_update_content",
  types: ["urlencoded", "multipart", "json"],
  required: false,
  reader: reader(z.object({ name, description: name, metadata, reader_id: optionMembers.reader_id }), (fields) => ({
    ...(fields.name != null && { name: fields.name }),
    ...(fields.description != null && { description: fields.description }),
    ...(fields.metadata != null && { metadata: toMetadata(fields.metadata) }),
  })),
};

/** A search. */
export interface SearchRequest extends BaseChoice {
  readonly query: Omit<KnowledgeQuery, "knowledgeId" | "reader">;
  readonly page: number;
  readonly limit: number;
}

const modes = { vector: "vector", keyword: "lexical", lexical: "lexical", hybrid: "hybrid" } as const;

/** The body of `POST /knowledge/search`. */
export const searchRequest: BodySpec<SearchRequest> = {
  name: "VectorSearchRequestSchema",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      query: z.string().min(1).max(10_000),
      ...choiceMembers,
      vector_db_ids: z.array(z.string()).nullish(),
      search_type: z.string().nullish(),
      max_results: z.int().min(1).max(1_000).nullish(),
      filters: z.record(z.string().max(200), z.unknown()).nullish(),
      meta: z.object({ limit: z.int().min(1).max(maxChunks).default(20), page: z.int().min(1).default(1) }).nullish(),
    }),
    (fields) => {
      const given = fields.search_type ?? "hybrid";
      if (!Object.hasOwn(modes, given))
        throw wrong("search_type", `search_type must be one of ${Object.keys(modes).join(", ")}`, given);
      const { limit, page } = fields.meta ?? { limit: 20, page: 1 };
      return {
        ...{ ...toChoice(fields), page, limit },
        query: {
          text: fields.query,
          mode: modes[given as keyof typeof modes],
          filters: toFilters(fields.filters),
          limit: Math.min(fields.max_results ?? page * limit, maxChunks),
        },
      };
    },
  ),
};

/** Filters by member: a value, a list of values, or bounds of a number (`gt`, `gte`, `lt`, `lte`). */
export function toFilters(given: Record<string, unknown> | null | undefined): readonly MetadataFilter[] {
  const filters = readMetadataFilters(given ?? {});
  if (filters) return filters;
  throw wrong(
    "filters",
    "a filter is a text, a number, a boolean, null, a list of these, or bounds such as { gte: 1 }; at most 50 filters",
    null,
  );
}
