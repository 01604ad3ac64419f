/** The V8 flag that the command sets for heap growth: the installed V8 must accept it. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const heap = fileURLToPath(new URL("../../src/cli/heap.ts", import.meta.url));
const processMemory = fileURLToPath(new URL("../../src/platform/process-memory.ts", import.meta.url));

/** Returns the heap sizes and the limits that V8 chose after each collection, in KB. */
function limits(flags: readonly string[]): { readonly size: number; readonly limit: number }[] {
  const script = `
    import { setTimeout } from "node:timers/promises";
    const { allowHeapGrowth } = await import(${JSON.stringify(heap)});
    allowHeapGrowth();
    const kept = Array.from({ length: 200_000 }, (_, place) => ({ place }));
    for (let round = 0; round < 4; round++) {
      await setTimeout(300);
      gc();
    }
    console.log(kept.length);`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--expose-gc", "--trace-gc-verbose", ...flags, "--input-type=module", "--eval", script],
    { encoding: "utf8" },
  );
  expect(stderr).not.toMatch(/flag/i);
  const found = stdout.matchAll(/\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+) KB/g);
  return [...found].map(([, size, limit]) => ({ size: Number(size), limit: Number(limit) }));
}

test("the heap may double before a full collection, unless the process was started with its own growth flag", () => {
  const { size, limit } = limits([]).at(-1) ?? { size: 1, limit: 0 };
  expect(limit / size).toBeGreaterThan(1.9);
  const own = limits(["--heap-growing-percent=20"]).at(-1) ?? { size: 1, limit: 9 };
  expect(own.limit / own.size).toBeLessThan(limit / size - 0.3);
});

test("the command exposes the collector to the server, which can then shrink the heap", () => {
  const script = `
    const { exposeCollection } = await import(${JSON.stringify(heap)});
    const { collectGarbage } = await import(${JSON.stringify(processMemory)});
    let kept = Array.from({ length: 3_000_000 }, (_, place) => ({ place }));
    kept = undefined;
    const before = process.memoryUsage().heapTotal;
    collectGarbage();
    const without = process.memoryUsage().heapTotal;
    exposeCollection();
    collectGarbage();
    console.log(JSON.stringify({ before, without, after: process.memoryUsage().heapTotal }));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  const { before, without, after } = JSON.parse(stdout);
  expect(without).toBeGreaterThan(before / 2);
  expect(after).toBeLessThan(before / 4);
});

/** Size in MiB of the space of new objects, after the command has set its policy and the program has created many objects. */
function newSpaceAfterWork(flags: readonly string[]): number {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { setTimeout } from "node:timers/promises";
    const { boundNewSpace } = await import(${JSON.stringify(heap)});
    boundNewSpace();
    let kept = [];
    for (let round = 0; round < 1_500; round++) {
      for (let place = 0; place < 1_000; place++) kept.push({ round, text: new Array(20).fill(place) });
      if (round % 60 === 0) kept = [];
      if (round % 5 === 0) await setTimeout(1);
    }
    const { space_size } = getHeapSpaceStatistics().find((space) => space.space_name === "new_space");
    console.log(space_size / 2 ** 20);`;
  const { stdout } = spawnSync(process.execPath, [...flags, "--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  return Number(stdout);
}

test("new objects take less of a small heap, unless the process was started with a size for them", () => {
  const small = newSpaceAfterWork(["--max-old-space-size=192"]);
  const chosen = newSpaceAfterWork(["--max-old-space-size=192", "--max-semi-space-size=64"]);
  expect(chosen).toBe(128);
  expect(small).toBeGreaterThan(0);
  expect(small).toBeLessThanOrEqual(64);
});
