import type {
  EmbeddingModelV3,
  EmbeddingModelV4,
  LanguageModelV4,
  RerankingModelV3,
  RerankingModelV4,
} from "@ai-sdk/provider";
import { ConfigurationError } from "../errors.ts";
import { faultOfId } from "../model/identifiers.ts";
import { checkAll, flag, type Known, oneOf, positive, refuseUnknown } from "./checks.ts";
import type { KnowledgeDocuments } from "./knowledge-documents.ts";
import type { Model } from "./model.ts";
import { checkVectorStore, type VectorStore } from "./vector-store.ts";

/** An embedding model: any AI SDK embedding model, or `provider:model` (`openai:text-embedding-3-small`), resolved at start-up. */
export type Embedder = EmbeddingModelV4 | EmbeddingModelV3 | string;

/**
 * A model that orders what a search found: any AI SDK reranking model, `provider:model` of a reranking model (`cohere:rerank-v3.5`), resolved at start-up,
 * or a language model that grades the texts.
 */
export type Reranker = RerankingModelV4 | RerankingModelV3 | string | { readonly languageModel: Model };

/**
 * How documents are divided. `fixed`: after a number of tokens. `sentence`: between sentences. `markdown`: by headings, then by paragraphs and
 * sentences; the headings become a part of each chunk. `semantic`: between sentences whose embeddings differ most. `row`: by lines of a table.
 */
export type Chunker = "fixed" | "sentence" | "markdown" | "semantic" | "row";

/** Division of documents into chunks. */
export interface Chunking {
  /** Default: `markdown` for Markdown and HTML, `row` for tables, otherwise `sentence`. */
  readonly chunker?: Chunker;
  /** Max tokens of a chunk. Default 400. */
  readonly size?: number;
  /** Tokens that a chunk repeats from the chunk before it. Default 40. */
  readonly overlap?: number;
}

/** URLs that documents may have, in addition to public HTTPS addresses. */
export interface KnowledgeUrls {
  /** Whether plain HTTP is allowed. Default false. */
  readonly allowHttp?: boolean;
  /** Whether addresses outside the public internet are allowed: private networks, this machine and the like. Default false. */
  readonly allowPrivate?: boolean;
}

/** A file of a source. */
export interface SourceFile {
  /** Its path in the source, with the source's prefix. */
  readonly key: string;
  /** Bytes. */
  readonly size: number | null;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number | null;
  readonly mediaType: string | null;
}

/** A part of the files of a source. */
export interface SourceFiles {
  readonly files: readonly SourceFile[];
  /** Prefixes of folders, each with the delimiter at its end. */
  readonly folders: readonly string[];
  /** Continues the listing; undefined at its end. */
  readonly next: string | undefined;
}

/**
 * A store of files outside of the platform, whose files callers can add as documents: `s3Source`, `githubSource`, `azureBlobSource`, `gcsSource`, or your
 * own. Its credentials must not be members that can be read: clients see the id, the name, the type, the prefix and the metadata.
 */
export interface ContentSource {
  /** Identifier in URLs. */
  readonly id: string;
  readonly name: string;
  /** Kind of the store, such as `s3`. */
  readonly type: string;
  /** What clients may know about it, such as the bucket. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Callers list and add only files whose paths begin with it. Empty: all files. */
  readonly prefix: string;
  /** Lists files whose paths begin with a prefix. With a delimiter, paths that contain it after the prefix are folders. @throws SourceFault */
  list(query: SourceQuery, signal: AbortSignal): Promise<SourceFiles>;
  /** Reads a file of at most `maxBytes`. @throws SourceFault */
  read(key: string, maxBytes: number, signal: AbortSignal): Promise<SourceContent>;
}

/** A listing of a source. */
export interface SourceQuery {
  readonly prefix: string;
  /** Empty: no folders. */
  readonly delimiter: string;
  /** `next` of the part before. */
  readonly cursor: string | undefined;
  /** Max files and folders. */
  readonly limit: number;
}

/** The content of a file of a source. */
export interface SourceContent {
  readonly bytes: Uint8Array;
  readonly mediaType: string | null;
}

