/** Filters of the list of learnings, in the URL. */
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

export interface LearningsSearch {
  readonly type?: string | undefined;
  readonly user?: string | undefined;
  readonly session?: string | undefined;
  readonly entity?: string | undefined;
  readonly order?: "asc" | undefined;
  readonly page?: number | undefined;
  /** Id of the learning that is shown. */
  readonly open?: string | undefined;
  /** User of the shown learning: several users may have a learning of one id. */
  readonly owner?: string | undefined;
  readonly dialog?: "create" | undefined;
}

export function readLearningsSearch(search: RawSearch): LearningsSearch {
  return {
    type: textIn(search, "type"),
    user: textIn(search, "user"),
    session: textIn(search, "session"),
    entity: textIn(search, "entity"),
    order: choiceIn(search, "order", ["asc"]),
    page: countIn(search, "page"),
    open: textIn(search, "open"),
    owner: textIn(search, "owner"),
    dialog: choiceIn(search, "dialog", ["create"]),
  };
}
