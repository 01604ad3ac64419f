/** Filters of the list of traces, in the URL. */

import { type ComponentKind, componentKinds } from "../../api/component-kinds.ts";
import { choiceIn, countIn, type RawSearch, textIn } from "../../routing/search.ts";

export const traceStatuses = ["OK", "ERROR"] as const;

/** Periods by their name in the URL, with their length in hours. */
export const tracePeriods = { "1h": 1, "24h": 24, "7d": 168, "30d": 720 } as const;

export interface TraceSearch {
  /** A part of the name, or the id of a trace, run or session. */
  readonly text?: string | undefined;
  readonly status?: (typeof traceStatuses)[number] | undefined;
  readonly kind?: ComponentKind | undefined;
  readonly component?: string | undefined;
  readonly user?: string | undefined;
  readonly session?: string | undefined;
  readonly period?: keyof typeof tracePeriods | undefined;
  /** Minimum duration in milliseconds. */
  readonly slower?: number | undefined;
  readonly page?: number | undefined;
}

export function readTraceSearch(search: RawSearch): TraceSearch {
  return {
    text: textIn(search, "text"),
    status: choiceIn(search, "status", traceStatuses),
    kind: choiceIn(search, "kind", componentKinds),
    component: textIn(search, "component"),
    user: textIn(search, "user"),
    session: textIn(search, "session"),
    period: choiceIn(search, "period", Object.keys(tracePeriods) as (keyof typeof tracePeriods)[]),
    slower: countIn(search, "slower"),
    page: countIn(search, "page"),
  };
}

/** The selected part of a trace, in the URL. */
export interface TraceChoice {
  readonly span?: string | undefined;
  /** Several runs may have the same trace: the run to show. */
  readonly run?: string | undefined;
}

export function readTraceChoice(search: RawSearch): TraceChoice {
  return { span: textIn(search, "span"), run: textIn(search, "run") };
}
