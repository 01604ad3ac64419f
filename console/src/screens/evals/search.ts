/** Filters of the list of evals, in the URL. */
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

/** The types of evals. */
export const evalTypes = ["accuracy", "agent_as_judge", "performance", "reliability"] as const;

/** The kinds of components that evals measure. */
export const evalComponentKinds = ["agent", "team"] as const;

export type EvalComponentKind = (typeof evalComponentKinds)[number];

export interface EvalsSearch {
  readonly type?: (typeof evalTypes)[number] | undefined;
  readonly agent?: string | undefined;
  readonly team?: string | undefined;
  readonly page?: number | undefined;
}

export function readEvalsSearch(search: RawSearch): EvalsSearch {
  return {
    type: choiceIn(search, "type", evalTypes),
    agent: textIn(search, "agent"),
    team: textIn(search, "team"),
    page: countIn(search, "page"),
  };
}

/** What the form of a new eval is about. */
export interface NewEvalSearch {
  readonly type?: (typeof evalTypes)[number] | undefined;
  readonly kind?: EvalComponentKind | undefined;
  readonly component?: string | undefined;
}

export function readNewEvalSearch(search: RawSearch): NewEvalSearch {
  return {
    type: choiceIn(search, "type", evalTypes),
    kind: choiceIn(search, "kind", evalComponentKinds),
    component: textIn(search, "component"),
  };
}
