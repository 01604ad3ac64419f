/** Scorers that make no model request. */
import { expect, test } from "vitest";
import { checkScorers, type Scorer } from "../../src/define/scorer.ts";
import type { Judge } from "../../src/runs/evals/judge.ts";
import { type GivenScorer, openScorers, type ScorerParts } from "../../src/runs/evals/scorers.ts";
import { testRuntime } from "../support/runtime.ts";

const partsWith = (scorers: Readonly<Record<string, Scorer>> = {}): ScorerParts => ({
  runtime: testRuntime,
  registry: { hosted: [] } as unknown as ScorerParts["registry"],
  memories: {} as ScorerParts["memories"],
  platform: { scorers },
});

const judge = {} as Judge;
const never = new AbortController().signal;

async function score(scorer: GivenScorer, output: string, expected?: string, parts = partsWith()) {
  const [open] = openScorers(parts, [scorer]);
  const given = { input: "question", output, ...(expected === undefined ? {} : { expected }) };
  const { score, reason } = (await open?.score(given, judge, never)) ?? {};
  return { score, reason };
}

test.each<[GivenScorer, string, string | undefined, number | null]>([
  ["exact", " Paris\n", "Paris", 1],
  ["exact", "paris", "Paris", 0],
  ["exact", "Paris", undefined, null],
  ["contains", "It is PARIS.", "Paris", 1],
  [{ name: "contains", text: "lyon" }, "It is Paris.", "Paris", 0],
  ["regex", "order 42", "order \\d+", 1],
  [{ name: "regex", pattern: "^ORDER", flags: "i" }, "order 42", undefined, 1],
  ["regex", "order", "(", null],
  ["regex", "a".repeat(2_000), "(a{900}|b{900})".repeat(60), null],
  ["regex", "order", "x".repeat(1_001), null],
  ["regex", "2026-11-23", "^\\d{4}-\\d{2}-\\d{2}$", 1],
  ["numeric", "The sum is 1,050.", "1050", 1],
  ["numeric", "3", "1", 0.5],
  ["numeric", "none", "1", 0],
  ["numeric", "-5", "5", 0],
  ["levenshtein", "kitten", "sitting", 1 - 3 / 7],
  ["levenshtein", "", "", 1],
  ["levenshtein", "a".repeat(2_001), "a", null],
  ["json", '{"b":2,"a":1}', '{"a":1,"b":2}', 1],
  ["json", '{"a":1,"b":[1,2]}', '{"a":1,"b":[1,3]}', 2 / 3],
  ["json", '{"a":{"x":1,"y":2}}', '{"b":1}', 0],
  ["json", "[]", "{}", 0],
  ["json", "{", '{"a":1}', 0],
  ["json", "{}", undefined, 1],
  ["json", "{}", "no JSON", null],
])("%j of %j with %j expected is %d", async (scorer, output, expected, wanted) => {
  const made = await score(scorer, output, expected);
  if (wanted === null) expect(made).toEqual({ score: null, reason: expect.any(String) });
  else expect(made.score).toBeCloseTo(wanted, 10);
});

test("a regular expression that takes too long is stopped, and has no score", async () => {
  const made = await score({ name: "regex", pattern: "^(a+)+$" }, `${"a".repeat(60)}b`);
  expect(made).toEqual({ score: null, reason: "The regular expression took longer than 100 ms." });
});

test("a regular expression that was stopped three times is not executed any more", async () => {
  const [open] = openScorers(partsWith(), [{ name: "regex", pattern: "^(a+)+$" }]);
  const reasons: (string | null | undefined)[] = [];
  for (const output of [...Array<string>(3).fill(`${"a".repeat(60)}b`), "a"])
    reasons.push((await open?.score({ input: "question", output }, judge, never))?.reason);
  expect(reasons.at(2)).toBe("The regular expression took longer than 100 ms.");
  expect(reasons.at(3)).toBe("The regular expression was stopped 3 times: it is not executed any more.");
});

test("JSON that is nested too deeply has no score", async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  expect((await score("json", deep, deep)).score).toBeNull();
});

test("a scorer of the platform may return a number, a decision or a result with a reason", async () => {
  const parts = partsWith({
    short: ({ output }) => 1 / output.length,
    polite: async ({ output }) => output.includes("please"),
    rated: () => ({ name: "Rated", score: 0.25, metadata: { rationale: "Too long." } }),
    unknown: () => null,
  });
  expect(await score("short", "four", undefined, parts)).toEqual({ score: 0.25, reason: null });
  expect(await score("polite", "yes, please", undefined, parts)).toEqual({ score: 1, reason: null });
  expect(await score("rated", "x", undefined, parts)).toEqual({ score: 0.25, reason: "Too long." });
  expect(await score("unknown", "x", undefined, parts)).toEqual({ score: null, reason: null });
});

test("a scorer of the platform that fails or returns no score gets null, without its error's text", async () => {
  const parts = partsWith({
    failing: () => {
      throw new Error("secret");
    },
    wrong: () => 7,
  });
  const failed = { score: null, reason: "The scorer failed: the server's log has the details." };
  expect(await score("failing", "x", undefined, parts)).toEqual(failed);
  expect(await score("wrong", "x", undefined, parts)).toEqual(failed);
});

test.each<[readonly GivenScorer[], string]>([
  [["exakt"], 'There is no scorer "exakt". Did you mean "exact"?'],
  [[{ name: "exact", strict: true }], 'The scorer "exact": Unrecognized key: "strict".'],
  [[{ name: "judge" }], 'The scorer "judge": criteria: Invalid input: expected string, received undefined.'],
  [[{ name: "regex", pattern: "(" }], 'The scorer "regex": Invalid regular expression: /(/: Unterminated group.'],
  [
    [{ name: "regex", pattern: "(a{900}|b{900})".repeat(60) }],
    'The scorer "regex": The counts of the regular expression have a product above 1000.',
  ],
  [["exact", "exact"], 'Two scorers have the name "exact": give one of them a label.'],
  [[{ name: "own", text: "x" }], 'The scorer "own" has no option "text".'],
  [
    [{ name: "judge", criteria: "x", model: "openai:o9" }],
    'No component of the platform has the model "openai:o9". It has none.',
  ],
])("%j is rejected", (given, message) => {
  const parts = partsWith({ own: () => 1 });
  expect(() => openScorers(parts, given)).toThrow(expect.objectContaining({ code: "validation", message }));
});

test("two scorers of one kind have labels", () => {
  const given = [
    { name: "contains", label: "cat", text: "cat" },
    { name: "contains", label: "dog", text: "dog" },
  ];
  expect(openScorers(partsWith(), given).map(({ name }) => name)).toEqual(["cat", "dog"]);
});

test.each([
  [{ exact: () => 1 }, 'Platform "p": the scorer "exact" has the name of a built-in scorer: give it another name.'],
  [{ "a b": () => 1 }, 'Platform "p": the scorer "a b" needs a name of 1 to 64 letters, digits, - and _.'],
  [{ own: 1 }, 'Platform "p": the scorer "own" must be a function.'],
  [[], 'Platform "p": scorers must be an object with functions.'],
])("a platform with the scorers %j is rejected", (scorers, message) => {
  expect(() => checkScorers('Platform "p"', scorers)).toThrow(message);
});