/** A source has no such file, or does not answer. Clients see the text. */
export class SourceFault extends Error {
  override readonly name = "SourceFault";
  /** Whether another attempt would fail, too. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Options of a knowledge base. */
export interface KnowledgeOptions<Id extends string = string> {
  /** Identifier in URLs, as for agents. */
  readonly id: Id;
  /** Display name. Default: the id. */
  readonly name?: string;
  /** What the documents are about. Agents read it as the description of their search tool. */
  readonly description?: string;
  /** Embeds chunks and queries. `lexicalEmbedder()` needs no key and no download. */
  readonly embedder: Embedder;
  readonly chunking?: Chunking;
  /** Orders the best 30 chunks of each search. If it fails, or takes longer than 15 s, the order of the search stays. Default: none. */
  readonly reranker?: Reranker;
  /** Shared documents that a server adds when it starts, in the background: new and changed ones. See `folder`. */
  readonly documents?: KnowledgeDocuments;
  /** Stores of files that callers can list and add: `s3Source`, `githubSource` and others. */
  readonly sources?: readonly ContentSource[];
  /** Which URLs callers can add. Default: public HTTPS addresses; false: none. */
  readonly urls?: KnowledgeUrls | false;
  /** Where embeddings are stored and searched, such as `lanceDbVectors({ … })`. Texts stay in the database. Default: the database. */
  readonly vectors?: VectorStore;
}

const knowledgeOptions: Known<KnowledgeOptions> = {
  id: true,
  name: true,
  description: true,
  embedder: true,
  chunking: true,
  reranker: true,
  documents: true,
  sources: true,
  urls: true,
  vectors: true,
};

const knownUrls: Known<KnowledgeUrls> = { allowHttp: true, allowPrivate: true };

const chunkers: readonly Chunker[] = ["fixed", "sentence", "markdown", "semantic", "row"];

/** A knowledge base: documents that agents search. */
export interface Knowledge<Id extends string = string> extends KnowledgeOptions<Id> {
  readonly kind: "knowledge";
  readonly name: string;
  readonly chunking: Chunking;
  readonly sources: readonly ContentSource[];
  readonly urls: KnowledgeUrls | false;
}

/**
 * Defines a knowledge base.
 *
 * @example
 * ```ts
 * const manual = defineKnowledge({ id: "manual", description: "The product's manual.", embedder: "openai:text-embedding-3-small" });
 * export default definePlatform({ id: "support", knowledge: [manual] });
 * ```
 * @throws ConfigurationError naming the knowledge base and the fix
 */
export function defineKnowledge<const Id extends string>(options: KnowledgeOptions<Id>): Knowledge<Id> {
  const title = `Knowledge "${options.id}"`;
  const fault = typeof options.id === "string" ? faultOfId(options.id) : "must be a text";
  if (fault) throw new ConfigurationError(`${title}: its id ${fault}.`);
  if (/[/\\?#%]/.test(options.id))
    throw new ConfigurationError(`${title}: its id must not hold / \\ ? # or %, because it is part of URLs.`);
  refuseUnknown(title, options, knowledgeOptions);
  checkEmbedder(title, options.embedder);
  checkReranker(title, options.reranker);
  if (options.documents !== undefined && typeof options.documents !== "function")
    throw new ConfigurationError(`${title}: documents must be a function, for instance documents: folder("./docs").`);
  const chunking = options.chunking ?? {};
  checkAll(`${title}: chunking`, chunking, { chunker: oneOf(chunkers), size: positive });
  const { size = 400, overlap = 40 } = chunking;
  if (!(Number.isInteger(overlap) && overlap >= 0 && overlap < size))
    throw new ConfigurationError(
      `${title}: chunking.overlap must be a whole number from 0 to below chunking.size (${size}).`,
    );
  checkSources(title, options.sources);
  checkUrls(title, options.urls);
  checkVectorStore(title, options.vectors);
  const { sources = [], urls = {} } = options;
  return { ...options, kind: "knowledge", name: options.name ?? options.id, chunking, sources, urls };
}

function checkSources(title: string, sources: unknown): void {
  if (sources === undefined) return;
  if (!Array.isArray(sources))
    throw new ConfigurationError(`${title}: sources must be a list, such as [s3Source({ … })].`);
  for (const [place, source] of sources.entries()) {
    const { id, list, read } = (source ?? {}) as Partial<ContentSource>;
    if (typeof id !== "string" || typeof list !== "function" || typeof read !== "function")
      throw new ConfigurationError(`${title}: number ${place + 1} of its sources has no id, no list or no read.`);
    if (sources.findIndex((other) => other.id === id) !== place)
      throw new ConfigurationError(`${title}: two of its sources have the id "${id}".`);
  }
}

function checkUrls(title: string, urls: unknown): void {
  if (urls === undefined || urls === false) return;
  if (typeof urls !== "object" || urls === null)
    throw new ConfigurationError(`${title}: urls must be false or an object like { allowHttp: true }.`);
  refuseUnknown(`${title}: urls`, urls, knownUrls);
  checkAll(`${title}: urls`, urls, { allowHttp: flag, allowPrivate: flag });
}

function checkReranker(title: string, reranker: unknown): void {
  if (reranker === undefined) return;
  const isText = (value: unknown): boolean => typeof value === "string" && /^[a-z0-9-]+:.+$/i.test(value);
  const isOf = (version: unknown): boolean => version === "v4" || version === "v3";
  if (isText(reranker)) return;
  if (typeof reranker === "object" && reranker !== null) {
    const { specificationVersion, doRerank, languageModel } = reranker as Partial<RerankingModelV4> & {
      readonly languageModel?: unknown;
    };
    if (isOf(specificationVersion) && typeof doRerank === "function") return;
    const { specificationVersion: version, doStream } = Object(languageModel) as Partial<LanguageModelV4>;
    if (isText(languageModel) || (isOf(version) && typeof doStream === "function")) return;
  }
  throw new ConfigurationError(
    `${title}: reranker must be a reranking model, its name such as "cohere:rerank-v3.5", or { languageModel: "openai:gpt-5-mini" }.`,
  );
}

function checkEmbedder(title: string, embedder: unknown): void {
  if (typeof embedder === "string") {
    if (/^[a-z0-9-]+:.+$/i.test(embedder)) return;
    throw new ConfigurationError(
      `${title}: embedder "${embedder}" is not of the form provider:model, for instance "openai:text-embedding-3-small".`,
    );
  }
  const { specificationVersion: version, doEmbed } = (embedder ?? {}) as Partial<EmbeddingModelV4>;
  if ((version === "v4" || version === ("v3" as unknown)) && typeof doEmbed === "function") return;
  throw new ConfigurationError(
    `${title} has no embedder: give it one, for instance embedder: "openai:text-embedding-3-small" or embedder: lexicalEmbedder().`,
  );
}
