/** Filters of the list of memories, in the URL. */
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

export interface MemoriesSearch {
  /** A part of the text. */
  readonly text?: string | undefined;
  readonly user?: string | undefined;
  readonly topic?: string | undefined;
  readonly order?: "asc" | undefined;
  readonly page?: number | undefined;
  /** Id of the memory that is shown. */
  readonly open?: string | undefined;
  readonly dialog?: "create" | undefined;
}

export function readMemoriesSearch(search: RawSearch): MemoriesSearch {
  return {
    text: textIn(search, "text"),
    user: textIn(search, "user"),
    topic: textIn(search, "topic"),
    order: choiceIn(search, "order", ["asc"]),
    page: countIn(search, "page"),
    open: textIn(search, "open"),
    dialog: choiceIn(search, "dialog", ["create"]),
  };
}
