/** The shared counters that a flush changes, and their totals. */
import type { CountedUsage, Outcome, Write } from "../contract/store.ts";
import { counterName } from "../contract/usage.ts";
import type { FlushChanges } from "./facts.ts";

/** The amounts that a flush adds, in the order of their names: all flushes lock counters in this order, so that they never deadlock. */
export function countedUsage({ usage }: FlushChanges): readonly CountedUsage[] {
  return [...usage].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, amount]) => amount);
}

/** Adds to the outcomes the totals of the counters that their writes changed. */
export function withTotals(
  writes: readonly Write[],
  outcomes: readonly Outcome[],
  totals: readonly CountedUsage[],
): readonly Outcome[] {
  if (totals.length === 0) return outcomes;
  const byName = new Map(totals.map((total) => [counterName(total), total]));
  return outcomes.map((outcome, place) => {
    const write = writes[place];
    if (outcome.kind !== "committed" || write?.kind !== "run" || !write.usage?.length) return outcome;
    const names = new Set(write.usage.map(counterName));
    return { ...outcome, usage: [...names].flatMap((name) => byName.get(name) ?? []) };
  });
}
