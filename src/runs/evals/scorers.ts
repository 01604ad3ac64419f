/** Scorers: built-in ones and those of the platform. A scorer gives an output a score from 0 to 1. */
import { z } from "zod";
import { nearestOf } from "../../define/checks.ts";
import type { Platform } from "../../define/platform.ts";
import { builtInScorers, type Scorer, type ScorerCase } from "../../define/scorer.ts";
import { RunFailure } from "../../engine/loops/contract.ts";
import { TroupeError } from "../../errors.ts";
import { abortable } from "../../model/abortable.ts";
import type { GivenScorer } from "../../model/eval.ts";
import type { BackgroundUsage } from "../../store/contract/usage-days.ts";
import type { RunParts } from "../parts.ts";
import { findModel } from "../platform-models.ts";
import {
  compareExactly,
  compareJson,
  compareLetters,
  compareNumbers,
  faultOfExpression,
  matchExpression,
  maxExpression,
  type Score,
  searchText,
  tooSlow,
} from "./compare.ts";
import { type Judge, type Judgement, type JudgeTask, judgeCriteria, judgeFacts } from "./judge.ts";

export type { ScorerCase } from "../../define/scorer.ts";
export type { GivenScorer } from "../../model/eval.ts";
export type { Score } from "./compare.ts";

/** Max scorers of one eval or experiment. */
export const maxScorers = 10;

/** Milliseconds after which a scorer of the platform is given up. */
const maxScorerDuration = 60_000;

/** Matches of one expression that are stopped, before it is not executed any more. */
const maxStopped = 3;

const tooOftenStopped: Score = {
  score: null,
  reason: `The regular expression was stopped ${maxStopped} times: it is not executed any more.`,
};

const label = z.string().min(1).max(100).optional();
const text = z.string().min(1).max(8_000);
const model = z.string().min(1).max(200).optional();
const flags = z
  .string()
  .regex(/^[imsu]{0,4}$/, "flags are of i, m, s and u")
  .optional();

const choices = z.discriminatedUnion("name", [
  z.strictObject({ name: z.literal("exact"), label }),
  z.strictObject({ name: z.literal("contains"), label, text: text.optional() }),
  z.strictObject({ name: z.literal("regex"), label, pattern: z.string().min(1).max(maxExpression).optional(), flags }),
  z.strictObject({ name: z.literal("json"), label }),
  z.strictObject({ name: z.literal("numeric"), label }),
  z.strictObject({ name: z.literal("levenshtein"), label }),
  z.strictObject({ name: z.literal("judge"), label, criteria: text, model }),
  z.strictObject({ name: z.literal("factuality"), label, model }),
]);

/** A built-in scorer with its options. */
type BuiltInChoice = z.output<typeof choices>;

/** A score, and the usage of the model requests that it took. */
export interface ScoredCase extends Score {
  /** The caller stores it in the transaction that stores the score. */
  readonly usage: BackgroundUsage | undefined;
}

/** A scorer that can be used. */
export interface OpenScorer {
  /** Its label; default: its name. Unique among the scorers of one eval. */
  readonly name: string;
  /** Whether it makes model requests. */
  readonly usesModel: boolean;
  /**
   * Never throws for a failure of the scorer: the score is null then, and the reason says why.
   * @param payer pays for model requests, and judges with its model unless the scorer names another one. Without it, scorers that use a model have no score.
   * @throws the signal's reason
   */
  score(given: ScorerCase, payer: Judge | undefined, signal: AbortSignal): Promise<ScoredCase>;
}

/** Dependencies of scorers. */
export interface ScorerParts extends Pick<RunParts, "registry" | "runtime"> {
  readonly platform: Pick<Platform, "scorers">;
  readonly memories: Pick<RunParts["memories"], "requests">;
}

/**
 * Checks scorers and returns them ready for use.
 * @throws TroupeError `validation` for an unknown scorer or option, an invalid expression, an unknown model, or two scorers with one name
 */
