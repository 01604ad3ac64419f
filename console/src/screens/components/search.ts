/** State of the screens, in the URL. */
import { type ComponentKind, componentKinds } from "../../api/component-kinds.ts";
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

export interface ComponentsSearch {
  readonly kind?: ComponentKind | undefined;
  /** A part of the name or the id. */
  readonly text?: string | undefined;
  readonly dialog?: "create" | undefined;
}

export function readComponentsSearch(search: RawSearch): ComponentsSearch {
  return {
    kind: choiceIn(search, "kind", componentKinds),
    text: textIn(search, "text"),
    dialog: choiceIn(search, "dialog", ["create"]),
  };
}

/** A version, or the definition in code. */
export type Side = number | "code";

export interface ComponentSearch {
  /** The two sides of a comparison. */
  readonly from?: Side | undefined;
  readonly to?: Side | undefined;
  /** What the editor begins with: a draft is changed, and anything else becomes a new draft. */
  readonly edit?: Side | "new" | undefined;
}

export function readComponentSearch(search: RawSearch): ComponentSearch {
  return {
    from: sideIn(search, "from"),
    to: sideIn(search, "to"),
    edit: search.edit === "new" ? "new" : sideIn(search, "edit"),
  };
}

function sideIn(search: RawSearch, name: string): Side | undefined {
  return search[name] === "code" ? "code" : countIn(search, name);
}
