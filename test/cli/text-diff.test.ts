/** The unified diff of the command line. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLines, unifiedDiff } from "../../src/cli/text-diff.ts";

test("a diff shows changed lines with three lines around them, and the numbers of the lines", () => {
  const before = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
  const after = ["a", "b", "c", "d", "E", "f", "g", "h", "i", "j", "k", "l"];
  expect(unifiedDiff(before, after)).toEqual([
    ...["@@ -2,10 +2,11 @@", " b", " c", " d", "-e", "+E", " f", " g", " h", " i", " j", " k", "+l"],
  ]);
  expect(unifiedDiff(before, before)).toEqual([]);
  expect(unifiedDiff([], ["x"])).toEqual(["@@ -1,0 +1,1 @@", "+x"]);
  const far = [...before, ..."lmnopqrstuv"];
  expect(unifiedDiff(far, ["A", ...far.slice(1, -1), "V"]).filter((line) => line.startsWith("@@"))).toEqual([
    ...["@@ -1,4 +1,4 @@", "@@ -19,4 +19,4 @@"],
  ]);
});

test("a diff leads from the first list to the second, for any two lists", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const result: string[] = [];
      let at = 0;
      for (const line of unifiedDiff(before, after)) {
        const start = /^@@ -(\d+),/.exec(line)?.[1];
        if (start !== undefined) {
          while (at < Number(start) - 1) result.push(before[at++] ?? "");
        } else if (line[0] === "+") {
          result.push(line.slice(1));
        } else {
          expect(before[at]).toBe(line.slice(1));
          if (line[0] === " ") result.push(line.slice(1));
          at++;
        }
      }
      expect([...result, ...before.slice(at)]).toEqual(after);
    }),
  );
});

test("very long lists are compared without their common ends only", () => {
  const before = Array.from({ length: 6_000 }, (_, place) => `line ${place}`);
  const after = ["first", ...before.slice(1, 3_000), "middle", ...before.slice(3_001)];
  const lines = unifiedDiff(before, after);
  expect(lines.filter((line) => line.startsWith("-"))).toHaveLength(3_001);
  expect(lines.at(0)).toBe("@@ -1,3004 +1,3004 @@");
});

test("JSON is shown with sorted members and one line for each line of a text", () => {
  const value = { tools: ["a", { b: 1 }], instructions: "one\ntwo", empty: [], none: null, limits: { tokens: 5 } };
  expect(jsonLines(value).slice(1)).toEqual([
    ...["empty: []", "instructions: |", "    one", "    two", "limits:", "  tokens: 5", "none: null", "tools:"],
    ...['  - "a"', "  -", "    b: 1"],
  ]);
});
