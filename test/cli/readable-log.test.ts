/** The log format for terminals. */
import { expect, test } from "vitest";
import { readable } from "../../src/cli/readable-log.ts";
import { jsonLog } from "../../src/platform/runtime.ts";

function linesOf(log: (to: ReturnType<typeof jsonLog>) => void): string {
  const lines: string[] = [];
  log(jsonLog("debug", { write: (line) => void lines.push(readable(line, (_, plain) => plain)) }));
  return lines.join("");
}

test("a line contains time, level, message and fields, but not process and host", () => {
  const text = linesOf((log) => log.warn({ runId: "7c4", runs: 2, path: ["a b"] }, "Runs wait."));
  expect(text).toMatch(/^\d\d:\d\d:\d\d warn {2}Runs wait\. runId=7c4 runs=2 path=\["a b"\]\n$/);
});

test("an error's stack and cause follow its line", () => {
  const error = new Error("It broke.", { cause: new TypeError("inner") });
  const text = linesOf((log) => log.error({ error }, "A run failed."));
  expect(text).toMatch(/^\S+ error A run failed\.\n {2}Error: It broke\.\n {6}at /);
  expect(text).toContain("message: 'inner'");
});

test("control characters of a text are escaped", () => {
  const text = linesOf((log) => log.info({ name: "a\u001b[2Jb", other: "\u009b1m" }, "Odd\r\nline\u0007"));
  expect(text).toMatch(/info {2}Odd\\u000d\\u000aline\\u0007 name="a\\u001b\[2Jb" other="\\u009b1m"\n$/);
});
