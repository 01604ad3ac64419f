/** State of the screens, in the URL. */
import { choiceIn, type RawSearch } from "../../routing/search.ts";

export interface DatasetSearch {
  /** The form for a new dataset or for more rows, or the form that changes its name. */
  readonly dialog?: "add" | "change" | undefined;
}

export function readDatasetSearch(search: RawSearch): DatasetSearch {
  return { dialog: choiceIn(search, "dialog", ["add", "change"]) };
}
