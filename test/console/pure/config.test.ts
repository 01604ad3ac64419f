/** Configs of components in the console: what a form stores, what differs, and the lines of a difference. */
import { describe, expect, test } from "vitest";
import { diffLines } from "../../../console/src/components/diff-lines.ts";
import { changesBetween, effective, optionIn, withOption } from "../../../console/src/screens/components/config.ts";

const code = { name: "Weather", instructions: "Look it up.", tools: ["get_weather"] };

describe("configs of components", () => {
  test("a config stores only what differs from the code", () => {
    const changed = withOption(code, {}, "instructions", "Be brief.");
    expect(changed).toEqual({ instructions: "Be brief." });
    expect(withOption(code, changed, "instructions", "Look it up.")).toEqual({});
    expect(withOption(code, {}, "tools", [])).toEqual({ tools: [] });
  });

  test("an emptied option removes the code's value, and is not stored without one", () => {
    expect(withOption(code, {}, "instructions", "")).toEqual({ instructions: null });
    expect(withOption(undefined, { instructions: "Be brief." }, "instructions", "")).toEqual({});
  });

  test("runs use the options of the config, and the code's where it has none; null removes one", () => {
    expect(effective(code, { instructions: null, maxSteps: 3 })).toEqual({
      ...{ name: "Weather", tools: ["get_weather"], maxSteps: 3 },
    });
  });

  test("options that are equal are not among the changes", () => {
    expect(changesBetween(code, { ...code, tools: ["get_weather", "calculate"] })).toEqual([
      { option: "tools", before: "get_weather", after: "get_weather\ncalculate" },
    ]);
  });

  test("the option of a server's error is found in its text", () => {
    expect(optionIn('Agent "weather": tools names "none", which the platform does not have: it has none.')).toBe(
      "tools",
    );
    expect(optionIn('Team "desk" has no option "instruction": use "instructions".')).toBe("instruction");
    expect(optionIn("The config is larger than 256 KiB")).toBeUndefined();
  });

  test.each([
    ["", "a", "+a"],
    ["a", "", "-a"],
    ["a\nb\nc", "a\nc", "=a -b =c"],
    ["a\nb", "b\na", "-a =b +a"],
    ["a\nb\nc\nd", "a\nx\nc\ny", "=a -b +x =c -d +y"],
    ["a", "a", "=a"],
  ])("the lines of %j and %j", (before, after, expected) => {
    const signs = { same: "=", removed: "-", added: "+" };
    expect(
      diffLines(before, after)
        .map(({ kind, text }) => signs[kind] + text)
        .join(" "),
    ).toBe(expected);
  });

  test("texts too large to compare are shown as replaced, without their common ends", () => {
    const lines = (name: string): string => Array.from({ length: 2_100 }, (_, at) => `${name} ${at}`).join("\n");
    const found = diffLines(`start\n${lines("old")}\nend`, `start\n${lines("new")}\nend`);
    expect([found[0]?.kind, found.at(-1)?.kind, found.length]).toEqual(["same", "same", 4_202]);
  });
});
