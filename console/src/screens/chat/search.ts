/** The session and the run of a chat, in the URL. */
import { countIn, type RawSearch, textIn } from "../../routing/search.ts";

export interface ChatSearch {
  /** Absent for a new session. */
  readonly session?: string | undefined;
  /** The run that was started or opened last. */
  readonly run?: string | undefined;
  /** The version of the component that new runs try. Absent: the one that all runs use. */
  readonly version?: number | undefined;
}

export function readChatSearch(search: RawSearch): ChatSearch {
  return { session: textIn(search, "session"), run: textIn(search, "run"), version: countIn(search, "version") };
}
