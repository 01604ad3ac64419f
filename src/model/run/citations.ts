/** The sources that a model names for its answer, in the contract's form. */
export interface Citations {
  readonly urls?: readonly UrlCitation[];
  readonly documents?: readonly DocumentCitation[];
}

export interface UrlCitation {
  readonly url: string;
  readonly title?: string;
}

export interface DocumentCitation {
  readonly document_title: string;
  readonly file_name?: string;
  /** Not in the contract: the document's media type. */
  readonly media_type?: string;
  /** The beginning of the part that is cited, for a document of a knowledge base. */
  readonly cited_text?: string;
  /** Not in the contract, as everything below: the number by which the answer cites it, as in `[1]`. */
  readonly source?: number;
  readonly knowledge_id?: string;
  /** Id of the document in its knowledge base. */
  readonly content_id?: string;
  /** Number of the chunk in its document. */
  readonly chunk?: number;
  /** Page of the document, from 1, if it has pages. */
  readonly page?: number;
  /** Character offsets in the parsed document: first, and after the last. */
  readonly start?: number;
  readonly end?: number;
  /** Headings above the part, outermost first. */
  readonly headings?: readonly string[];
  /** Address of the document. */
  readonly url?: string;
  /** Score of the search that found it, from 0 to 1. */
  readonly score?: number;
}

/** The parts of documents that a search of a run found, in the contract's form. */
export interface KnowledgeReferences {
  readonly query: string;
  readonly references: readonly KnowledgeReference[];
}

/** A part of a document. Its text is not included: it can be longer than the answer, and hooks may have changed what the model received of it. */
export interface KnowledgeReference {
  /** Title of the document. */
  readonly name: string;
  readonly meta_data: Omit<DocumentCitation, "document_title" | "cited_text" | "file_name" | "media_type">;
}

/** Joins the sources of several turns; equal sources are kept once. Returns undefined if there are none. */
export function joinCitations(all: readonly (Citations | undefined)[]): Citations | undefined {
  const urls = distinct(all.flatMap((one) => one?.urls ?? []));
  const documents = distinct(all.flatMap((one) => one?.documents ?? []));
  if (urls.length === 0 && documents.length === 0) return undefined;
  return { ...(urls.length > 0 && { urls }), ...(documents.length > 0 && { documents }) };
}

function distinct<Citation>(citations: readonly Citation[]): readonly Citation[] {
  return [...new Map(citations.map((one) => [JSON.stringify(one), one])).values()];
}
