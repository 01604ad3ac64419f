/** Options of steps: retries, time-outs, failures, confirmations and reviews, schemas, and outputs. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform } from "../../src/define/platform.ts";
import { condition, loop, parallel, router, step, stepOutput, steps } from "../../src/define/workflow/steps.ts";
import type { StepContext, WorkflowOptions } from "../../src/define/workflow/types.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { createServer, type Server } from "../../src/platform/server.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { databaseOptions } from "../conformance/support/server.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";

interface Run {
  run_id: string;
  status: string;
  content: unknown;
  detail?: string;
  step_results: { step_name: string; success: boolean; content: unknown; error: string | null }[];
  step_requirements: Record<string, unknown>[];
}

interface ExecutorRun {
  run_id: string;
  workflow_step_id: string;
  step_executor_runs?: ExecutorRun[];
}

interface StepResult {
  step_id: string;
  step_run_id: string;
}

/** A workflow on a server of its own. */
class Bench implements AsyncDisposable {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  static async open(database: TestDatabase, options: Omit<WorkflowOptions, "id">): Promise<Bench> {
    const workflow = defineWorkflow({ id: "flow", sessionPolicy: "parallel", ...options });
    const platform = definePlatform({ id: "test", workflows: [workflow] });
    return new Bench(await createServer(platform, { ...databaseOptions(database), logLevel: "silent" }));
  }

