/**
 * The step interpreter against a simple reference interpreter. For any tree of containers, both return the same result, execute every step equally often
 * and emit paired events, also when the process dies at any commits and another process recovers the run.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { condition, loop, parallel, router, step, steps } from "../../src/define/workflow/steps.ts";
import type { StepContext, StepNode } from "../../src/define/workflow/types.ts";
import { containerOutcome, recordOf } from "../../src/engine/loops/workflow/containers.ts";
import type { Effects, Flow } from "../../src/engine/loops/workflow/effects.ts";
import { runSequence } from "../../src/engine/loops/workflow/interpret.ts";

/** A tree as data. */
type Tree =
  | { kind: "leaf"; stops: boolean }
  | { kind: "group" | "parallel"; trees: Tree[] }
  | { kind: "condition"; holds: boolean; trees: Tree[]; others: Tree[] }
  | { kind: "loop"; passes: number; max: number; trees: Tree[] }
  | { kind: "router"; chosen: number[]; trees: Tree[] };

const { tree } = fc.letrec<{ tree: Tree }>((tie) => {
  const trees = fc.array(tie("tree"), { minLength: 1, maxLength: 3 });
  return {
    tree: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant("leaf" as const), stops: fc.constant(false) }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("leaf" as const), stops: fc.nat(9).map((one) => one === 0) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("group" as const), trees }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("parallel" as const), trees }) },
      {
        weight: 2,
        arbitrary: fc.record({
          ...{ kind: fc.constant("condition" as const), holds: fc.boolean(), trees },
          others: fc.array(tie("tree"), { maxLength: 2 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          ...{ kind: fc.constant("loop" as const), passes: fc.integer({ min: 1, max: 4 }) },
          ...{ max: fc.integer({ min: 1, max: 3 }), trees },
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant("router" as const), chosen: fc.array(fc.nat(2)), trees }),
      },
    ),
  };
});

type Outputs = ReadonlyMap<string, unknown>;

/** The reference's result: the last content, contents of all executed steps by name, executed leaves, and whether the workflow stops. */
interface Came {
  content: string;
  outputs: Outputs;
  done: readonly string[];
  stops: boolean;
}

/** Content of a leaf: a hash of its whole input, short because nested loops repeat it. */
function digest(content: string, outputs: Outputs, name: string): string {
  const given = JSON.stringify([content, [...outputs].sort()]);
  return `${createHash("sha1").update(given).digest("hex")}>${name}`;
}

/** The reference interpreter: no rows, no events, one step after the other. */
function simple(trees: readonly Tree[], before: Came, names: string): Came {
  let now = before;
  for (const [place, one] of trees.entries()) {
    now = simpleOne(one, now, `${names}.${place}`);
    if (now.stops) break;
  }
  return now;
}

function simpleOne(one: Tree, before: Came, name: string): Came {
  const came = inside(one, before, name);
  return { ...came, outputs: new Map(came.outputs).set(name, came.content) };
}

function inside(one: Tree, before: Came, name: string): Came {
  switch (one.kind) {
    case "leaf": {
      const content = digest(before.content, before.outputs, name);
      return { ...before, content, done: [...before.done, name], stops: one.stops };
    }
    case "group":
      return simple(one.trees, before, name);
    case "parallel": {
      // Branches do not see each other: each starts from the outputs before the block.
      const ends = one.trees.map((inner, place) => simpleOne(inner, { ...before, done: [] }, `${name}.${place}`));
      const parts = ends.map((end, place) => `### ✅ SUCCESS: ${name}.${place}\n${end.content}`);
      return {
        content: `## Parallel Execution Results\n\n${parts.join("\n\n")}`,
        outputs: new Map([
          ...before.outputs,
          ...ends.flatMap(({ outputs }, place) => own(outputs, `${name}.${place}`)),
        ]),
        done: [...before.done, ...ends.flatMap(({ done }) => done)],
        stops: ends.some(({ stops }) => stops),
      };
    }
    case "condition":
      return one.holds ? simple(one.trees, before, name) : simple(one.others, before, `${name}.else`);
    case "loop": {
      let came = before;
      for (let pass = 1; pass <= Math.min(one.passes, one.max) && !came.stops; pass++) {
        came = simple(one.trees, came, name);
      }
      return came;
    }
    case "router": {
      let came = before;
      for (const place of new Set(one.chosen.map((chosen) => chosen % one.trees.length))) {
        came = simpleOne(one.trees[place]!, came, `${name}.${place}`);
        if (came.stops) break;
      }
      return came;
    }
  }
}

/** The outputs of a branch and of the steps in it. */
function own(outputs: Outputs, branch: string): [string, unknown][] {
  return [...outputs].filter(([name]) => `${name}.`.startsWith(`${branch}.`));
}

/** The same tree as a definition. */
function define(trees: readonly Tree[], names: string): StepNode[] {
  return trees.map((one, place) => defineOne(one, `${names}.${place}`));
}

function defineOne(one: Tree, name: string): StepNode {
  switch (one.kind) {
    case "leaf":
      return step({ name, run: () => one.stops });
    case "group":
      return steps({ name, steps: define(one.trees, name) });
    case "parallel":
      return parallel({ name, steps: define(one.trees, name) });
    case "condition":
      return condition({
        ...{ name, if: () => one.holds, steps: define(one.trees, name) },
        ...(one.others.length > 0 && { else: define(one.others, `${name}.else`) }),
      });
    case "loop":
      return loop({
        ...{ name, max: one.max, steps: define(one.trees, name) },
        until: (context) => asked(context) >= one.passes,
      });
    case "router":
      return router({
        ...{ name, choices: define(one.trees, name) },
        choose: () => [...new Set(one.chosen.map((chosen) => `${name}.${chosen % one.trees.length}`))],
      });
  }
}

