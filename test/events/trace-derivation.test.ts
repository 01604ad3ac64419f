/** Spans as the log of a run determines them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrames, toJsonLine } from "../../src/model/frame.ts";
import { TraceBuilder } from "../../src/model/trace/derive.ts";
import { parseTraceparent, runIdOf, spanIdOf, traceIdOf } from "../../src/model/trace/ids.ts";
import type { Span, TracedRun } from "../../src/model/trace/span.ts";
import { fromStoredSpans, toStoredSpans } from "../../src/model/trace/stored.ts";

const runId = "11111111-2222-4333-8444-555555555555";
const member = "66666666-2222-4333-8444-555555555555";
const nested = "77777777-2222-4333-8444-555555555555";
const run: TracedRun = {
  ...{ runId, kind: "agent", componentId: "a", componentName: "Agent", sessionId: "s", userId: "u", createdAt: 1_000 },
};

type Event = readonly [name: string, fields?: Readonly<Record<string, unknown>>];

const agent = { agent_id: "a", agent_name: "Agent", run_id: runId, session_id: "s", nested_depth: 0 };
const team = { team_id: "t", team_name: "Team", run_id: runId, session_id: "s", nested_depth: 0 };
const flow = { workflow_id: "w", workflow_name: "Flow", run_id: runId, session_id: "s", nested_depth: 0 };
const ofMember = { agent_id: "m", agent_name: "Member", run_id: member, parent_run_id: runId, session_id: "s" };
const call = (id: string, error: boolean | null = null) => ({
  tool: {
    tool_call_id: id,
    tool_name: "look",
    tool_args: { city: "hidden" },
    tool_call_error: error,
    result: "hidden",
  },
});

/** The frames of events, one every 10 ms from 1,100 ms on. */
function framesOf(events: readonly Event[], hasMilliseconds = true): Buffer {
  const made = events.map(([name, fields], index) => {
    const at = 1_100 + 10 * index;
    const { content, ...rest } = fields ?? {};
    const time = hasMilliseconds && name !== "RunContent" ? { created_at_ms: at } : {};
    const members = {
      created_at: Math.floor(at / 1000),
      event: name,
      ...rest,
      ...time,
      ...(content !== undefined && { content }),
    };
    return { name, members: toJsonLine(members).slice(1, -1) };
  });
  return encodeFrames(0, made);
}

function derive(events: readonly Event[], of: TracedRun = run, hasMilliseconds = true): readonly Span[] {
  const builder = new TraceBuilder(of);
  builder.take(framesOf(events, hasMilliseconds));
  return builder.spans();
}

/** Spans by their name, with their parent's name, status, start and end. */
function shown(spans: readonly Span[]): unknown[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans.map(({ name, parentSpanId, status, startedAt, endedAt }) => [
    ...[name, names.get(parentSpanId ?? "") ?? null, status, startedAt, endedAt],
  ]);
}

const withTool: readonly Event[] = [
  ["RunStarted", { ...agent, model: "m-1", model_provider: "OpenAI" }],
  ["ModelRequestStarted", { ...agent, model: "m-1", model_provider: "OpenAI" }],
  ["RunContent", { ...agent, content: "hidden" }],
  [
    "ModelRequestCompleted",
    { ...agent, model: "m-1", input_tokens: 7, output_tokens: 3, cache_read_tokens: 2, cost: 0.5 },
  ],
  ["ToolCallStarted", { ...agent, ...call("c1") }],
  ["ToolCallCompleted", { ...agent, content: "hidden", ...call("c1", false) }],
  ["RunContentCompleted", agent],
  ["RunCompleted", { ...agent, content: "hidden", metrics: {} }],
];

const teamRun: TracedRun = { ...run, kind: "team", componentId: "t", componentName: "Team" };
const withMember: readonly Event[] = [
  ["TeamRunStarted", team],
  ["TeamToolCallStarted", { ...team, ...call("d") }],
  ["RunStarted", ofMember],
  ["ModelRequestStarted", { ...ofMember, model: "m-1" }],
  ["ModelRequestCompleted", { ...ofMember, input_tokens: 1, output_tokens: 1 }],
  ["RunCompleted", ofMember],
  ["TeamToolCallCompleted", { ...team, ...call("d", false) }],
  ["TeamRunCompleted", team],
];

