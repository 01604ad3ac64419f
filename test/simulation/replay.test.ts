/** A seed replays exactly, and a failing plan is shrunk. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { planOf } from "./generate.ts";
import { runHistory } from "./history.ts";
import { plantedBugs } from "./planted.ts";
import { reportSeed } from "./report.ts";
import { shrink } from "./shrink.ts";
import type { Variant } from "./variant.ts";

const seeds = Array.from({ length: 40 }, (_, n) => 7 + n * 131);

describe("a seed", () => {
  test("produces the same history every time, step by step", async () => {
    for (const seed of seeds) {
      const [one, two] = [await runHistory(seed), await runHistory(seed)];
      expect(two.world.trace.hash(), `seed ${seed}`).toBe(one.world.trace.hash());
      expect([two.steps, two.time]).toEqual([one.steps, one.time]);
    }
  });

  test("produces another history than every other seed", async () => {
    const hashes = new Set<string>();
    for (const seed of seeds) hashes.add((await runHistory(seed)).world.trace.hash());
    expect(hashes.size).toBe(seeds.length);
  });

  test("produces the same history in another process", async () => {
    const main = join(import.meta.dirname, "main.ts");
    const told = execFileSync(process.execPath, [main, "--seed", "7", "--hash"], { encoding: "utf8" });
    expect(told.trim()).toBe((await runHistory(7)).world.trace.hash());
  });
});

describe("a failing seed", () => {
  const { variant } = plantedBugs.find(({ bug }) => bug.startsWith("no process takes over")) as { variant: Variant };

  async function failing(): Promise<number> {
    for (let seed = 1; ; seed++) {
      if (planOf(seed).actions.length > 5 && (await runHistory(seed, variant)).violation?.check === "liveness")
        return seed;
    }
  }

  test("shrinks to fewer actions that break the same guarantee, all of them needed", async () => {
    const plan = planOf(await failing());
    const small = await shrink(plan, "liveness", variant);
    expect(small.plan.actions.length).toBeLessThan(plan.actions.length);
    expect((await runHistory(small.plan, variant)).violation?.check).toBe("liveness");
    for (const place of small.plan.actions.keys()) {
      const without = { ...small.plan, actions: small.plan.actions.filter((_, other) => other !== place) };
      expect((await runHistory(without, variant)).violation?.check).not.toBe("liveness");
    }
  });

  test("is reported with its seed, its actions, the end of its trace and the command that repeats it", async () => {
    const seed = await failing();
    const report = await reportSeed(seed, undefined, variant);
    expect(report).toContain(`Seed ${seed} breaks liveness`);
    expect(report).toContain('{"kind":"start"');
    expect(report).toMatch(/\d {2}p\d\.\d +is killed/);
    expect(report).toMatch(new RegExp(`npm run simulate -- --seed ${seed} --only [\\d,]+$`));
    expect(await reportSeed(seed, undefined)).toBeUndefined();
  });
});
