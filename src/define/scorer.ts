/** Scorers that a platform defines: functions that compare a run's output with what was expected. */
import { ConfigurationError } from "../errors.ts";

/** A case for a scorer. The names are those of `autoevals` and other collections of scorers. */
export interface ScorerCase {
  /** The message of the run. */
  readonly input: string;
  /** The content of the run's answer; JSON text if the content is an object. */
  readonly output: string;
  /** The expected answer. Missing if the case has none. */
  readonly expected?: string;
}

/** The result of a scorer. */
export interface ScorerResult {
  /** From 0 to 1. Null: the case cannot be scored, and means leave it out. */
  readonly score: number | null;
  /** A sentence that explains the score. */
  readonly reason?: string;
  /** Its `rationale` explains the score if there is no `reason`. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/**
 * Scores the output of a run: from 0 to 1, or a result with a reason. It must end within a minute. The scorers of `autoevals` have this form.
 *
 * @example
 * ```ts
 * definePlatform({ id: "newsroom", agents: [researcher], scorers: { polite: ({ output }) => (output.includes("please") ? 1 : 0) } });
 * ```
 */
export type Scorer = (
  given: ScorerCase,
) => number | boolean | null | ScorerResult | Promise<number | boolean | null | ScorerResult>;

/** Scorers by name. */
export type Scorers = Readonly<Record<string, Scorer>>;

/** Names of the built-in scorers. */
export const builtInScorers = [
  "exact",
  "contains",
  "regex",
  "json",
  "numeric",
  "levenshtein",
  "judge",
  "factuality",
] as const;

const nameForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Returns the scorers of a platform. @throws ConfigurationError naming the scorer and the fix */
export function checkScorers(platform: string, given: unknown): Scorers {
  if (given === undefined) return {};
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ConfigurationError(`${platform}: scorers must be an object with functions.`);
  for (const [name, scorer] of Object.entries(given)) {
    const title = `${platform}: the scorer ${JSON.stringify(name)}`;
    if (!nameForm.test(name))
      throw new ConfigurationError(`${title} needs a name of 1 to 64 letters, digits, - and _.`);
    if (builtInScorers.some((one) => one === name))
      throw new ConfigurationError(`${title} has the name of a built-in scorer: give it another name.`);
    if (typeof scorer !== "function") throw new ConfigurationError(`${title} must be a function.`);
  }
  return Object.freeze({ ...(given as Scorers) });
}
