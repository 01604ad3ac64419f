/** Results of evals, in the members and the order of the contract. */
import type { EvalIteration, EvalRequest, EvaluatedCall } from "../../model/eval.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** The end of an eval. Its row stores it as JSON text. */
export interface EvalResult {
  /** `eval_data` on the wire. */
  readonly data: JsonObject;
  /** Whether the component meets the expectations; null if the eval has none. */
  readonly passed: boolean | null;
  /** Why the eval was given up. */
  readonly error?: string | undefined;
}

/** Max characters of each text of a result. */
const maxText = 4_000;

/** Mean, extremes and sample standard deviation. */
interface Statistics {
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  readonly deviation: number;
}

function statisticsOf(values: readonly number[]): Statistics | undefined {
  if (values.length === 0) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
  return { mean, min: Math.min(...values), max: Math.max(...values), deviation };
}

/** The value below which a part of the values is, with linear interpolation. */
function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** Shortens a text for a result. The run has all of it. */
export function shortened(text: string): string {
  if (text.length <= maxText) return text;
  const cut = text.slice(0, maxText);
  // Not within a surrogate pair.
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** Returns the result of an eval. @param iterations all finished iterations, warm-ups too */
export function resultOf(request: EvalRequest, iterations: readonly EvalIteration[]): EvalResult {
  const measured = iterations.filter(({ number }) => number >= 0);
  const failed = measured.filter(({ error }) => error !== undefined);
  const errors =
    failed.length === 0
      ? {}
      : { errors: failed.map(({ number, error, ...run }) => ({ iteration: number, error, ...namesOf(run) })) };
  const good = measured.filter(({ error }) => error === undefined);
  const { data, passed } = results[request.type](request, good);
  return { data: { ...data, ...errors }, passed: failed.length > 0 ? false : passed };
}

/** The run of an iteration, for its record. */
function namesOf({ runId, sessionId }: Pick<EvalIteration, "runId" | "sessionId">): JsonObject {
  return { run_id: runId, session_id: sessionId ?? null };
}

const results = {
  accuracy: accuracyOf,
  agent_as_judge: judgementOf,
  performance: performanceOf,
  reliability: reliabilityOf,
} as const;

function accuracyOf(
  { input, expectedOutput, threshold }: EvalRequest,
  iterations: readonly EvalIteration[],
): EvalResult {
  const rows = iterations.map(({ output, score, reason, scores, ...run }) => ({
    ...{ input: shortened(input), output, expected_output: shortened(expectedOutput ?? "") },
    ...{ score: score ?? null, reason: reason ?? null, ...namesOf(run) },
    ...(scores ? { scores } : {}),
  }));
  const given = iterations.flatMap(({ score }) => (score == null ? [] : [score]));
  const sums = statisticsOf(given);
  const data = {
    results: rows,
    ...{ avg_score: sums?.mean ?? null, mean_score: sums?.mean ?? null },
    ...{ min_score: sums?.min ?? null, max_score: sums?.max ?? null, std_dev_score: sums?.deviation ?? null },
  };
  const isComplete = given.length === iterations.length;
  return { data, passed: isComplete && sums !== undefined && sums.mean >= threshold };
}

function judgementOf({ input, criteria = "" }: EvalRequest, iterations: readonly EvalIteration[]): EvalResult {
  const rows = iterations.map(({ output, score, reason, passed, ...run }) => ({
    ...{ input: shortened(input), output, criteria: shortened(criteria) },
    ...{ score: score ?? null, reason: reason ?? null, passed: passed ?? false, ...namesOf(run) },
  }));
  const sums = statisticsOf(iterations.flatMap(({ score }) => (score == null ? [] : [score])));
  const passes = rows.filter(({ passed }) => passed).length;
  const data = {
    results: rows,
    ...{ avg_score: sums?.mean ?? null, min_score: sums?.min ?? null, max_score: sums?.max ?? null },
    ...{ std_dev_score: sums?.deviation ?? null, pass_rate: rows.length === 0 ? 0 : (passes / rows.length) * 100 },
  };
  return { data, passed: rows.length > 0 && passes === rows.length };
}

function performanceOf(_request: EvalRequest, iterations: readonly EvalIteration[]): EvalResult {
  const times = iterations.map(({ duration }) => duration ?? 0);
  const memories = iterations.map(({ memory }) => memory ?? 0);
  const sums = { ...sumsOf("run_time", times), ...sumsOf("memory_usage", memories) };
  const runs = iterations.map(({ duration = 0, memory = 0, ...run }) => ({
    runtime: duration,
    memory,
    ...namesOf(run),
  }));
  // The reference answers `POST` with the one form, and `GET` with the other.
  return { data: { run_times: times, memory_usages: memories, ...sums, result: sums, runs }, passed: null };
}

function sumsOf(name: string, values: readonly number[]): JsonObject {
  const sums = statisticsOf(values);
  return {
    [`avg_${name}`]: sums?.mean ?? 0,
    [`min_${name}`]: sums?.min ?? 0,
    [`max_${name}`]: sums?.max ?? 0,
    [`std_dev_${name}`]: sums?.deviation ?? 0,
    [`median_${name}`]: quantile(values, 0.5),
    [`p95_${name}`]: quantile(values, 0.95),
  };
}

/** The tool calls of one iteration, compared with those that are expected. */
interface CheckedCalls {
  readonly passed: readonly string[];
  readonly additional: readonly string[];
  readonly missing: readonly string[];
  readonly failedArguments: readonly string[];
  readonly passedArguments: readonly string[];
}

function reliabilityOf(request: EvalRequest, iterations: readonly EvalIteration[]): EvalResult {
  const checked = iterations.map(({ calls = [] }) => checkCalls(request, calls));
  const all = (list: keyof CheckedCalls): readonly string[] => checked.flatMap((one) => one[list]);
  const failed = [...all("missing"), ...(request.allowsOtherTools ? [] : all("additional"))];
  const passed = iterations.length > 0 && failed.length === 0 && all("failedArguments").length === 0;
  const data = {
    eval_status: passed ? "PASSED" : "FAILED",
    failed_tool_calls: failed,
    passed_tool_calls: all("passed"),
    additional_tool_calls: all("additional"),
    missing_tool_calls: all("missing"),
    failed_argument_checks: all("failedArguments"),
    passed_argument_checks: all("passedArguments"),
  };
  return { data, passed };
}

function checkCalls(
  { expectedTools = [], expectedArguments = {} }: EvalRequest,
  calls: readonly EvaluatedCall[],
): CheckedCalls {
  const names = calls.map(({ name }) => name);
  const isExpected = (name: string): boolean => expectedTools.includes(name);
  const [passedArguments, failedArguments]: [string[], string[]] = [[], []];
  for (const [name, expected] of Object.entries(expectedArguments)) {
    const made = calls.filter((call) => call.name === name);
    for (const one of Array.isArray(expected) ? expected : [expected]) {
      const isMade = made.some((call) => contains(call.arguments, one));
      (isMade ? passedArguments : failedArguments).push(name);
    }
  }
  return {
    passed: names.filter(isExpected),
    additional: names.filter((name) => !isExpected(name)),
    missing: expectedTools.filter((name) => !names.includes(name)),
    ...{ passedArguments, failedArguments },
  };
}

/** Whether a value has all members of an expected value, at any depth. Lists and other values must be equal. */
function contains(value: unknown, expected: unknown): boolean {
  if (typeof expected !== "object" || expected === null) return value === expected;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  if (Array.isArray(value) && value.length !== (expected as readonly unknown[]).length) return false;
  return Object.entries(expected).every(([name, one]) =>
    contains(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined, one),
  );
}
