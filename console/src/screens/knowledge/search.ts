/** What the screens of knowledge show, in the URL. */
import { choiceIn, countIn, indexIn, type RawSearch, textIn } from "../../routing/search.ts";

export const documentStatuses = ["processing", "completed", "failed"] as const;
export const documentOrders = ["created_at", "updated_at", "name", "status", "size"] as const;
/** The tabs beside the documents. */
export const baseTabs = ["search", "sources"] as const;
export const searchModes = ["hybrid", "lexical", "vector"] as const;

export type DocumentOrder = (typeof documentOrders)[number];
export type SearchMode = (typeof searchModes)[number];

/** The list of documents, and the search. */
export interface BaseSearch {
  readonly status?: (typeof documentStatuses)[number] | undefined;
  /** Default: the latest change. */
  readonly sort?: DocumentOrder | undefined;
  readonly order?: "asc" | undefined;
  readonly page?: number | undefined;
  readonly dialog?: "add" | undefined;
  /** Default: the documents. */
  readonly tab?: (typeof baseTabs)[number] | undefined;
  /** The source whose files are shown. Default: the first one. */
  readonly source?: string | undefined;
  /** A folder of the source. Default: its root. */
  readonly prefix?: string | undefined;
  /** The searched text. */
  readonly q?: string | undefined;
  readonly mode?: SearchMode | undefined;
  /** A JSON object. */
  readonly filters?: string | undefined;
}

export function readBaseSearch(search: RawSearch): BaseSearch {
  const filters = search.filters;
  return {
    status: choiceIn(search, "status", documentStatuses),
    sort: choiceIn(search, "sort", documentOrders),
    order: choiceIn(search, "order", ["asc"]),
    page: countIn(search, "page"),
    dialog: choiceIn(search, "dialog", ["add"]),
    tab: choiceIn(search, "tab", baseTabs),
    source: textIn(search, "source"),
    prefix: textIn(search, "prefix"),
    q: textIn(search, "q"),
    mode: choiceIn(search, "mode", searchModes),
    filters: typeof filters === "object" && filters !== null ? JSON.stringify(filters) : textIn(search, "filters"),
  };
}

/** The chunks of a document. */
export interface DocumentSearch {
  /** Number of the chunk that is shown first and marked. */
  readonly chunk?: number | undefined;
  readonly page?: number | undefined;
  readonly dialog?: "edit" | undefined;
}

export function readDocumentSearch(search: RawSearch): DocumentSearch {
  return {
    chunk: indexIn(search, "chunk"),
    page: countIn(search, "page"),
    dialog: choiceIn(search, "dialog", ["edit"]),
  };
}
