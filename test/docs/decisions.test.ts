/** The numbers of the decisions. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../docs/decisions");

test("each decision has its own number, and each title has the number of its file", () => {
  const files = readdirSync(folder).filter((name) => name !== "README.md");
  expect(new Set(files.map((name) => name.slice(0, 4))).size).toBe(files.length);
  for (const name of files) expect(readFileSync(join(folder, name), "utf8")).toMatch(`# ${Number(name.slice(0, 4))}. `);
});
