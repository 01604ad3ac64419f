/** Filters of the list of sessions, in the URL. */

import { type ComponentKind, componentKinds } from "../../api/component-kinds.ts";
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

const sessionOrders = ["created_at", "updated_at"] as const;

export interface SessionSearch {
  readonly name?: string | undefined;
  readonly kind?: ComponentKind | undefined;
  readonly component?: string | undefined;
  readonly user?: string | undefined;
  readonly sort?: (typeof sessionOrders)[number] | undefined;
  readonly order?: "asc" | undefined;
  readonly page?: number | undefined;
}

export function readSessionSearch(search: RawSearch): SessionSearch {
  return {
    name: textIn(search, "name"),
    kind: choiceIn(search, "kind", componentKinds),
    component: textIn(search, "component"),
    user: textIn(search, "user"),
    sort: choiceIn(search, "sort", sessionOrders),
    order: choiceIn(search, "order", ["asc"]),
    page: countIn(search, "page"),
  };
}

/** How a conversation is shown, in the URL. */
export interface ConversationSearch {
  /** Needed if sessions of several kinds or users have the same id. */
  readonly kind?: ComponentKind | undefined;
  readonly user?: string | undefined;
  /** `desc`: the newest run first. Default: the oldest. */
  readonly order?: "desc" | undefined;
}

export function readConversationSearch(search: RawSearch): ConversationSearch {
  return {
    kind: choiceIn(search, "kind", componentKinds),
    user: textIn(search, "user"),
    order: choiceIn(search, "order", ["desc"]),
  };
}
