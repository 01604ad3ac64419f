/** The group commit around a single try: waits out transient errors, and isolates the one write that the database rejects. */
import type { Runtime } from "../../model/runtime.ts";
import type { Outcome, Write } from "../contract/store.ts";
import type { TryFlush } from "../database.ts";
import type { DatabaseErrorKind } from "../database-errors.ts";
import { describeError } from "../database-errors.ts";
import type { Outages } from "../outages.ts";
import { backoff } from "./backoff.ts";

/** Dependencies of the group commit. */
export interface CommitParts {
  readonly runtime: Runtime;
  readonly tryFlush: TryFlush;
  readonly classify: (error: unknown) => DatabaseErrorKind;
  readonly outages: Outages;
  /** Aborts when the store is closed. */
  readonly closed: AbortSignal;
}

/** Writes one flush. Resolves with an outcome for each write; rejects only when the store is closed. */
export async function commitWrites(
  writes: readonly Write[],
  parts: CommitParts,
  mayHaveCommittedBefore = false,
): Promise<readonly Outcome[]> {
  let mayHaveCommitted = mayHaveCommittedBefore;
  for (let tries = 0; ; tries++) {
    if (parts.closed.aborted) throw parts.closed.reason;
    try {
      const outcomes = await parts.tryFlush(writes, mayHaveCommitted);
      parts.outages.responded();
      return outcomes;
    } catch (error) {
      if (parts.closed.aborted) throw parts.closed.reason;
      const kind = parts.classify(error);
      if (kind === "permanent") {
        parts.outages.responded();
        return isolateRejected(writes, error as Error, parts, mayHaveCommitted);
      }
      mayHaveCommitted ||= kind === "disconnected";
      // An error that passes at the next try (a deadlock, a busy file) is not an outage.
      if (kind === "disconnected" || tries > 2) parts.outages.failed(error);
      await parts.runtime.clock.sleep(backoff(tries, parts.runtime), parts.closed);
    }
  }
}

/** The database rejects one of the writes: halves the flush until that write is alone. */
async function isolateRejected(
  writes: readonly Write[],
  error: Error,
  parts: CommitParts,
  mayHaveCommitted: boolean,
): Promise<readonly Outcome[]> {
  if (writes.length <= 1) {
    parts.runtime.log.error(describeError(error), "the database rejects a write");
    return writes.map(() => ({ kind: "failed", error }));
  }
  // Creations are decided first, so they must stay first when the flush is split.
  const order = [...writes.keys()].sort((a, b) => decisionOrder(writes[a]) - decisionOrder(writes[b]) || a - b);
  const middle = order.length >> 1;
  const outcomes = new Array<Outcome>(writes.length);
  for (const indexes of [order.slice(0, middle), order.slice(middle)]) {
    const part = await commitWrites(
      indexes.map((place) => writes[place] as Write),
      parts,
      mayHaveCommitted,
    );
    for (const [index, place] of indexes.entries()) outcomes[place] = part[index] as Outcome;
  }
  return outcomes;
}

function decisionOrder(write: Write | undefined): number {
  return write?.kind === "create" ? 0 : 1;
}
