/** The group commit around a single try: waits out transient errors, and isolates the one write that the database rejects. */
import type { Runtime } from "../../model/runtime.ts";
import type { Outcome, Write } from "../contract/store.ts";
import type { TryFlush } from "../database.ts";
import type { Fault } from "../faults.ts";
import { describeFault } from "../faults.ts";
import type { Outages } from "../outages.ts";
import { backoff } from "./backoff.ts";

/** Dependencies of the group commit. */
export interface AppendParts {
  readonly runtime: Runtime;
  readonly attempt: TryFlush;
  readonly faultOf: (error: unknown) => Fault;
  readonly outages: Outages;
  /** Aborts when the store is closed. */
  readonly closed: AbortSignal;
}

/** Writes one flush. Resolves with an outcome for each write; rejects only when the store is closed. */
export async function append(
  writes: readonly Write[],
  parts: AppendParts,
  mayHaveLanded = false,
): Promise<readonly Outcome[]> {
  let suspect = mayHaveLanded;
  for (let tries = 0; ; tries++) {
    if (parts.closed.aborted) throw parts.closed.reason;
    try {
      const outcomes = await parts.attempt(writes, suspect);
      parts.outages.answered();
      return outcomes;
    } catch (error) {
      if (parts.closed.aborted) throw parts.closed.reason;
      const fault = parts.faultOf(error);
      if (fault === "refused") {
        parts.outages.answered();
        return refuse(writes, error as Error, parts, suspect);
      }
      suspect ||= fault === "away";
      // An error that passes at the next try (a deadlock, a busy file) is not an outage.
      if (fault === "away" || tries > 2) parts.outages.failed(error);
      await parts.runtime.clock.sleep(backoff(tries, parts.runtime), parts.closed);
    }
  }
}

/** The database rejects one of the writes: halves the flush until that write is alone. */
async function refuse(
  writes: readonly Write[],
  error: Error,
  parts: AppendParts,
  suspect: boolean,
): Promise<readonly Outcome[]> {
  if (writes.length <= 1) {
    parts.runtime.log.error(describeFault(error), "the database refuses a write");
    return writes.map(() => ({ kind: "failed", error }));
  }
  // Creations are decided first, so they must stay first when the flush is split.
  const order = [...writes.keys()].sort((a, b) => rank(writes[a]) - rank(writes[b]) || a - b);
  const middle = order.length >> 1;
  const outcomes = new Array<Outcome>(writes.length);
  for (const half of [order.slice(0, middle), order.slice(middle)]) {
    const part = await append(
      half.map((place) => writes[place] as Write),
      parts,
      suspect,
    );
    for (const [index, place] of half.entries()) outcomes[place] = part[index] as Outcome;
  }
  return outcomes;
}

function rank(write: Write | undefined): number {
  return write?.kind === "create" ? 0 : 1;
}
