/** Documents of a knowledge base that code provides. */

/** A document that code provides. */
export interface KnowledgeDocument {
  /** Identifies it among the documents of the knowledge base, and tells its form: `guides/start.md`. */
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Default: by the extension of the name. */
  readonly mediaType?: string;
  /** Title that clients and citations show. Default: the name. */
  readonly title?: string;
  readonly description?: string;
  /** Values for filters. `url` is the address that citations link to. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** Reads documents. A server calls it when it starts, in the background. */
export type KnowledgeDocuments = (
  signal: AbortSignal,
) => Iterable<KnowledgeDocument> | AsyncIterable<KnowledgeDocument> | Promise<Iterable<KnowledgeDocument>>;