const flowRun: TracedRun = { ...run, kind: "workflow", componentId: "w", componentName: "Flow" };
const inStep = { ...ofMember, parent_run_id: undefined, workflow_id: "w", workflow_run_id: runId, step_id: "s1" };
const withSteps: readonly Event[] = [
  ["WorkflowStarted", flow],
  ["LoopExecutionStarted", { ...flow, step_id: "l", step_name: "loop" }],
  ["LoopIterationStarted", { ...flow, step_id: "l", step_name: "loop", iteration: 1 }],
  ["StepStarted", { ...flow, step_id: "s1", parent_step_id: "l", step_name: "ask" }],
  ["RunStarted", inStep],
  ["RunCompleted", inStep],
  [
    "StepCompleted",
    { ...flow, step_id: "s1", parent_step_id: "l", step_name: "ask", step_response: { success: true } },
  ],
  ["LoopIterationCompleted", { ...flow, step_id: "l", step_name: "loop", iteration: 1 }],
  ["LoopExecutionCompleted", { ...flow, step_id: "l", step_name: "loop" }],
  ["StepStarted", { ...flow, step_id: "s2", step_name: "nested" }],
  ["WorkflowStarted", { ...flow, workflow_id: "n", workflow_name: "Nested", run_id: nested, nested_depth: 1 }],
  ["WorkflowCompleted", { ...flow, workflow_id: "n", workflow_name: "Nested", run_id: nested, nested_depth: 1 }],
  ["StepError", { ...flow, step_id: "s2", step_name: "nested", error: "It broke." }],
  ["WorkflowCompleted", flow],
];

describe("spans of a run", () => {
  test("an agent with a tool: request, run, model turn and tool call", () => {
    const spans = derive(withTool);
    expect(shown(spans)).toEqual([
      ["run agent a", null, "OK", 1_000, 1_170],
      ["invoke_agent Agent", "run agent a", "OK", 1_100, 1_170],
      ["chat m-1", "invoke_agent Agent", "OK", 1_110, 1_130],
      ["execute_tool look", "invoke_agent Agent", "OK", 1_140, 1_150],
    ]);
    expect(spans[2]?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m-1",
      "gen_ai.provider.name": "openai",
      "gen_ai.conversation.id": "s",
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.usage.output_tokens": 3,
      "gen_ai.usage.cache_read.input_tokens": 2,
      "troupe.usage.cost": 0.5,
    });
    expect(spans[3]?.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "look",
      "gen_ai.tool.call.id": "c1",
    });
  });

  test("spans hold no prompt, answer, or argument or result of a tool", () => {
    expect(JSON.stringify(derive(withTool))).not.toContain("hidden");
  });

  test("a team: the run of a member is below the run of its team", () => {
    expect(shown(derive(withMember, teamRun))).toEqual([
      ["run team t", null, "OK", 1_000, 1_170],
      ["invoke_agent Team", "run team t", "OK", 1_100, 1_170],
      ["execute_tool look", "invoke_agent Team", "OK", 1_110, 1_160],
      ["invoke_agent Member", "invoke_agent Team", "OK", 1_120, 1_150],
      ["chat m-1", "invoke_agent Member", "OK", 1_130, 1_140],
    ]);
  });

  test("a workflow: steps are below their container, and runs below their step", () => {
    const spans = derive(withSteps, flowRun);
    expect(shown(spans)).toEqual([
      ["run workflow w", null, "OK", 1_000, 1_230],
      ["invoke_workflow Flow", "run workflow w", "OK", 1_100, 1_230],
      ["step loop", "invoke_workflow Flow", "OK", 1_110, 1_180],
      ["step loop 1", "step loop", "OK", 1_120, 1_170],
      ["step ask", "step loop 1", "OK", 1_130, 1_160],
      ["invoke_agent Member", "step ask", "OK", 1_140, 1_150],
      ["step nested", "invoke_workflow Flow", "ERROR", 1_190, 1_220],
      ["invoke_workflow Nested", "step nested", "OK", 1_200, 1_210],
    ]);
    expect(spans[6]).toMatchObject({ statusMessage: "It broke.", attributes: { "error.type": "step_error" } });
  });

  test("a pause is a span until the run continues", () => {
    const spans = derive([
      ["RunStarted", agent],
      ["RunPaused", { ...agent, content: "x", tools: [], requirements: [] }],
      ["RunContinued", agent],
      ["RunCompleted", agent],
    ]);
    expect(shown(spans)[2]).toEqual(["pause", "invoke_agent Agent", "UNSET", 1_110, 1_120]);
  });

  test("a takeover ends what the attempt before was doing, and the run goes on", () => {
    const spans = derive([
      ["RunStarted", agent],
      ["ToolCallStarted", { ...agent, ...call("c1") }],
      ["ModelRequestStarted", { ...agent, model: "m-1" }],
      ["RunRecovered", { ...agent, attempt: 2, discard_from_index: 1 }],
      ["ToolCallStarted", { ...agent, ...call("c1") }],
      ["ToolCallCompleted", { ...agent, ...call("c1", true) }],
      ["RunCompleted", agent],
    ]);
    expect(shown(spans)).toEqual([
      ["run agent a", null, "OK", 1_000, 1_160],
      ["invoke_agent Agent", "run agent a", "OK", 1_100, 1_160],
      ["execute_tool look", "invoke_agent Agent", "ERROR", 1_110, 1_130],
      ["chat m-1", "invoke_agent Agent", "ERROR", 1_120, 1_130],
      ["takeover", "invoke_agent Agent", "UNSET", 1_130, 1_130],
      ["execute_tool look", "invoke_agent Agent", "ERROR", 1_140, 1_150],
    ]);
    expect(spans[3]).toMatchObject({
      statusMessage: "Attempt 2 continued the run.",
      attributes: { "error.type": "takeover" },
    });
    expect(spans[5]?.attributes["error.type"]).toBe("tool_error");
  });

  test.each([
    ["RunError", { content: "It failed.", error_type: "model_error" }, "model_error", "It failed."],
    ["RunCancelled", { reason: "cancelled" }, "cancelled", undefined],
  ])("%s ends the run and everything open under it with the same error", (name, fields, type, message) => {
    const spans = derive([
      ["RunStarted", agent],
      ["ModelRequestStarted", { ...agent, model: "m-1" }],
      [name, { ...agent, ...fields }],
    ]);
    for (const span of spans) {
      expect(span).toMatchObject({ status: "ERROR", endedAt: 1_120, attributes: { "error.type": type } });
      expect(span.statusMessage).toBe(message);
    }
    expect(spans).toHaveLength(3);
  });

  test("a run that is cancelled before its start has a run span with its own id", () => {
    const spans = derive([["RunCancelled", { ...agent, reason: "x" }]]);
    expect(shown(spans)).toEqual([
      ["run agent a", null, "ERROR", 1_000, 1_100],
      ["invoke_agent Agent", "run agent a", "ERROR", 1_100, 1_100],
    ]);
  });

  test("a log without milliseconds has times in whole seconds, not before the request", () => {
    const spans = derive(withTool, run, false);
    expect(spans.map(({ startedAt, endedAt }) => [startedAt, endedAt])).toEqual(Array(4).fill([1_000, 1_000]));
    const later = derive(withTool, { ...run, createdAt: 1_500 }, false);
    expect(later.every(({ startedAt, endedAt }) => startedAt === 1_500 && endedAt === 1_500)).toBe(true);
  });

  test("events of any form from another server do not prevent a trace", () => {
    const odd: Event[] = [
      ["RunStarted", agent],
      ["ModelRequestStarted", { ...agent, model: { id: 1 }, created_at_ms: "soon", created_at: null }],
      ["ModelRequestCompleted", { ...agent, input_tokens: "many", output_tokens: -0.5 }],
      ["ToolCallStarted", agent],
      ["ToolCallStarted", { ...agent, tool: {} }],
      ["StepStarted", { ...agent, step_id: 5 }],
      ["RunStarted", { session_id: "s" }],
      ["RunCompleted", agent],
    ];
    const builder = new TraceBuilder(run);
    builder.take(framesOf(odd, false));
    expect(builder.totals()).toMatchObject({ status: "OK", inputTokens: 0, outputTokens: 0 });
    for (const { startedAt, endedAt } of builder.spans()) expect([startedAt, endedAt]).toEqual([1_000, 1_000]);
  });
});

