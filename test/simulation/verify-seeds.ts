/** Tests of a range of seeds, one test per part of the range. */
import { expect, test } from "vitest";
import { repetitions } from "../support/repetitions.ts";
import { runSeeds } from "./seeds.ts";

/** Number of histories per test. */
const part = 100;

export function verifySeeds(first: number, count: number): void {
  const parts = Array.from({ length: repetitions(count / part) }, (_, place) => first + place * part);
  test.each(parts)(
    `${part} histories from seed %i keep every guarantee`,
    async (from) => {
      const { failures, counts } = await runSeeds(from, part);
      expect(failures.map(({ report }) => report).join("\n")).toBe("");
      expect(counts.histories).toBe(part);
    },
    300_000,
  );
}
