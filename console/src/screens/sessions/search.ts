/** Filters of the list of sessions, in the URL. */
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

export const sessionKinds = ["agent", "team", "workflow"] as const;
const sessionOrders = ["created_at", "updated_at"] as const;

export interface SessionSearch {
  readonly name?: string | undefined;
  readonly kind?: (typeof sessionKinds)[number] | undefined;
  readonly component?: string | undefined;
  readonly user?: string | undefined;
  readonly sort?: (typeof sessionOrders)[number] | undefined;
  readonly order?: "asc" | undefined;
  readonly page?: number | undefined;
}

export function readSessionSearch(search: RawSearch): SessionSearch {
  return {
    name: textIn(search, "name"),
    kind: choiceIn(search, "kind", sessionKinds),
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
  readonly kind?: (typeof sessionKinds)[number] | undefined;
  readonly user?: string | undefined;
  /** `desc`: the newest run first. Default: the oldest. */
  readonly order?: "desc" | undefined;
}

export function readConversationSearch(search: RawSearch): ConversationSearch {
  return {
    kind: choiceIn(search, "kind", sessionKinds),
    user: textIn(search, "user"),
    order: choiceIn(search, "order", ["desc"]),
  };
}
