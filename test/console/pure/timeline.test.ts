/** The timeline of a run, as the events of its log determine it. */
import { describe, expect, test } from "vitest";
import { createClient, type RunEvent } from "../../../client/index.ts";
import { toCurl, toTypeScript } from "../../../console/src/screens/run/code.ts";
import type { LogEvent } from "../../../console/src/screens/run/log-event.ts";
import { scaleOf } from "../../../console/src/screens/run/scale.ts";
import {
  flatten,
  isVoid,
  type Timeline,
  TimelineBuilder,
  timelineOf,
} from "../../../console/src/screens/run/timeline.ts";
import { defineAgent } from "../../../src/define/agent.ts";
import { definePlatform } from "../../../src/define/platform.ts";
import { defineTeam } from "../../../src/define/team.ts";
import { step } from "../../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../../src/define/workflow/workflow.ts";
import { createServer } from "../../../src/platform/server.ts";
import { scriptedModel } from "../../../src/testing/index.ts";
import { silentLog } from "../../support/runtime.ts";

type Event = readonly [name: string, fields?: Readonly<Record<string, unknown>>];

const agent = { agent_id: "a", agent_name: "Agent", run_id: "r", session_id: "s" };
const flow = { workflow_id: "w", workflow_name: "Flow", run_id: "r", session_id: "s", nested_depth: 0 };
const tool = { tool_call_id: "c", tool_name: "look", tool_args: {} };

/** Events, one every 10 ms from 1,000 ms on. */
function logOf(events: readonly Event[]): LogEvent[] {
  return events.map(([event, fields], index) => {
    const at = 1_000 + 10 * index;
    const time = event === "RunContent" ? {} : { created_at_ms: at };
    return { event, event_index: index, created_at: 1, ...time, ...agent, ...fields } as LogEvent;
  });
}

/** Rows as `depth kind label state start-end`. */
function shown({ root }: Timeline): string[] {
  return flatten(root).map(
    ({ row, depth }) =>
      `${depth} ${row.kind} ${row.label} ${row.state} ${row.startedAt}-${row.endedAt ?? ""}${row.message ? ` (${row.message})` : ""}`,
  );
}

const recovered: readonly Event[] = [
  ["RunStarted"],
  ["ModelRequestStarted", { model: "m" }],
  ["RunContent", { content: "It is" }],
  ["RunRecovered", { attempt: 2, discard_from_index: 1 }],
  ["ModelRequestStarted", { model: "m" }],
  ["RunContent", { content: "It is clear." }],
  ["ModelRequestCompleted", { model: "m", input_tokens: 7, output_tokens: 3, cost: 0.5, time_to_first_token: 0.004 }],
  ["ToolCallStarted", { tool }],
  ["ToolCallCompleted", { tool: { ...tool, result: "clear", tool_call_error: false } }],
  ["RunCompleted", { content: "It is clear." }],
];

