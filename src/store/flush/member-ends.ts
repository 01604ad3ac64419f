/** The ends of members in a flush. */
import { isTerminal, type RunStatus } from "../../model/run/run.ts";
import type { MemberEnd, RunWrite } from "../contract/store.ts";

/** The status of unfinished members whose root ends. */
export function statusUnder(ended: RunStatus): "ERROR" | "CANCELLED" {
  return ended === "ERROR" ? "ERROR" : "CANCELLED";
}

/** One end of each member, because a statement writes a row once: the first terminal one, or the last. A member does not stay paused under a root that ends. */
export function memberEndsOf({ memberEnds, transition }: RunWrite): Iterable<MemberEnd> {
  if (!memberEnds?.length) return [];
  const ends = new Map<number, MemberEnd>();
  for (const end of memberEnds) {
    const earlier = ends.get(end.key);
    if (!earlier || !isTerminal(earlier.status)) ends.set(end.key, end);
  }
  if (!transition || !isTerminal(transition.to)) return ends.values();
  const status = statusUnder(transition.to);
  return [...ends.values()].map((end) => (isTerminal(end.status) ? end : { ...end, status }));
}
