/** The report of a failing seed: the guarantee, the smallest plan, the end of its trace, and the command that repeats it. */
import { planOf } from "./generate.ts";
import { runHistory } from "./history.ts";
import type { Plan } from "./plan.ts";
import { shrink, withActions } from "./shrink.ts";
import type { Variant } from "./variant.ts";

const traceLines = 60;

/** Repeats a seed, with only the given actions if specified. Returns a report of its violation, or undefined without a violation. */
export async function reportSeed(
  seed: number,
  only: readonly number[] | undefined,
  variant: Variant = {},
): Promise<string | undefined> {
  const whole = planOf(seed);
  const plan = only ? withActions(whole, only) : whole;
  const { violation } = await runHistory(plan, variant);
  if (!violation) return undefined;
  const small = only ? undefined : await shrink(plan, violation.check, variant);
  const last = await runHistory(small?.plan ?? plan, variant);
  const kept = small?.kept ?? only;
  return [
    `Seed ${seed} breaks ${violation.check}: ${violation.message}`,
    ...(small
      ? [`Made smaller in ${small.histories} histories, to ${small.kept.length} of ${whole.actions.length} actions.`]
      : []),
    describePlan(last.world.plan),
    ...last.world.trace.tail(traceLines),
    `${last.violation?.check}: ${last.violation?.message}`,
    `See it again: npm run simulate -- --seed ${seed}${kept ? ` --only ${kept.join(",")}` : ""}`,
  ].join("\n");
}

function describePlan({ dialect, processes, actions }: Plan): string {
  const told = actions.map((action) => `  ${JSON.stringify(action)}`);
  return [`${processes} process(es) on ${dialect}; actions:`, ...told].join("\n");
}
