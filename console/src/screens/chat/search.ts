/** The session and the run of a chat, in the URL. */
import { type RawSearch, textIn } from "../../routing/search.ts";

export interface ChatSearch {
  /** Absent for a new session. */
  readonly session?: string | undefined;
  /** The run that was started or opened last. */
  readonly run?: string | undefined;
}

export function readChatSearch(search: RawSearch): ChatSearch {
  return { session: textIn(search, "session"), run: textIn(search, "run") };
}
