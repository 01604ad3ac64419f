/** Scorers of evals and experiments. */
import type { components } from "./schema.ts";

/** A scorer with its options, or its name. */
export type GivenScorer = NonNullable<components["schemas"]["EvalRunInput"]["scorers"]>[number];

/** Scorers of every server. */
export const scorerNames = [
  "exact",
  "contains",
  "levenshtein",
  "numeric",
  "json",
  "regex",
  "judge",
  "factuality",
] as const;

/** The chosen scorers, and their options. An empty option is not sent. */
export interface ScorerChoice {
  readonly names: readonly string[];
  /** Texts by option: `text` of contains, `pattern` of regex, `criteria` of judge. */
  readonly options: Readonly<Partial<Record<ScorerOption, string>>>;
}

/** The option that a person can enter for each scorer that has one. */
export const scorerOptions = { contains: "text", regex: "pattern", judge: "criteria" } as const;

type ScorerOption = (typeof scorerOptions)[keyof typeof scorerOptions];

/** Whether each scorer has what it needs: the judge has criteria. */
export function isComplete({ names, options }: ScorerChoice): boolean {
  return !names.includes("judge") || Boolean(options.criteria?.trim());
}

export function toScorers({ names, options }: ScorerChoice): GivenScorer[] {
  return names.map((name) => {
    const option = (scorerOptions as Readonly<Record<string, ScorerOption>>)[name];
    const value = option && options[option]?.trim();
    return option && value ? { name, [option]: value } : name;
  });
}
