/** What the run screen shows, in the URL. */
import { choiceIn, indexIn, type RawSearch, textIn } from "../../routing/search.ts";

export const runTabs = ["timeline", "graph", "events", "checkpoints", "record"] as const;
export type RunTab = (typeof runTabs)[number];

export interface RunSearch {
  /** Session of the run. Callers who see only their own runs need it. */
  readonly session?: string | undefined;
  readonly tab?: RunTab | undefined;
  /** The selected row of the timeline: index of its first event. */
  readonly row?: number | undefined;
  /** Name of the events to show. */
  readonly type?: string | undefined;
  /** Text that the shown events contain. */
  readonly text?: string | undefined;
  /** The event that is scrolled to. */
  readonly event?: number | undefined;
}

export function readRunSearch(search: RawSearch): RunSearch {
  return {
    session: textIn(search, "session"),
    tab: choiceIn(search, "tab", runTabs),
    row: indexIn(search, "row"),
    type: textIn(search, "type"),
    text: textIn(search, "text"),
    event: indexIn(search, "event"),
  };
}