describe("the timeline of a run", () => {
  test("a takeover cuts the open request, is a row of its own, and makes events void", () => {
    const timeline = timelineOf(logOf(recovered));
    expect(shown(timeline)).toEqual([
      "0 run Agent done 1000-1090",
      "1 model m cut 1010-1030",
      "1 takeover Process 2 took over done 1030-1030",
      "1 model m done 1040-1060",
      "1 tool look done 1070-1080",
    ]);
    expect(timeline.totals).toMatchObject({ inputTokens: 7, outputTokens: 3, cost: 0.5, takeovers: 1, chunks: 2 });
    expect(timeline.totals.timeToFirstToken).toBeCloseTo(0.044);
    const voids = logOf(recovered).map((event) => isVoid(event, timeline.voids));
    expect(voids.flatMap((is, index) => (is ? [index] : []))).toEqual([1, 2]);
  });

  test("a refusal is a row with its reason, and the hooks before it show what they did", () => {
    const events: Event[] = [
      ["RunStarted"],
      ["PreHookStarted", { pre_hook_name: "redact", hook_point: "beforeRun" }],
      ["PreHookCompleted", { pre_hook_name: "redact", hook_point: "beforeRun", outcome: "changed" }],
      ["PreHookStarted", { pre_hook_name: "moderation", hook_point: "beforeRun" }],
      ["ModelRequestStarted", { model: "small", purpose: "moderation" }],
      ["ModelRequestCompleted", { model: "small", purpose: "moderation", input_tokens: 5, output_tokens: 1 }],
      ["PreHookCompleted", { pre_hook_name: "moderation", hook_point: "beforeRun", outcome: "refused" }],
      ["RunError", { content: "It insults.", additional_data: { hook: "moderation", hook_point: "beforeRun" } }],
    ];
    const timeline = timelineOf(logOf(events));
    expect(shown(timeline)).toEqual([
      "0 run Agent failed 1000-1070 (It insults.)",
      "1 hook redact done 1010-1020",
      "1 hook moderation refused 1030-1060 (It insults.)",
      "2 model small done 1040-1050",
    ]);
    expect(flatten(timeline.root).map(({ row }) => row.detail)).toEqual([
      "agent",
      "before the run, changed the content",
      "before the run, refused",
      "moderation",
    ]);
    expect(timeline.totals).toMatchObject({ modelRequests: 1, inputTokens: 5 });
  });

  test("a fallback, a compaction, follow-ups and a summary are rows; a turn keeps its position", () => {
    const events: Event[] = [
      ["RunStarted"],
      ["CompressionStarted"],
      ["CompressionCompleted", { original_size: 12_300, compressed_size: 4_100, strategy: "truncate" }],
      ["ModelRequestStarted", { model: "big" }],
      ["ReasoningStarted"],
      ["ReasoningCompleted"],
      ["ModelFallback", { model: "small", failed_model: "big", content: "Overloaded" }],
      ["ModelRequestStarted", { model: "small" }],
      ["ModelRequestCompleted", { model: "small" }],
      ["FollowupsStarted"],
      ["ModelRequestStarted", { model: "small", purpose: "followup_model" }],
      ["RunRecovered", { attempt: 2, discard_from_index: 10 }],
      ["ModelRequestStarted", { model: "small", purpose: "followup_model" }],
      ["ModelRequestCompleted", { model: "small", purpose: "followup_model" }],
      ["FollowupsCompleted", { followups: ["And tomorrow?"] }],
      ["SessionSummaryStarted"],
      ["SessionSummaryCompleted", { session_summary: { summary: "Weather" } }],
      ["RunCompleted", { content: "Clear." }],
    ];
    const { root } = timelineOf(logOf(events));
    expect(shown({ root } as Timeline)).toEqual([
      "0 run Agent done 1000-1170",
      "1 stage Compaction of the context done 1010-1020",
      "1 model big failed 1030-1060 (Overloaded)",
      "1 note Falls back to small done 1060-1060",
      "1 model small done 1070-1080",
      "1 stage Follow-ups done 1090-1140",
      "2 model small cut 1100-1110",
      "2 model small done 1120-1130",
      "1 takeover Process 2 took over done 1110-1110",
      "1 stage Session summary done 1150-1160",
    ]);
    const rows = flatten(root).map(({ row }) => row);
    expect(rows[1]?.detail).toBe("12,300 to 4,100 characters, truncate");
    expect(rows.map(({ turn }) => turn).filter((turn) => turn !== undefined)).toEqual([0]);
    expect(rows.flatMap(({ output }) => output ?? [])).toEqual(["And tomorrow?", { summary: "Weather" }]);
  });

  test("a cancelled run ends everything that was open", () => {
    const events: Event[] = [["RunStarted"], ["ToolCallStarted", { tool }], ["RunCancelled", { reason: "Requested" }]];
    expect(shown(timelineOf(logOf(events)))).toEqual([
      "0 run Agent cancelled 1000-1020 (Requested)",
      "1 tool look cancelled 1010-1020",
    ]);
  });

  test("a failed run shows its error, and the request that failed", () => {
    const events: Event[] = [
      ["RunStarted"],
      ["ModelRequestStarted", { model: "m" }],
      ["RunError", { content: "No key" }],
    ];
    expect(shown(timelineOf(logOf(events)))).toEqual([
      "0 run Agent failed 1000-1020 (No key)",
      "1 model m failed 1010-1020",
    ]);
  });

  test("iterations of a loop have their steps, and a nested workflow belongs to its step", () => {
    const nested = { ...flow, workflow_id: "n", workflow_name: "Nested", run_id: "n", nested_depth: 1 };
    const events: Event[] = [
      ["WorkflowStarted", flow],
      ["LoopExecutionStarted", { ...flow, step_id: "l", step_name: "loop" }],
      ["LoopIterationStarted", { ...flow, step_id: "l", step_name: "loop", iteration: 1 }],
      ["StepStarted", { ...flow, step_id: "s", parent_step_id: "l", step_name: "inner" }],
      ["WorkflowStarted", nested],
      ["WorkflowCompleted", nested],
      ["StepError", { ...flow, step_id: "s", parent_step_id: "l", step_name: "inner", error: "It broke." }],
      ["LoopIterationCompleted", { ...flow, step_id: "l", step_name: "loop", iteration: 1 }],
      ["LoopExecutionCompleted", { ...flow, step_id: "l", step_name: "loop" }],
      ["WorkflowCompleted", flow],
    ].map(([name, fields]) => [name, { agent_id: undefined, agent_name: undefined, ...(fields as object) }] as Event);
    expect(shown(timelineOf(logOf(events)))).toEqual([
      "0 run Flow done 1000-1090",
      "1 step loop done 1010-1080",
      "2 step loop 1 done 1020-1070",
      "3 step inner failed 1030-1060 (It broke.)",
      "4 run Nested done 1040-1050",
    ]);
  });

  test("a wait ends with the next event; long waits are drawn shorter, in order", () => {
    const log = logOf([["RunStarted"], ["RunPaused", { tools: [] }], ["RunContinued"], ["RunCompleted"]]).map(
      (event, index) => ({ ...event, created_at_ms: [0, 100, 3_600_000, 3_600_100][index] ?? 0 }),
    );
    const { root } = timelineOf(log);
    if (!root) throw new Error("no timeline");
    expect(shown(timelineOf(log))[1]).toBe("1 wait Waits for an answer done 100-3600000");
    expect(shown(timelineOf(log.slice(0, 2)))[0]).toBe("0 run Agent waiting 0-");
    const { place, isShortened, ticks } = scaleOf(root, 3_600_100);
    expect(isShortened).toBe(true);
    expect(place(3_600_000) - place(100)).toBeLessThan(0.2);
    expect([place(0), place(3_600_100)]).toEqual([0, 1]);
    expect(ticks.map(({ ms }) => ms)).toEqual([...ticks.map(({ ms }) => ms)].sort((one, other) => one - other));
  });

  test("a team's and a workflow's run have the same timeline live, stored, and event by event, with the times of the trace", async () => {
    const member = defineAgent({ id: "member", model: scriptedModel(() => "Sunny.") });
    const desk = defineTeam({
      id: "desk",
      members: [member],
      model: scriptedModel(({ number }) =>
        number % 2 === 1
          ? { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "member", task: "Look." } }] }
          : "Sunny, it says.",
      ),
    });
    const trip = defineWorkflow({
      id: "trip",
      steps: [step({ name: "look", agent: member }), step({ name: "ask", team: desk })],
    });
    const platform = definePlatform({ id: "newsroom", agents: [member], teams: [desk], workflows: [trip] });
    const server = await createServer(platform, { dataDir: ":memory:", port: 0, log: silentLog });
    try {
      const url = await server.listen();
      const client = createClient({ url });
      for (const component of [client.team("desk"), client.workflow("trip")]) {
        const run = await component.start("Go");
        const live = await collect(run);
        const stored = await collect(component.follow(run.id));
        expect(stored).toEqual(live);
        const timeline = timelineOf(stored);
        const stepwise = new TimelineBuilder();
        for (const event of live) {
          stepwise.take(event);
          stepwise.timeline();
        }
        expect(shown(stepwise.timeline())).toEqual(shown(timeline));
        expect(timeline.root?.state).toBe("done");
        const trace = (await client.request("GET", `/traces/${run.id.replaceAll("-", "")}`)) as { tree: [Span] };
        expect(placesOf(timeline)).toEqual(spansOf(trace.tree[0].spans?.[0], 0));
      }
    } finally {
      await server.close({ shutdownTimeout: 0 });
    }
  });
});

