import { expect, test } from "vitest";
import { scenarios } from "../crash/points/scenarios.ts";
import { page, rows } from "./support/pages.ts";

test("docs/reliability.md lists exactly the tested crash points", () => {
  const tried = new Map<string, Set<string>>();
  for (const [step, moment] of scenarios.flatMap(({ deaths }) => deaths)) {
    tried.set(step, (tried.get(step) ?? new Set()).add(moment));
  }
  const written = rows(page("docs/reliability.md"), "step").map(([step, killed]) => [step, killed]);
  const ours = [...tried].map(([step, moments]) => [step as string, [...moments].sort().reverse().join(", ")]);
  expect(written.sort()).toEqual(ours.sort());
});
