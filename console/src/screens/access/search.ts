/** The part of the screen and its filters, in the URL. A token is never in the URL. */
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

export const accessTabs = ["you", "token", "accounts", "connections"] as const;
const accountOrders = ["name", "created_at", "expires_at", "last_used_at"] as const;

export interface AccessSearch {
  /** Default `you`. */
  readonly tab?: (typeof accessTabs)[number] | undefined;
  /** `all` lists revoked accounts, too. */
  readonly show?: "all" | undefined;
  readonly sort?: (typeof accountOrders)[number] | undefined;
  readonly order?: "asc" | undefined;
  readonly page?: number | undefined;
  /** The user whose connected accounts are shown. */
  readonly user?: string | undefined;
}

export function readAccessSearch(search: RawSearch): AccessSearch {
  return {
    tab: choiceIn(search, "tab", accessTabs),
    show: choiceIn(search, "show", ["all"]),
    sort: choiceIn(search, "sort", accountOrders),
    order: choiceIn(search, "order", ["asc"]),
    page: countIn(search, "page"),
    user: textIn(search, "user"),
  };
}
