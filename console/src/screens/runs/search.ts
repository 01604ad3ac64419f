/** Filters of the list of runs, in the URL. */

import { type ComponentKind, componentKinds } from "../../api/component-kinds.ts";
import { choiceIn, type RawSearch, textIn } from "../../routing/search.ts";

export const runStatuses = ["RUNNING", "PAUSED", "PENDING", "COMPLETED", "ERROR", "CANCELLED"] as const;

export interface RunsSearch {
  readonly status?: (typeof runStatuses)[number] | undefined;
  readonly kind?: ComponentKind | undefined;
  readonly component?: string | undefined;
  readonly session?: string | undefined;
  readonly user?: string | undefined;
}

export function readRunsSearch(search: RawSearch): RunsSearch {
  return {
    status: choiceIn(search, "status", runStatuses),
    kind: choiceIn(search, "kind", componentKinds),
    component: textIn(search, "component"),
    session: textIn(search, "session"),
    user: textIn(search, "user"),
  };
}
