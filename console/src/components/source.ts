/** Sources as events, records and results of searches contain them. */

/** Name of the tool by which agents search their knowledge. Its result contains sources. */
export const searchTool = "search_knowledge_base";

/** A document or a page that an answer names. */
export interface Source {
  readonly title: string;
  /** The number by which the answer cites it. */
  readonly number: number | undefined;
  /** Where it is in its knowledge base; undefined for other sources. */
  readonly place:
    | { readonly knowledgeId: string; readonly contentId: string; readonly chunk: number | undefined }
    | undefined;
  readonly url: string | undefined;
  /** Page and headings. */
  readonly part: string;
  readonly text: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the sources of citations, of references, or of the result of a search; other values have none. */
export function sourcesIn(value: unknown): readonly Source[] {
  if (typeof value === "string") return /^\s*[{[]/.test(value) ? sourcesIn(parsed(value)) : [];
  if (Array.isArray(value))
    return value.flatMap((one) => sourcesIn((one as Fields | null)?.references ? one : undefined));
  if (typeof value !== "object" || value === null) return [];
  const { documents, urls, results, references } = value as Fields;
  return [documents, results, references, urls].flatMap((list) => (Array.isArray(list) ? list.flatMap(toSource) : []));
}

function toSource(value: unknown): readonly Source[] {
  if (typeof value !== "object" || value === null) return [];
  const outer = value as Fields;
  const fields = { ...outer, ...(outer.meta_data as Fields | undefined) };
  const text = (name: string): string | undefined => {
    const found = fields[name];
    return typeof found === "string" && found !== "" ? found : undefined;
  };
  const count = (name: string): number | undefined => {
    const found = fields[name];
    return typeof found === "number" && Number.isInteger(found) ? found : undefined;
  };
  const [knowledgeId, contentId, page] = [text("knowledge_id"), text("content_id"), count("page")];
  const given = text("url");
  const url = given !== undefined && /^https?:\/\//i.test(given) ? given : undefined;
  const title = text("document_title") ?? text("document") ?? text("title") ?? text("name") ?? url;
  // Results of other tools may be lists of any objects.
  if (title === undefined || (url === undefined && contentId === undefined && text("document_title") === undefined))
    return [];
  const headings = Array.isArray(fields.headings) ? fields.headings.map(String) : [];
  return [
    {
      ...{ title, url, number: count("source"), text: text("cited_text") ?? text("text") },
      place: knowledgeId && contentId ? { knowledgeId, contentId, chunk: count("chunk") } : undefined,
      part: [...(page === undefined ? [] : [`page ${page}`]), ...headings].join(" › "),
    },
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
