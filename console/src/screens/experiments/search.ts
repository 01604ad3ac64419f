/** State of the screens, in the URL. */
import { type ComponentKind, componentKinds } from "../../api/component-kinds.ts";
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";
import type { TrialVersion } from "./versions.ts";

export interface ExperimentsSearch {
  readonly kind?: ComponentKind | undefined;
  readonly component?: string | undefined;
  readonly dataset?: string | undefined;
  /** The measure of the chart. */
  readonly measure?: string | undefined;
}

export function readExperimentsSearch(search: RawSearch): ExperimentsSearch {
  return {
    kind: choiceIn(search, "kind", componentKinds),
    component: textIn(search, "component"),
    dataset: textIn(search, "dataset"),
    measure: textIn(search, "measure"),
  };
}

export interface NewSearch extends ExperimentsSearch {
  /** The two sides; undefined for the version that new runs use. */
  readonly a?: TrialVersion;
  readonly b?: TrialVersion;
}

export function readNewSearch(search: RawSearch): NewSearch {
  return { ...readExperimentsSearch(search), a: versionIn(search, "a"), b: versionIn(search, "b") };
}

function versionIn(search: RawSearch, name: string): TrialVersion {
  return search[name] === "code" ? "code" : countIn(search, name);
}
