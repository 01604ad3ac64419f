/** What an eval has found, in a few words. */
import type { components } from "../../api/schema.ts";

type Eval = components["schemas"]["EvalSchema"];

/** The mean score of accuracy and of numeric judges, the mean time of performance, or undefined. */
export function resultOf({
  eval_type: type,
  eval_data: data,
}: Pick<Eval, "eval_type" | "eval_data">): string | undefined {
  const number = (name: string): number | undefined => {
    const found = data[name];
    return typeof found === "number" ? found : undefined;
  };
  if (type === "performance") {
    const seconds = number("avg_run_time");
    return seconds === undefined ? undefined : `${Number(seconds.toPrecision(3))} s`;
  }
  const score = number("avg_score");
  return score === undefined ? undefined : `${Number(score.toFixed(1))} of 10`;
}

export function nameOfType(type: string): string {
  return type.replaceAll("_", " ");
}