describe("ids", () => {
  test("every prefix of a log gives the first spans of the whole log, with equal ids, in any split", () => {
    const logs = [
      [run, withTool],
      [teamRun, withMember],
      [flowRun, withSteps],
    ] as const;
    fc.assert(
      fc.property(fc.constantFrom(...logs), fc.nat(), fc.nat(), ([of, events], cut, split) => {
        const until = cut % (events.length + 1);
        const ids = (spans: readonly Span[]) => spans.map(({ spanId, parentSpanId }) => [spanId, parentSpanId]);
        const whole = ids(derive(events, of));
        const part = ids(derive(events.slice(0, until), of));
        expect(whole.slice(0, part.length)).toEqual(part);
        expect(new Set(whole.map(([id]) => id)).size).toBe(whole.length);
        const builder = new TraceBuilder(of);
        const frames = framesOf(events)
          .toString()
          .split(/(?<=\n\n)/);
        const at = split % (frames.length + 1);
        builder.take(Buffer.from(frames.slice(0, at).join("")));
        builder.take(Buffer.from(frames.slice(at).join("")));
        expect(builder.spans()).toEqual(derive(events, of));
      }),
    );
  });

  test("a trace has the digits of its run's id, or the id of the traceparent", () => {
    const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    expect(traceIdOf(runId)).toBe("11111111222243338444555555555555");
    expect(runIdOf(traceIdOf(runId))).toBe(runId);
    expect(traceIdOf("no uuid")).toMatch(/^[\da-f]{32}$/);
    expect(traceIdOf(runId, parent)).toBe("0af7651916cd43dd8448eb211c80319c");
    const [request, first] = derive(withTool, { ...run, traceparent: parent });
    expect(request).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331" });
    expect(first?.spanId).toBe(spanIdOf(runId, 0));
  });

  test.each([
    "",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
  ])("the traceparent %j is ignored", (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
    expect(traceIdOf(runId, text)).toBe(traceIdOf(runId));
  });

  test("stored spans are read as they were derived", () => {
    const failed = derive([
      ["RunStarted", agent],
      ["RunError", { ...agent, content: "x".repeat(1_000), error_type: "t" }],
    ]);
    expect(failed[0]?.statusMessage).toHaveLength(500);
    for (const spans of [derive(withTool), derive(withSteps, flowRun), failed]) {
      expect(fromStoredSpans(toStoredSpans(spans), { traceId: traceIdOf(runId), sessionId: "s" })).toEqual(spans);
    }
  });
});