export function openScorers(parts: ScorerParts, given: readonly GivenScorer[]): readonly OpenScorer[] {
  if (given.length > maxScorers) throw invalid(`There are more than ${maxScorers} scorers.`);
  const open = given.map((one) => openOne(parts, typeof one === "string" ? { name: one } : one));
  const names = new Set<string>();
  for (const { name } of open) {
    if (names.has(name)) throw invalid(`Two scorers have the name "${name}": give one of them a label.`);
    names.add(name);
  }
  return open;
}

type Named = Exclude<GivenScorer, string>;

function openOne(parts: ScorerParts, given: Named): OpenScorer {
  const { scorers } = parts.platform;
  const custom = Object.hasOwn(scorers, given.name) ? scorers[given.name] : undefined;
  if (custom) return openCustom(parts, custom, given);
  const known = [...builtInScorers, ...Object.keys(scorers)];
  if (!known.includes(given.name)) {
    const meant = nearestOf(given.name, known);
    const hint = meant ? `Did you mean "${meant}"?` : `There are ${known.join(", ")}.`;
    throw invalid(`There is no scorer ${JSON.stringify(given.name)}. ${hint}`);
  }
  const read = choices.safeParse(given);
  if (!read.success) throw invalid(`The scorer "${given.name}": ${faultOf(read.error)}.`);
  const choice = read.data;
  const name = choice.label ?? choice.name;
  if (choice.name === "judge" || choice.name === "factuality") return openJudge(parts, choice, name);
  if (choice.name === "regex" && choice.pattern !== undefined) checkExpression(choice.pattern, choice.flags);
  let stopped = 0;
  return {
    name,
    usesModel: false,
    async score(scored) {
      // Each match that is stopped has blocked the process for its whole time.
      if (stopped >= maxStopped) return { ...tooOftenStopped, usage: undefined };
      const made = compare(choice, scored);
      if (made === tooSlow) stopped += 1;
      return { ...made, usage: undefined };
    },
  };
}

function faultOf({ issues: [issue] }: z.ZodError): string {
  const place = issue?.path.join(".");
  return place ? `${place}: ${issue?.message}` : `${issue?.message}`;
}

function checkExpression(pattern: string, given: string | undefined): void {
  const fault = faultOfExpression(pattern);
  if (fault !== undefined) throw invalid(`The scorer "regex": ${fault}`);
  try {
    new RegExp(pattern, given);
  } catch (error) {
    throw invalid(`The scorer "regex": ${(error as Error).message}.`);
  }
}

type Comparison = Exclude<BuiltInChoice, { readonly name: "judge" | "factuality" }>;

function compare(choice: Comparison, { output, expected }: ScorerCase): Score {
  if (choice.name === "json") return compareJson(output, expected);
  if (choice.name === "contains" && choice.text !== undefined) return searchText(output, choice.text);
  if (choice.name === "regex" && choice.pattern !== undefined)
    return matchExpression(output, choice.pattern, choice.flags ?? "");
  if (expected === undefined) return { score: null, reason: "The case has no expected output." };
  switch (choice.name) {
    case "exact":
      return compareExactly(output, expected);
    case "contains":
      return searchText(output, expected);
    case "numeric":
      return compareNumbers(output, expected);
    case "levenshtein":
      return compareLetters(output, expected);
    case "regex":
      return matchExpected(output, expected, choice.flags);
  }
}

/** The expected output of a case is its expression. */
function matchExpected(output: string, expected: string, given = ""): Score {
  const fault = faultOfExpression(expected);
  if (fault !== undefined) return { score: null, reason: fault };
  try {
    new RegExp(expected, given);
  } catch {
    return { score: null, reason: "The expected output is not a regular expression." };
  }
  return matchExpression(output, expected, given);
}

type JudgeChoice = Extract<BuiltInChoice, { readonly name: "judge" | "factuality" }>;

