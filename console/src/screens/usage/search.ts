/** The period and the groups of the screen with usage, in the URL. */
import { choiceIn, type RawSearch, textIn } from "../../routing/search.ts";

/** Periods by their name in the URL, with their number of days. */
export const periods = { "1d": 1, "7d": 7, "30d": 30, "90d": 90 } as const;
export const measures = ["cost", "tokens", "requests"] as const;
export const groupings = ["component", "model", "user", "day"] as const;

export interface UsageSearch {
  /** Default `7d`. */
  readonly period?: keyof typeof periods | undefined;
  /** What the chart of days shows. Default `cost`. */
  readonly measure?: (typeof measures)[number] | undefined;
  /** What durations are grouped by. Default `component`. */
  readonly by?: (typeof groupings)[number] | undefined;
  /** The user whose limits are shown. Default: the caller. */
  readonly user?: string | undefined;
  /** The session whose limits are shown. */
  readonly session?: string | undefined;
}

export function readUsageSearch(search: RawSearch): UsageSearch {
  return {
    period: choiceIn(search, "period", Object.keys(periods) as (keyof typeof periods)[]),
    measure: choiceIn(search, "measure", measures),
    by: choiceIn(search, "by", groupings),
    user: textIn(search, "user"),
    session: textIn(search, "session"),
  };
}