  async #post(path: string, fields: Record<string, string>): Promise<Run> {
    const payload = new URLSearchParams({ session_id: "s", stream: "false", ...fields }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return (await this.#server.inject({ method: "POST", url: `/workflows/flow/runs${path}`, headers, payload })).json();
  }

  start(message = "hello"): Promise<Run> {
    return this.#post("", { message });
  }

  /** Answers the open requirements, which are the last of the list: answered ones come first. */
  answer({ run_id, step_requirements }: Run, ...changes: object[]): Promise<Run> {
    const answered = step_requirements.length - changes.length;
    const answers = step_requirements.map((requirement, place) => ({ ...requirement, ...changes[place - answered] }));
    return this.#post(`/${run_id}/continue`, { step_requirements: JSON.stringify(answers) });
  }

  async list(): Promise<Run[]> {
    return (await this.#server.inject({ method: "GET", url: "/workflows/flow/runs" })).json();
  }

  async events({ run_id }: Run): Promise<string[]> {
    const { body } = await this.#server.inject({ method: "POST", url: `/workflows/flow/runs/${run_id}/resume` });
    return [...body.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name ?? "").filter((name) => name !== "replay");
  }

  /** Data of the run's events. */
  async told({ run_id }: Run): Promise<Record<string, unknown>[]> {
    const { body } = await this.#server.inject({ method: "POST", url: `/workflows/flow/runs/${run_id}/resume` });
    return [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? ""));
  }

  /** Data of the run's last event. */
  async last(run: Run): Promise<Record<string, unknown>> {
    return (await this.told(run)).at(-1) ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close({ shutdownTimeout: 0 });
  }
}

eachDatabase("workflow steps", (openDatabase) => {
  const open = async (options: Omit<WorkflowOptions, "id">) => Bench.open(await openDatabase(), options);

  test("a failing step is retried retries.times times, with the same idempotency key", async () => {
    const keys: string[] = [];
    const run = ({ idempotencyKey }: StepContext): string => {
      keys.push(idempotencyKey);
      if (keys.length < 3) throw new Error("not yet");
      return "at last";
    };
    await using bench = await open({ steps: [step({ name: "a", run, retries: { times: 2, delay: 1 } })] });
    const done = await bench.start();
    expect([done.status, done.content, keys.length]).toEqual(["COMPLETED", "at last", 3]);
    expect(new Set(keys)).toEqual(new Set([`${done.run_id}/0`]));
    expect(await bench.events(done)).toEqual([
      ...["WorkflowStarted", "StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"],
    ]);
  });

  test("a step that exceeds its timeout fails the run by default, and is skipped with onError skip", async () => {
    const never = ({ signal }: StepContext) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", reject));
    const after = step({ name: "after", run: ({ previous }) => `after ${previous}` });
    await using skips = await open({ steps: [step({ name: "a", run: never, timeout: 20, onError: "skip" }), after] });
    const skipped = await skips.start();
    expect(skipped.status).toBe("COMPLETED");
    expect(skipped.step_results[0]).toMatchObject({ success: false, error: "It took longer than 0.02 s." });
    expect(await skips.events(skipped)).toEqual([
      ...["WorkflowStarted", "StepStarted", "StepError", "StepCompleted"],
      ...["StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"],
    ]);
    await using fails = await open({ steps: [step({ name: "a", run: never, timeout: 20 }), after] });
    const failed = await fails.start();
    expect([failed.status, failed.detail]).toEqual(["ERROR", "The step a failed: It took longer than 0.02 s."]);
  });

  test("a failed step with onError pause pauses the run, and the answer retries or skips the step", async () => {
    let calls = 0;
    const run = (): string => {
      calls++;
      if (calls < 3) throw new Error(`bad ${calls}`);
      return "good";
    };
    await using bench = await open({ steps: [step({ name: "a", run, onError: "pause" })] });
    const first = await bench.start();
    expect(first.step_requirements[0]).toMatchObject({ confirmation_message: expect.stringContaining("bad 1") });
    const second = await bench.answer(first, { confirmed: true });
    expect([second.status, calls]).toEqual(["PAUSED", 2]);
    expect(second.step_requirements[1]).toMatchObject({ confirmation_message: expect.stringContaining("bad 2") });
    const done = await bench.answer(second, { confirmed: true });
    expect([done.status, done.content, calls]).toEqual(["COMPLETED", "good", 3]);
    calls = 0;
    const other = await bench.start();
    const left = await bench.answer(other, { confirmed: false });
    expect([left.status, left.step_results, calls]).toEqual(["COMPLETED", [], 1]);
  });

  test("a step with userInput pauses for values, and rejects missing values and other types", async () => {
    const fields = [{ name: "city" }, { name: "days", type: "int" as const, required: false }];
    const run = ({ userInput }: StepContext) => userInput;
    await using bench = await open({ steps: [step({ name: "a", run, userInput: { message: "Where?", fields } })] });
    const paused = await bench.start();
    expect(paused.step_requirements[0]).toMatchObject({
      ...{ requires_user_input: true, user_input_message: "Where?", requires_confirmation: false },
      user_input_schema: [
        { name: "city", field_type: "str", description: null, required: true },
        { name: "days", field_type: "int", description: null, required: false },
      ],
    });
    for (const [user_input, fault] of [
      [{}, /'city' of the step 'a' is missing/],
      [{ city: 5 }, /'city' of the step 'a' must be of the type str/],
      [{ city: "Paris", days: "two" }, /'days' of the step 'a' must be of the type int/],
    ] as const) {
      expect((await bench.answer(paused, { user_input })).detail).toMatch(fault);
    }
    const done = await bench.answer(paused, { user_input: { city: "Paris", days: 2 } });
    expect([done.status, done.content]).toEqual(["COMPLETED", { city: "Paris", days: 2 }]);
  });

  test("an output review can reject with feedback, edit or accept the output", async () => {
    let calls = 0;
    const run = ({ feedback }: StepContext) => `draft ${++calls}${feedback ? ` (${feedback})` : ""}`;
    const after = step({ name: "after", run: ({ previous }) => `sent: ${previous}` });
    await using bench = await open({ steps: [step({ name: "a", run, review: "Good?" }), after] });
    const first = await bench.start();
    expect(first.step_requirements[0]).toMatchObject({
      ...{ requires_output_review: true, is_post_execution: true, output_review_message: "Good?" },
      ...{ requires_confirmation: true, confirmation_message: "Good?" },
      ...{ step_output: first.step_results[0], on_reject: "retry", retry_count: 0, max_retries: 3 },
    });
    expect(first.step_results).toMatchObject([{ content: "draft 1", step_name: "a", success: true }]);
    const second = await bench.answer(first, { confirmed: false, rejection_feedback: "shorter" });
    expect(second.step_requirements[1]).toMatchObject({ step_output: second.step_results[0], retry_count: 1 });
    expect(second.step_results).toMatchObject([{ content: "draft 2 (shorter)" }]);
    const done = await bench.answer(second, { edited_output: "mine" });
    expect([done.status, done.content, calls]).toEqual(["COMPLETED", "sent: mine", 2]);
    expect(done.step_results.map(({ content }) => content)).toEqual(["mine", "sent: mine"]);
    const looked = ["StepStarted", "StepOutput", "StepCompleted", "StepOutputReview", "WorkflowPaused"];
    expect(await bench.events(done)).toEqual([
      ...["WorkflowStarted", ...looked, "WorkflowRunOutput"],
      ...["StepContinued", ...looked, "WorkflowRunOutput"],
      ...["StepContinued", "StepOutput", "StepCompleted"],
      ...["StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"],
    ]);
    const taken = await bench.answer(await bench.start(), { confirmed: true });
    expect(taken.content).toBe("sent: draft 3");
    expect((await bench.events(taken)).slice(6)).toEqual([
      ...["WorkflowRunOutput", "StepContinued", "StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"],
    ]);
  });

  test("a rejected confirmation cancels the run with onReject cancel", async () => {
    await using bench = await open({
      steps: [step({ name: "a", run: () => "never", confirm: true, onReject: "cancel" })],
    });
    const done = await bench.answer(await bench.start(), { confirmed: false });
    expect(done.status).toBe("CANCELLED");
    expect((await bench.events(done)).slice(-2)).toEqual(["StepContinued", "WorkflowCancelled"]);
  });

  test("parallel requirements must be answered together, and a finished parallel step is not repeated", async () => {
    let beside = 0;
    const ask = (name: string) => step({ name, run: () => name, confirm: `${name}?` });
    const other = step({ name: "c", run: () => `c${++beside}` });
    await using bench = await open({ steps: [parallel({ name: "p", steps: [ask("a"), ask("b"), other] })] });
    const paused = await bench.start();
    expect(paused.step_requirements.map(({ step_name }) => step_name)).toEqual(["a", "b"]);
    const half = await bench.answer(
      { ...paused, step_requirements: paused.step_requirements.slice(0, 1) },
      { confirmed: true },
    );
    const missing = "Cannot continue run - unresolved step requirements: ['b']";
    expect(half.detail).toBe(missing);
    for (const [stray, fault] of [
      [{ step_name: "nope" }, 'No step that waits has the step_name "nope".'],
      [{ step_id: "x", step_name: "b" }, 'No step that waits has the step_id "x".'],
      [{}, "An answer names neither requirement_id, step_id nor step_name."],
    ]) {
      const { step_requirements: asked } = paused;
      const wrong = { ...paused, step_requirements: [asked[0]!, stray as Record<string, unknown>] };
      const { detail } = await bench.answer(wrong, { confirmed: true }, { confirmed: true });
      expect(detail).toBe(`${missing}. ${fault}`);
    }
    const done = await bench.answer(paused, { confirmed: true }, { confirmed: false });
    expect([done.status, beside]).toEqual(["COMPLETED", 1]);
    expect(String(done.content)).toContain("### ✅ SUCCESS: a\na");
    expect(String(done.content)).not.toContain("SUCCESS: b");
  });

  test("a router without choose pauses for a selection, and rejects unknown choices", async () => {
    const choices = ["x", "y"].map((name) => step({ name, run: () => name }));
    await using bench = await open({ steps: [router({ name: "r", choices })] });
    const paused = await bench.start();
    expect(paused.step_requirements[0]).toMatchObject({
      requires_route_selection: true,
      available_choices: ["x", "y"],
    });
    for (const selected_choices of [[], ["z"], ["x", "y"]])
      expect((await bench.answer(paused, { selected_choices })).detail).toMatch(
        /choose one for the step 'r' of: x, y$/,
      );
    expect((await bench.answer(paused, { selected_choices: ["y"] })).content).toBe("y");
  });

  test("a step can stop the workflow as completed, pass on media, and read any earlier step's output", async () => {
    const media = [{ kind: "image", mediaType: "image/png", url: "https://example.test/a.png" }] as const;
    const seen: unknown[] = [];
    await using bench = await open({
      steps: [
        step({ name: "a", run: () => stepOutput({ content: { n: 1 }, media }) }),
        step({ name: "b", run: (context) => void seen.push(context.media, context.output("a"), context.output("z")) }),
        step({ name: "c", run: () => stepOutput({ content: "enough", stop: true }) }),
        step({ name: "d", run: () => "never" }),
      ],
    });
    const done = await bench.start();
    expect([done.status, done.content, done.step_results.length]).toEqual(["COMPLETED", "enough", 3]);
    expect(seen).toEqual([media, { n: 1 }, undefined]);
  });

  test("input, step outputs and workflow output are validated against their schemas", async () => {
    const double = step({
      ...{ name: "double", output: z.number() },
      run: ({ input }) => (input as { n: number }).n * 2 || "none",
    });
    await using bench = await open({ input: z.object({ n: z.number() }), steps: [double], output: z.number().max(10) });
    expect((await bench.start('{"n":4}')).content).toBe(8);
    expect((await bench.start('{"n":"four"}')).detail).toMatch(/^body\.message\.n: /);
    expect((await bench.start('{"n":0}')).detail).toMatch(/The step double failed: Its output does not fit/);
    expect((await bench.start('{"n":6}')).detail).toMatch(/The output of flow does not fit/);
  });

  test("steps of outer and inner workflows share the session state, and each workflow emits its start and end", async () => {
    const count = ({ session }: StepContext): number => {
      session.state.count = Number(session.state.count ?? 0) + 1;
      return Number(session.state.count);
    };
    const model = scriptedModel(({ message }) => `said ${message}`);
    const agent = defineAgent({ id: "a", model });
    const inner = defineWorkflow({ id: "inner", steps: [step({ name: "i", run: count }), agent] });
    await using bench = await open({ steps: [step({ name: "o", run: count }), inner] });
    const done = await bench.start();
    expect([done.status, done.content]).toEqual(["COMPLETED", "said 2"]);
    expect((await bench.events(done)).filter((name) => name.startsWith("Workflow"))).toEqual([
      ...["WorkflowStarted", "WorkflowStarted", "WorkflowCompleted", "WorkflowCompleted"],
    ]);
  });
});

eachDatabase("a workflow that another server process continues", (openDatabase) => {
  test("a recovered workflow repeats the unfinished step and no finished step", async () => {
    const database = await openDatabase();
    const done: string[] = [];
    let hold: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => {
      hold = resolve;
    });
    let isFirst = true;
    const leaf = (name: string) =>
      step({
        name,
        run({ previous }) {
          done.push(name);
          return `${previous}>${name}`;
        },
      });
    const held = step({
      name: "held",
      run: async ({ previous, signal }) => {
        done.push("held");
        if (!isFirst) return `${previous}>held`;
        isFirst = false;
        hold?.();
        return await new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const options = { steps: [leaf("a"), parallel({ name: "p", steps: [leaf("b"), held] }), leaf("c")] };
    const first = await Bench.open(database, options);
    const lost = first.start().catch(() => undefined);
    await begun;
    await first[Symbol.asyncDispose]();
    await lost;
    await using second = await Bench.open(database, options);
    const run = { run_id: await runIdOf(second) } as Run;
    const events = await second.events(run);
    expect(done).toEqual(["a", "b", "held", "held", "c"]);
    expect(events.filter((name) => name === "WorkflowRecovered")).toHaveLength(1);
    expect(events.at(-1)).toBe("WorkflowCompleted");
    expect(events.filter((name) => name === "ParallelExecutionStarted")).toHaveLength(1);
    expect(events.filter((name) => name === "StepCompleted")).toHaveLength(4);
  });

  test("WorkflowCompleted and the record list the runs of all steps, also those before the pause, without their messages", async () => {
    const database = await openDatabase();
    const agent = (id: string) => defineAgent({ id, model: scriptedModel(({ message }) => `${id}: ${message}`) });
    const inner = defineWorkflow({ id: "inner", steps: [step({ name: "c", agent: agent("three") })] });
    const first = step({ name: "a", agent: agent("one") });
    const twice = loop({ name: "twice", max: 2, steps: [step({ name: "d", agent: agent("four"), input: () => "x" })] });
    const other = condition({
      name: "other",
      if: () => false,
      steps: [step({ name: "no", run: () => "no" })],
      else: [twice],
    });
    const second = step({ name: "b", agent: agent("two"), confirm: true });
    const options = { steps: [first, second, step({ name: "in", workflow: inner }), other] };
    const before = await Bench.open(database, options);
    const paused = await before.start();
    const shown = (await before.last(paused)).step_executor_runs as Record<string, unknown>[];
    expect(shown.map(({ agent_id, content }) => [agent_id, content])).toEqual([["one", "one: hello"]]);
    await before[Symbol.asyncDispose]();
    await using after = await Bench.open(database, options);
    const done = await after.answer(paused, { confirmed: true });
    const runs = (await after.last(done)).step_executor_runs as Record<string, unknown>[];
    expect(runs.map((run) => [run.agent_id ?? run.workflow_id, run.content])).toEqual([
      ["one", "one: hello"],
      ["two", "two: one: hello"],
      ["inner", "three: two: one: hello"],
      ["four", "four: x"],
      ["four", "four: x"],
    ]);
    for (const run of runs) expect([run.status, run.messages]).toEqual(["COMPLETED", undefined]);
    const record = done as unknown as { step_executor_runs: ExecutorRun[] };
    expect(record.step_executor_runs.map(({ run_id }) => run_id)).toEqual(runs.map(({ run_id }) => run_id));
    // Each run names its step: in a loop, in the else branch, and in an inner workflow.
    const ended = (await after.told(done)).flatMap(({ step_response }) => (step_response as StepResult) ?? []);
    const steps = new Map(ended.map(({ step_run_id, step_id }) => [step_run_id, step_id]));
    const inside = record.step_executor_runs.flatMap(({ step_executor_runs = [] }) => step_executor_runs);
    expect(inside).toHaveLength(1);
    for (const run of [...(runs as unknown as ExecutorRun[]), ...record.step_executor_runs, ...inside])
      expect(run.workflow_step_id).toBe(steps.get(run.run_id) ?? "none");
    for (const { parent_run_id } of runs) expect(parent_run_id).toBe(done.run_id);
  });

  test("a step reads outputs of steps in containers by name, also after a pause in another process", async () => {
    const database = await openDatabase();
    const names = ["a", "b", "one", "two", "left", "chosen", "group", "turn"];
    const seen: Record<string, Record<string, unknown>> = {};
    const leaf = (name: string, confirm = false) =>
      step({
        ...{ name, confirm },
        run({ output }) {
          const found = names.filter((one) => output(one) !== undefined).map((one) => [one, output(one)]);
          seen[name] = Object.fromEntries(found);
          return `${name} ${Object.keys(found).length}`;
        },
      });
    const options: Omit<WorkflowOptions, "id"> = {
      steps: [
        parallel({ name: "p", steps: [leaf("a"), steps({ name: "group", steps: [leaf("one"), leaf("two")] })] }),
        condition({ name: "if", if: () => false, steps: [leaf("b")], else: [leaf("left")] }),
        loop({ name: "l", max: 3, steps: [leaf("turn")] }),
        router({ name: "r", choose: () => "chosen", choices: [leaf("b2"), leaf("chosen", true)] }),
        leaf("last"),
      ],
    };
    const first = await Bench.open(database, options);
    const paused = await first.start();
    await first[Symbol.asyncDispose]();
    await using second = await Bench.open(database, options);
    const done = await second.answer(paused, { confirmed: true });
    expect([done.status, done.content]).toEqual(["COMPLETED", "last 7"]);
    const block = { a: "a 0", one: "one 0", two: "two 1", group: "two 1" };
    expect(seen).toEqual({
      ...{ a: {}, one: {}, two: { one: "one 0" }, left: block },
      turn: { ...block, left: "left 4", turn: "turn 6" },
      chosen: { ...block, left: "left 4", turn: "turn 6" },
      last: { ...block, left: "left 4", turn: "turn 6", chosen: "chosen 6" },
    });
  });

  test("a paused workflow is continued by another server", async () => {
    const database = await openDatabase();
    const options = { steps: [step({ name: "a", run: () => "done", confirm: true })] };
    const first = await Bench.open(database, options);
    const paused = await first.start();
    await first[Symbol.asyncDispose]();
    await using second = await Bench.open(database, options);
    expect(await second.answer(paused, { confirmed: true })).toMatchObject({ status: "COMPLETED", content: "done" });
    expect(await second.events(paused)).toEqual([
      ...["WorkflowStarted", "StepPaused", "WorkflowPaused", "WorkflowRunOutput", "StepContinued"],
      ...["StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"],
    ]);
  });
});

/** The id of the only run. */
async function runIdOf(bench: Bench): Promise<string> {
  const [run] = await bench.list();
  return run!.run_id;
}
