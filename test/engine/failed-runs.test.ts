/** Runs that end with an error: time-outs, provider errors, values that cannot be stored, and sizes above a limit. */
import { expect, test } from "vitest";
import { z } from "zod";
import { type Agent, defineAgent } from "../../src/define/agent.ts";
import { defineTeam, type Team } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { step } from "../../src/define/workflow/steps.ts";
import type { Workflow } from "../../src/define/workflow/types.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { system } from "../../src/model/principal.ts";
import { type Script, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

/** A tool that sets one key of the session state. */
const leave = (name: string, value: unknown) =>
  defineTool({
    name,
    description: "Leaves it",
    input: z.object({}),
    execute: (_, { session }) => {
      session.state.fine = "kept";
      session.state[name] = value;
    },
  });

const circle: { self?: unknown } = {};
circle.self = circle;

const calling =
  (name: string): Script =>
  ({ results }) =>
    results.length > 0 ? "Done." : { toolCalls: [{ name }] };
const slow = scriptedModel(() => ({ text: Array.from({ length: 1_000 }, () => "on and "), delay: 20 }));

const agents = [
  defineAgent({ id: "late", model: slow, timeout: 300 }),
  defineAgent({ id: "refused", model: scriptedModel(() => ({ error: { message: "No credit left", status: 402 } })) }),
  defineAgent({
    id: "broken",
    model: scriptedModel(() => ({ text: "Half an", error: { message: "boom", afterDeltas: 1 } })),
  }),
  defineAgent({ id: "circle", model: scriptedModel(calling("circle")), tools: [leave("circle", circle)] }),
  defineAgent({ id: "bigint", model: scriptedModel(calling("bigint")), tools: [leave("bigint", 12n)] }),
  defineAgent({
    id: "odd-answer",
    model: scriptedModel(() => '{"size":1}'),
    output: z.object({ size: z.number().transform(BigInt) }),
  }),
];

const types: Record<string, string> = {
  late: "run_timeout",
  refused: "model_provider_error",
  broken: "model_provider_error",
  circle: "invalid_session_state",
  bigint: "invalid_session_state",
  "odd-answer": "internal_error",
};

eachDatabase("failed runs", (openDatabase) => {
  test.each(agents.map(({ id }) => id))(
    "%s: the run ends with one RunError and status ERROR, and the session's next run starts [L5]",
    async (id) => {
      await using server = await openServer(await openDatabase(), { agents });
      const { client, store } = server;
      const stream = await client.start(`agents/${id}`, "go", { session_id: "one" });
      const next = await client.start("agents/late", "go", { session_id: "one" });
      expect(await stream.closed).toBe("ended");
      const log = await client.log(`agents/${id}`, stream.runId);
      const endings = log.filter(({ event }) => /^Run(Completed|Error|Cancelled)$/.test(event!));
      expect(endings.map(({ event, id, data }) => [event, id, data.error_type])).toEqual([
        ["RunError", log.length - 1, types[id]],
      ]);
      const run = await store.findRun(system, stream.runId);
      expect([run?.status, JSON.parse(run!.output!).error.type]).toEqual(["ERROR", types[id]]);
      await next.closed;
      expect(next.ending?.data.error_type).toBe("run_timeout");
      const failed = await client.post(`/agents/${id}/runs`, { message: "go", stream: false });
      expect([failed.status, failed.body.status, failed.body.error_code]).toEqual([500, "ERROR", "RUN_FAILED"]);
    },
  );

  test("session state that can be written is stored when another key of it cannot", async () => {
    await using server = await openServer(await openDatabase(), { agents });
    const stream = await server.client.start("agents/circle", "go", { session_id: "one" });
    await stream.closed;
    const session = await server.store.findSession(system, "one");
    expect(JSON.parse(session!.state)).toEqual({ fine: "kept" });
  });
});

const text = (length: number): string[] => Array.from({ length: length / 1_000 }, () => "x".repeat(1_000));
const long = scriptedModel(() => ({ text: text(30_000) }));
const wordy = defineAgent({ id: "wordy", model: long });
const read = defineTool({ name: "read", description: "Reads", input: z.object({}), execute: () => "x".repeat(4_000) });
const large = defineTool({
  name: "large",
  description: "Leaves much",
  input: z.object({}),
  execute: (_, { session }) => {
    session.state.large = "x".repeat(30_000);
  },
});
const delegating: Script = ({ results }) =>
  results.length > 0
    ? "Done."
    : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "wordy", task: "go" } }] };

const tooLarge = [
  { of: wordy, why: "output_too_large" },
  {
    of: defineAgent({ id: "thinker", model: scriptedModel(() => ({ reasoning: text(30_000), text: "So." })) }),
    why: "output_too_large",
  },
  {
    of: defineAgent({
      id: "unshown",
      model: scriptedModel(() => ({ text: ['{"a":"', ...text(30_000), '"}'] })),
      output: z.object({ a: z.string() }),
    }),
    why: "output_too_large",
  },
  {
    of: defineAgent({ id: "reader", model: scriptedModel(() => ({ toolCalls: [{ name: "read" }] })), tools: [read] }),
    why: "output_too_large",
  },
  {
    of: defineAgent({ id: "keeper", model: scriptedModel(calling("large")), tools: [large] }),
    why: "output_too_large",
  },
  {
    of: defineAgent({ id: "talkative", model: scriptedModel(() => ({ text: Array(15_000).fill("a") })) }),
    why: "log_too_large",
  },
  { of: defineTeam({ id: "team", model: scriptedModel(delegating), members: [wordy] }), why: "output_too_large" },
  {
    of: defineWorkflow({ id: "steps", steps: [wordy] }),
    why: "output_too_large",
  },
  {
    of: defineWorkflow({ id: "functions", steps: [step({ name: "write", run: () => "x".repeat(30_000) })] }),
    why: "output_too_large",
  },
];
const bounds = { maxOutputBytes: 20_000, maxLogBytes: 2_000_000 };

eachDatabase("runs above a size limit", (openDatabase) => {
  test("each run ends with one error that names the limit, its record stays small, and its session accepts the next run [L5] [L8]", async () => {
    const components = tooLarge.map(({ of }) => of);
    await using server = await openServer(await openDatabase(), {
      settings: bounds,
      agents: [
        ...components.filter(({ kind }) => kind === "agent"),
        defineAgent({ id: "short", model: scriptedModel(() => "Done.") }),
      ] as Agent[],
      teams: components.filter(({ kind }) => kind === "team") as Team[],
      workflows: components.filter(({ kind }) => kind === "workflow") as Workflow[],
    });
    const { client, store } = server;
    for (const { of, why } of tooLarge) {
      const stream = await client.start(`${of.kind}s/${of.id}`, "go", { session_id: of.id });
      expect([of.id, await stream.closed]).toEqual([of.id, "ended"]);
      const last = stream.events.at(-1)!;
      expect([of.id, last.data.error_type, last.event]).toEqual([
        of.id,
        why,
        expect.stringMatching(/(Run|Workflow)Error$/),
      ]);
      expect(last.raw.length).toBeLessThan(1_000);
      const run = await store.findRun(system, stream.runId);
      const { error } = JSON.parse(run!.output!);
      expect([of.id, run?.status, error.type]).toEqual([of.id, "ERROR", why]);
      expect(run!.output!.length).toBeLessThan(bounds.maxOutputBytes * 2);
    }
    const next = await client.post("/agents/short/runs", { message: "go", stream: false, session_id: "keeper" });
    expect([next.status, next.body.content, next.body.session_state.large]).toEqual([200, "Done.", undefined]);
  });
});