/** The pass of the loop in which a function is called: the end of the idempotency key. */
function asked({ idempotencyKey }: StepContext): number {
  return Number(/@(\d+)$/.exec(idempotencyKey)?.[1]);
}

class Died extends Error {}

/** Effects in memory: committed marks and events stay, the others are lost when the process dies. */
class World {
  readonly committed = new Map<string, unknown>();
  readonly events: string[] = [];
  readonly done: string[] = [];
  #waiting: [string, unknown][] = [];
  #told: string[] = [];
  #commits = 0;
  #isDead = false;
  readonly #diesAt: Set<number>;

  constructor(diesAt: readonly number[]) {
    this.#diesAt = new Set(diesAt);
  }

  /** The effects of a new process, which reads the committed marks. */
  restart(): Effects {
    this.#waiting = [];
    this.#told = [];
    this.#isDead = false;
    const mine = new Map(this.committed);
    const check = (): void => {
      if (this.#isDead) throw new Died();
    };
    return {
      workflowId: "w",
      runId: "r",
      mark: (name) => mine.get(name),
      setMark: (name, value) => {
        check();
        mine.set(name, value);
        this.#waiting.push([name, value]);
      },
      emit: (place, event) => {
        check();
        this.#told.push(`${event} ${place.path}`);
      },
      now: () => 0,
      commit: async () => {
        check();
        await Promise.resolve();
        check();
        if (this.#diesAt.has(this.#commits++)) {
          this.#isDead = true;
          throw new Died();
        }
        for (const [name, value] of this.#waiting.splice(0)) {
          this.committed.set(name, JSON.parse(JSON.stringify(value)));
          if (/^step:/.test(name) && "record" in (value as object)) this.done.push(name);
        }
        this.events.push(...this.#told.splice(0));
      },
      call: async (place, _flow, _said, of) => {
        await Promise.resolve();
        check();
        return await of({ idempotencyKey: place.path } as StepContext);
      },
      executeStep: async (place, flow, { id }) => {
        await Promise.resolve();
        check();
        expect(
          this.committed.has(`step:${place.path}`),
          `${place.path} executes again although it is committed (${id})`,
        ).toBe(false);
        const content = digest(contentOf(flow), flow.outputs, place.name);
        const node = place.node as Extract<StepNode, { type: "Step" }>;
        const stop = Boolean(await node.run?.({} as StepContext));
        return { record: recordOf(place, { content, stop, executor_type: "function" }), content };
      },
      sleep: async () => undefined,
      cancel: () => {
        throw new Error("no step of this test cancels");
      },
    };
  }
}

const start: Flow = { input: "start", previous: undefined, outputs: new Map(), records: new Map() };

function contentOf({ input, previous }: Flow): string {
  return String(previous ? previous.content : input);
}

async function run(world: World, nodes: readonly StepNode[]): Promise<Flow> {
  for (;;) {
    try {
      return (await runSequence(world.restart(), nodes, start)).flow;
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    }
  }
}

const trees = fc.array(tree, { minLength: 1, maxLength: 4 });

test("any tree of containers returns the reference interpreter's result, whenever its process dies", async () => {
  await fc.assert(
    fc.asyncProperty(trees, fc.array(fc.nat(60), { maxLength: 6 }), async (given, diesAt) => {
      const expected = simple(given, { content: "start", outputs: new Map(), done: [], stops: false }, "n");
      const world = new World(diesAt);
      const flow = await run(world, define(given, "n"));
      expect(contentOf(flow)).toBe(expected.content);
      expect(flow.outputs).toEqual(expected.outputs);
      const leaves = world.done.filter((name) => isLeaf(world.committed.get(name)));
      expect(leaves).toHaveLength(expected.done.length);
      // Each step finishes once: a name that occurs twice was executed twice.
      expect(new Set(world.done).size).toBe(world.done.length);
    }),
    { numRuns: 400 },
  );
});

test("every container that starts completes once, and its steps complete between the two events", async () => {
  await fc.assert(
    fc.asyncProperty(trees, fc.array(fc.nat(60), { maxLength: 4 }), async (given, diesAt) => {
      const world = new World(diesAt);
      await run(world, define(given, "n"));
      const open: string[] = [];
      const begun: string[] = [];
      for (const line of world.events) {
        const [event = "", path = ""] = line.split(" ");
        if (event.endsWith("ExecutionStarted")) {
          expect(begun).not.toContain(path);
          begun.push(path);
          open.push(path);
        } else if (event.endsWith("ExecutionCompleted")) {
          expect(open).toContain(path);
          open.splice(open.indexOf(path), 1);
        } else if (event === "StepCompleted" && path.includes(".")) {
          const container = path.slice(0, path.lastIndexOf(".")).replace(/@\d+$/, "");
          expect(open).toContain(container);
        }
      }
      expect(open).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("an empty container returns the previous content", () => {
  const place = { node: { type: "Steps" }, name: "x", stepId: "i" } as never;
  const previous = { content: "before", record: {} } as never;
  expect(
    containerOutcome(place, { outcomes: [], flow: { input: "start", previous }, stops: false }, "text").content,
  ).toBe("before");
});

function isLeaf(outcome: unknown): boolean {
  return (outcome as { record?: { step_type?: string } }).record?.step_type === "Step";
}