function openJudge(parts: ScorerParts, choice: JudgeChoice, name: string): OpenScorer {
  const { requests } = parts.memories;
  const own = choice.model === undefined ? undefined : findModel(parts, { id: choice.model }).model;
  const ask = async (judge: Judge, task: JudgeTask): Promise<Judgement<Score>> => {
    if (choice.name === "factuality") return await judgeFacts(requests, judge, task);
    const { verdict, usage } = await judgeCriteria(requests, judge, task, choice.criteria);
    return { verdict: verdict && { score: verdict.score / 10, reason: verdict.reason }, usage };
  };
  return {
    name,
    usesModel: true,
    async score(given, payer, signal) {
      if (choice.name === "factuality" && given.expected === undefined)
        return { score: null, reason: "The case has no expected output.", usage: undefined };
      if (!payer) return { score: null, reason: "There is no model that could judge.", usage: undefined };
      try {
        const { verdict, usage } = await ask(own ? { ...payer, model: own } : payer, { given, signal });
        const unclear = { score: null, reason: "The judge's answers do not match their schema." };
        return { ...(verdict ?? unclear), usage };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RunFailure || error instanceof TroupeError)) throw error;
        return { score: null, reason: error.message, usage: undefined };
      }
    },
  };
}

function openCustom({ runtime }: ScorerParts, scorer: Scorer, { name, label: given, ...others }: Named): OpenScorer {
  const [option] = Object.keys(others);
  if (option !== undefined) throw invalid(`The scorer "${name}" has no option ${JSON.stringify(option)}.`);
  const read = label.safeParse(given);
  if (!read.success) throw invalid(`The scorer "${name}": label: ${read.error.issues[0]?.message}.`);
  return {
    name: read.data ?? name,
    usesModel: false,
    async score(scored, _payer, signal) {
      const late = new AbortController();
      const stop = runtime.clock.after(maxScorerDuration, () => late.abort(new Error("The scorer took too long.")));
      try {
        const made = await abortable((async () => await scorer(scored))(), AbortSignal.any([signal, late.signal]));
        return { ...toScore(name, made), usage: undefined };
      } catch (error) {
        signal.throwIfAborted();
        runtime.log.warn({ error, scorer: name }, "A scorer of the platform failed.");
        return { score: null, reason: "The scorer failed: the server's log has the details.", usage: undefined };
      } finally {
        stop();
      }
    },
  };
}

/** @throws Error for a value that is not a score */
function toScore(name: string, made: Awaited<ReturnType<Scorer>>): Score {
  const { score, reason, metadata } =
    typeof made === "object" && made !== null ? made : { score: made === true ? 1 : made === false ? 0 : made };
  if (score !== null && !(typeof score === "number" && score >= 0 && score <= 1))
    throw new Error(
      `The scorer "${name}" returned ${JSON.stringify(score)}: a score is a number from 0 to 1, or null.`,
    );
  const rationale = metadata?.rationale;
  return { score, reason: reason ?? (typeof rationale === "string" ? rationale : null) };
}

function invalid(message: string): TroupeError {
  return new TroupeError("validation", message);
}

/** The scores that all scorers give a case, each under the name of its scorer, and what they used. */
export async function scoreAll(
  scorers: readonly OpenScorer[],
  given: ScorerCase,
  judge: Judge | undefined,
  signal: AbortSignal,
): Promise<{
  readonly scores: readonly (Score & { readonly name: string })[];
  readonly usage: readonly BackgroundUsage[];
}> {
  const made = await Promise.all(
    scorers.map(async (scorer) => ({ name: scorer.name, ...(await scorer.score(given, judge, signal)) })),
  );
  return {
    scores: made.map(({ name, score, reason }) => ({ name, score, reason })),
    usage: made.flatMap(({ usage }) => (usage ? [usage] : [])),
  };
}
