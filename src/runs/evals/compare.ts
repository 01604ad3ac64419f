/** Comparisons of texts without a model. Each returns a score from 0 to 1, or why there is none. */
import { runInNewContext } from "node:vm";

/** A score with its explanation. */
export interface Score {
  /** From 0 to 1; null if there is none. */
  readonly score: number | null;
  readonly reason: string | null;
}

/** Max characters of texts whose distance is computed: the time grows with the product of their lengths. */
const maxDistanceLength = 2_000;

/** Milliseconds after which a regular expression is stopped: it executes in the thread that serves requests. */
const maxMatchDuration = 100;

const scoreOf = (isEqual: boolean): Score => ({ score: isEqual ? 1 : 0, reason: null });
const noScore = (reason: string): Score => ({ score: null, reason });

/** The score of an expression that was stopped. */
export const tooSlow: Score = noScore(`The regular expression took longer than ${maxMatchDuration} ms.`);

/** Whether the output is the expected text, apart from spaces around it. */
export function compareExactly(output: string, expected: string): Score {
  return scoreOf(output.trim() === expected.trim());
}

/** Whether the output contains a text, in any case. */
export function searchText(output: string, text: string): Score {
  return scoreOf(output.toLowerCase().includes(text.trim().toLowerCase()));
}

/** Max characters of a regular expression. */
export const maxExpression = 1_000;

/** Max product of the counts in a regular expression: `a{10}|b{10}` has 100. */
const maxCounts = 1_000;

/**
 * Why an expression is not executed; undefined for one that is. The engine compiles counted repetitions by copies of their bodies, and no time-out stops it
 * while it compiles: `(a{900}|b{900})` sixty times would block the process for more than ten minutes.
 */
export function faultOfExpression(pattern: string): string | undefined {
  if (pattern.length > maxExpression) return `The regular expression has more than ${maxExpression} characters.`;
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, min, max]) => Number(max || min) || 1);
  if (counts.reduce((product, count) => product * count, 1) <= maxCounts) return undefined;
  return `The counts of the regular expression have a product above ${maxCounts}.`;
}

/** Whether a part of the output matches a regular expression that has no fault. */
export function matchExpression(output: string, pattern: string, flags: string): Score {
  try {
    // A script in a context of its own has a time-out, which also stops a match.
    const code = "new RegExp(pattern, flags).test(text)";
    const found: unknown = runInNewContext(code, { pattern, flags, text: output }, { timeout: maxMatchDuration });
    return scoreOf(found === true);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return tooSlow;
    // The engine compiles an expression at its first match, and rejects some large ones only then.
    return noScore("The regular expression cannot be executed.");
  }
}

/** One minus the number of changed characters divided by the length of the longer text. */
export function compareLetters(output: string, expected: string): Score {
  const longer = Math.max(output.length, expected.length);
  if (longer > maxDistanceLength)
    return noScore(`A text has more than ${maxDistanceLength} characters, the maximum of this scorer.`);
  return { score: longer === 0 ? 1 : 1 - distance(output, expected) / longer, reason: null };
}

/** Levenshtein distance: insertions, deletions and replacements of single characters. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] as number) + (one[line - 1] === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] as number) + 1, (next[column - 1] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}

/** The first number of a text. A comma separates thousands. */
function numberIn(text: string): number | undefined {
  const found = /-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?/i.exec(text);
  const number = found ? Number(found[0].replaceAll(",", "")) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** One minus the difference of the first numbers of both texts, relative to their sum. */
export function compareNumbers(output: string, expected: string): Score {
  const wanted = numberIn(expected);
  if (wanted === undefined) return noScore("The expected output contains no number.");
  const found = numberIn(output);
  if (found === undefined) return { score: 0, reason: "The output contains no number." };
  const sum = Math.abs(wanted) + Math.abs(found);
  return { score: sum === 0 ? 1 : Math.max(0, 1 - Math.abs(wanted - found) / sum), reason: null };
}

/** The part of the values of both JSON documents that are equal. Without an expected document: whether the output is JSON. */
export function compareJson(output: string, expected: string | undefined): Score {
  const wanted = expected === undefined ? undefined : parsed(expected);
  if (expected !== undefined && !wanted) return noScore("The expected output is not JSON.");
  const found = parsed(output);
  if (!found) return { score: 0, reason: "The output is not JSON." };
  if (!wanted) return scoreOf(true);
  try {
    const { equal, all } = leavesOf(found.value, wanted.value);
    const reason = equal === all ? null : `${equal} of ${all} values are equal.`;
    return { score: equal / all, reason };
  } catch (error) {
    if (error instanceof RangeError) return noScore("The JSON is nested too deeply.");
    throw error;
  }
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

interface Leaves {
  readonly equal: number;
  readonly all: number;
}

/** Compares two JSON values. Undefined stands for a value that only the other document has. */
function leavesOf(one: unknown, other: unknown): Leaves {
  const [left, right] = [membersOf(one), membersOf(other)];
  const isAlike = (left && right && left.isList === right.isList) || one === undefined || other === undefined;
  if (!(left || right) || !isAlike) return { equal: one === other ? 1 : 0, all: 1 };
  const names = new Set([...(left?.members.keys() ?? []), ...(right?.members.keys() ?? [])]);
  if (names.size === 0) return { equal: left && right ? 1 : 0, all: 1 };
  let [equal, all] = [0, 0];
  for (const name of names) {
    const sums = leavesOf(left?.members.get(name), right?.members.get(name));
    equal += sums.equal;
    all += sums.all;
  }
  return { equal, all };
}

function membersOf(value: unknown): { readonly isList: boolean; readonly members: Map<string, unknown> } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return { isList: Array.isArray(value), members: new Map(Object.entries(value)) };
}
