/** Filters of the list of runs, in the URL. */
import { choiceIn, type RawSearch, textIn } from "../../routing/search.ts";

export const runStatuses = ["RUNNING", "PAUSED", "PENDING", "COMPLETED", "ERROR", "CANCELLED"] as const;
export const runKinds = ["agent", "team", "workflow"] as const;

export interface RunsSearch {
  readonly status?: (typeof runStatuses)[number] | undefined;
  readonly kind?: (typeof runKinds)[number] | undefined;
  readonly component?: string | undefined;
  readonly session?: string | undefined;
  readonly user?: string | undefined;
}

export function readRunsSearch(search: RawSearch): RunsSearch {
  return {
    status: choiceIn(search, "status", runStatuses),
    kind: choiceIn(search, "kind", runKinds),
    component: textIn(search, "component"),
    session: textIn(search, "session"),
    user: textIn(search, "user"),
  };
}
