/** Shrinks a failing plan: removes actions while the rest still breaks the same guarantee. */
import { runHistory } from "./history.ts";
import type { Plan } from "./plan.ts";
import type { Variant } from "./variant.ts";

/** The smallest failing plan found, with the indexes of its actions in the whole plan. */
export interface Shrunk {
  readonly plan: Plan;
  readonly kept: readonly number[];
  readonly histories: number;
}

/** Delta debugging: large parts first, then ever smaller ones, then single actions. */
export async function shrink(plan: Plan, check: string, variant: Variant = {}): Promise<Shrunk> {
  let kept = [...plan.actions.keys()];
  let histories = 0;
  const fails = async (places: readonly number[]): Promise<boolean> => {
    histories++;
    const { violation } = await runHistory(withActions(plan, places), variant);
    return violation?.check === check;
  };
  for (let size = kept.length >> 1; size >= 1; ) {
    let shrank = false;
    for (let start = 0; start < kept.length; start += size) {
      const rest = [...kept.slice(0, start), ...kept.slice(start + size)];
      if (rest.length === kept.length || !(await fails(rest))) continue;
      kept = rest;
      shrank = true;
      start -= size;
    }
    if (!shrank || size > kept.length) size >>= 1;
  }
  return { plan: withActions(plan, kept), kept, histories };
}

/** Returns the plan with only these actions. */
export function withActions(plan: Plan, places: readonly number[]): Plan {
  return { ...plan, actions: places.flatMap((place) => plan.actions[place] ?? []) };
}
