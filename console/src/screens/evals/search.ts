/** Filters of the list of evals, in the URL. */
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

/** The types of evals. */
export const evalTypes = ["accuracy", "agent_as_judge", "performance", "reliability"] as const;

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
