import type { EmbeddingModelV3, EmbeddingModelV4 } from "@ai-sdk/provider";
import { ConfigurationError } from "../errors.ts";
import { faultOfId } from "../model/identifiers.ts";
import { checkAll, type Known, oneOf, positive, refuseUnknown } from "./checks.ts";
import type { KnowledgeDocuments } from "./knowledge-documents.ts";

/** An embedding model: any AI SDK embedding model, or `provider:model` (`openai:text-embedding-3-small`), resolved at start-up. */
export type Embedder = EmbeddingModelV4 | EmbeddingModelV3 | string;

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
  /** Shared documents that a server adds when it starts, in the background: new and changed ones. See `folder`. */
  readonly documents?: KnowledgeDocuments;
}

const knowledgeOptions: Known<KnowledgeOptions> = {
  id: true,
  name: true,
  description: true,
  embedder: true,
  chunking: true,
  documents: true,
};

const chunkers: readonly Chunker[] = ["fixed", "sentence", "markdown", "semantic", "row"];

/** A knowledge base: documents that agents search. */
export interface Knowledge<Id extends string = string> extends KnowledgeOptions<Id> {
  readonly kind: "knowledge";
  readonly name: string;
  readonly chunking: Chunking;
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
  if (options.documents !== undefined && typeof options.documents !== "function")
    throw new ConfigurationError(`${title}: documents must be a function, for instance documents: folder("./docs").`);
  const chunking = options.chunking ?? {};
  checkAll(`${title}: chunking`, chunking, { chunker: oneOf(chunkers), size: positive });
  const { size = 400, overlap = 40 } = chunking;
  if (!(Number.isInteger(overlap) && overlap >= 0 && overlap < size))
    throw new ConfigurationError(
      `${title}: chunking.overlap must be a whole number from 0 to below chunking.size (${size}).`,
    );
  return { ...options, kind: "knowledge", name: options.name ?? options.id, chunking };
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
