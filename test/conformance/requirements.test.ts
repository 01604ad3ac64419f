/** Every requirement of the interface is cited by a test or is listed as pending. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { pending } from "./support/pending.ts";

const requirements: Record<string, string> = JSON.parse(
  readFileSync(new URL("data/requirements.json", import.meta.url), "utf8"),
);
const tests = fileURLToPath(new URL("..", import.meta.url));

/** Ids in square brackets in the titles of tests and suites. */
const cited = new Set(
  readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) =>
      [...readFileSync(`${tests}/${file}`, "utf8").matchAll(/\[([A-Z]\d+)\]/g)].map(([, id]) => String(id)),
    ),
);
const toCome = new Map(pending.flatMap((entry) => entry.ids.split(" ").map((id) => [id, entry] as const)));

test("every requirement is cited by a test or pending", () => {
  const open = Object.keys(requirements).filter((id) => !cited.has(id) && !toCome.has(id));
  expect(open.map((id) => `${id}: ${requirements[id]}`)).toEqual([]);
});

test("every pending requirement exists and is not cited, unless it is partly done", () => {
  expect([...toCome.keys()].filter((id) => !(id in requirements))).toEqual([]);
  const there = [...toCome].filter(([id, entry]) => cited.has(id) && !entry.partly).map(([id]) => id);
  expect(there).toEqual([]);
  const partly = [...toCome].filter(([id, entry]) => !cited.has(id) && entry.partly).map(([id]) => id);
  expect(partly).toEqual([]);
});

test("every cited requirement exists", () => {
  const known = new Set(Object.keys(requirements));
  // The guarantees of the run log (docs/protocol.md) are cited in the same way.
  expect([...cited].filter((id) => !known.has(id) && !/^L[1-8]$/.test(id))).toEqual([]);
});

test("[P13] the sources are TypeScript", () => {
  const sources = readdirSync(fileURLToPath(new URL("../../src", import.meta.url)), {
    recursive: true,
    encoding: "utf8",
  });
  expect(sources.filter((file) => /\.\w+$/.test(file) && !/\.(ts|sql)$/.test(file))).toEqual([]);
});
