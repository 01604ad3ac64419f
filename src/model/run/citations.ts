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