interface Span {
  readonly start_time: string;
  readonly end_time: string;
  readonly spans?: readonly Span[];
}

async function collect(run: AsyncIterable<RunEvent>): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  for await (const event of run) events.push(event as unknown as LogEvent);
  return events;
}

function placesOf({ root }: Timeline): string[] {
  return flatten(root).map(({ row, depth }) => `${depth} ${row.startedAt}-${row.endedAt}`);
}

function spansOf(span: Span | undefined, depth: number): string[] {
  if (!span) return [];
  const own = `${depth} ${Date.parse(span.start_time)}-${Date.parse(span.end_time)}`;
  return [own, ...(span.spans ?? []).flatMap((child) => spansOf(child, depth + 1))];
}

describe("the code of a run", () => {
  const facts = { url: "http://h", kind: "agent", component: "a b", run: "r", session: "s" } as const;

  test("a message with quotes stays one word of the shell and one text of TypeScript", () => {
    const message = `It's "here"`;
    const curl = toCurl({ ...facts, message, needsToken: true });
    expect(curl.start).toContain(`'message=It'\\''s "here"'`);
    expect(curl.resume).toContain("'http://h/agents/a%20b/runs/r/resume'");
    expect(curl.resume).toContain("Bearer $TOKEN");
    const code = toTypeScript({ ...facts, message, needsToken: false });
    expect(code.start).toContain(`.start("It's \\"here\\"", { sessionId: "s" })`);
    expect(code.resume).not.toContain("TOKEN");
  });
});
