/** Names, order and fields of events as literals, compared with the recorded declarations (`recorded-events.json`). */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { sqliteServer } from "../conformance/support/server.ts";
import recorded from "./recorded-events.json" with { type: "json" };

const agent = "created_at event agent_id agent_name run_id session_id nested_depth";
const member = "created_at event agent_id agent_name run_id parent_run_id session_id nested_depth";
const team = "created_at event team_id team_name run_id session_id nested_depth";
const workflow = "created_at event workflow_id workflow_name run_id session_id nested_depth";
const step = "step_id step_name step_index";
const inStep =
  "created_at event agent_id agent_name run_id session_id workflow_id workflow_run_id step_id step_name step_index nested_depth";
const model = "model model_provider";
const tokens = "input_tokens output_tokens total_tokens";
const cache = "reasoning_tokens cache_read_tokens cache_write_tokens";

const client = sqliteServer();

const families = Object.values(recorded) as { common: string; events: Record<string, string> }[];

/** Fields that are not declared: the index, the time in milliseconds, and the id that finds an error in the process log. */
const added = ["event_index", "created_at_ms", "error_id"];

/** Checks that the recorded declarations contain the event and each of its fields. */
function expectRecorded(name: string, data: object): void {
  if (name === "WorkflowRunOutput") return;
  const { common = "", events } = families.find(({ events }) => name in events) ?? {};
  const declared = `${common} ${events?.[name]}`.split(" ");
  expect([name, Object.keys(data).filter((member) => !declared.includes(member) && !added.includes(member))]).toEqual([
    name,
    [],
  ]);
}

/** Omits the time in milliseconds, which follows the members that all events share. Only the chunks of an answer do not have it. */
function withoutTime(event: string | undefined, keys: readonly string[]): readonly string[] {
  if (event === "WorkflowRunOutput") return keys;
  const isChunk = event === "RunContent" || event === "TeamRunContent";
  expect([event, keys.indexOf("created_at_ms")]).toEqual([event, isChunk ? -1 : keys.indexOf("nested_depth") + 1]);
  return keys.filter((key) => key !== "created_at_ms");
}

/** Each event with its fields in order; consecutive equal events are listed once. */
async function eventsOf(path: string, message: string): Promise<string[]> {
  const stream = await client().stream(path, { message });
  await stream.all();
  for (const { event, data } of stream.events) expectRecorded(event ?? "", data);
  const lines = stream.events.map(({ event, data }) => `${event}: ${withoutTime(event, Object.keys(data)).join(" ")}`);
  return lines.filter((line, place) => line !== lines[place - 1]);
}

describe("[V8] event names and fields", () => {
  test("are pinned for an agent that calls a tool", async () => {
    expect(await eventsOf("/agents/tool-agent/runs", "weather")).toEqual([
      `RunStarted: ${agent} ${model} event_index`,
      `ModelRequestStarted: ${agent} ${model} event_index`,
      `ModelRequestCompleted: ${agent} ${model} ${tokens} ${cache} event_index`,
      `ToolCallStarted: ${agent} tool event_index`,
      `ToolCallCompleted: ${agent} content tool event_index`,
      `ModelRequestStarted: ${agent} ${model} event_index`,
      `RunContent: ${agent} content workflow_agent content_type reasoning_content model_provider_data event_index`,
      `ModelRequestCompleted: ${agent} ${model} ${tokens} time_to_first_token ${cache} event_index`,
      `RunContentCompleted: ${agent} event_index`,
      `RunCompleted: ${agent} content content_type model_provider_data session_state metrics event_index`,
    ]);
  });

  test("are pinned for a team that delegates to a member", async () => {
    expect(await eventsOf("/teams/duo-team/runs", "delegate hello")).toEqual([
      `TeamRunStarted: ${team} ${model} event_index`,
      `TeamModelRequestStarted: ${team} ${model} event_index`,
      `TeamModelRequestCompleted: ${team} ${model} ${tokens} ${cache} event_index`,
      `TeamToolCallStarted: ${team} tool event_index`,
      `RunStarted: ${member} ${model} event_index`,
      `ModelRequestStarted: ${member} ${model} event_index`,
      `RunContent: ${member} content workflow_agent content_type reasoning_content model_provider_data event_index`,
      `ModelRequestCompleted: ${member} ${model} ${tokens} time_to_first_token ${cache} event_index`,
      `RunContentCompleted: ${member} event_index`,
      `RunCompleted: ${member} content content_type model_provider_data session_state metrics event_index`,
      `TeamToolCallCompleted: ${team} content tool event_index`,
      `TeamModelRequestStarted: ${team} ${model} event_index`,
      `TeamRunContent: ${team} content content_type reasoning_content model_provider_data event_index`,
      `TeamModelRequestCompleted: ${team} ${model} ${tokens} time_to_first_token ${cache} event_index`,
      `TeamRunContentCompleted: ${team} event_index`,
      `TeamRunCompleted: ${team} content content_type model_provider_data member_responses metrics event_index`,
    ]);
  });

  test.each([
    { path: "/agents/plain-agent/runs", prefix: "", who: agent },
    { path: "/teams/duo-team/runs", prefix: "Team", who: team },
  ])("are pinned for a failed and a cancelled run: $path", async ({ path, prefix, who }) => {
    expect((await eventsOf(path, "please explode")).at(-1)).toBe(
      `${prefix}RunError: ${who} content error_type error_id event_index`,
    );
    const stream = await client().stream(path, { message: "endless" });
    await stream.untilEvents(5);
    await client().post(`${path}/${stream.runId}/cancel`);
    await stream.all();
    const last = stream.events.at(-1);
    expect(last?.event).toBe(`${prefix}RunCancelled`);
    expect(
      Object.keys(last?.data ?? {})
        .filter((name) => name !== "content" && name !== "created_at_ms")
        .join(" "),
    ).toBe(`${who} reason event_index`);
  });

  test("contain all twenty fields of a tool call in ToolCallStarted", async () => {
    const stream = await client().stream("/agents/tool-agent/runs", { message: "weather" });
    await stream.all();
    const { tool } = stream.events.find(({ event }) => event === "ToolCallStarted")?.data ?? {};
    expect(Object.keys(tool).join(" ")).toBe(
      "tool_call_id tool_name tool_args tool_call_error result metrics child_run_id stop_after_tool_call created_at " +
        "requires_confirmation confirmed confirmation_note requires_user_input user_input_schema user_feedback_schema " +
        "answered external_execution_required external_execution_silent approval_type approval_id",
    );
  });

  test("are pinned for a workflow with an agent and a function", async () => {
    const own = `content workflow_agent content_type reasoning_content model_provider_data`;
    expect(await eventsOf("/workflows/simple-flow/runs", "hello")).toEqual([
      `WorkflowStarted: ${workflow} event_index`,
      `StepStarted: ${workflow} ${step} event_index`,
      `RunStarted: ${inStep} ${model} event_index`,
      `ModelRequestStarted: ${inStep} ${model} event_index`,
      `RunContent: ${inStep} ${own} event_index`,
      `ModelRequestCompleted: ${inStep} ${model} ${tokens} time_to_first_token ${cache} event_index`,
      `RunContentCompleted: ${inStep} event_index`,
      `RunCompleted: ${inStep} content content_type model_provider_data session_state metrics event_index`,
      `StepCompleted: ${workflow} ${step} content content_type step_response event_index`,
      `StepStarted: ${workflow} ${step} event_index`,
      `StepOutput: ${workflow} ${step} step_output event_index`,
      `StepCompleted: ${workflow} ${step} content content_type step_response event_index`,
      `WorkflowCompleted: ${workflow} content content_type step_results step_executor_runs metrics event_index`,
    ]);
  });

  test("are pinned for a workflow's containers, and for a failed workflow", async () => {
    const lines = await eventsOf("/workflows/rich-flow/runs", "hello");
    const pass = [
      `LoopIterationStarted: ${workflow} ${step} iteration max_iterations event_index`,
      `LoopIterationCompleted: ${workflow} ${step} iteration max_iterations iteration_results should_continue event_index`,
    ];
    expect(lines.filter((line) => /^(Parallel|Condition|Loop|Router)/.test(line))).toEqual([
      `ParallelExecutionStarted: ${workflow} ${step} parallel_step_count event_index`,
      `ParallelExecutionCompleted: ${workflow} ${step} parallel_step_count step_results event_index`,
      `ConditionExecutionStarted: ${workflow} ${step} condition_result event_index`,
      `ConditionExecutionCompleted: ${workflow} ${step} condition_result executed_steps branch step_results event_index`,
      `LoopExecutionStarted: ${workflow} ${step} max_iterations event_index`,
      ...pass,
      ...pass,
      `LoopExecutionCompleted: ${workflow} ${step} total_iterations max_iterations all_results event_index`,
      `RouterExecutionStarted: ${workflow} ${step} selected_steps event_index`,
      `RouterExecutionCompleted: ${workflow} ${step} selected_steps executed_steps step_results event_index`,
    ]);
    expect((await eventsOf("/workflows/bad-flow/runs", "hello")).slice(-2)).toEqual([
      `StepError: ${workflow} ${step} error event_index`,
      `WorkflowError: ${workflow} error error_type error_id event_index`,
    ]);
  });

  test("are pinned for pauses", async () => {
    const all = [
      ...(await eventsOf("/workflows/hitl-flow/runs", "hello")),
      ...(await eventsOf("/workflows/executor-flow/runs", "email")),
      ...(await eventsOf("/teams/hitl-team/runs", "email")),
    ];
    const waits = "content tools requirements";
    const executor = "executor_id executor_name executor_run_id executor_type executor_requirements";
    const paused =
      "status paused_step_index paused_step_name pause_kind step_requirements step_results step_executor_runs";
    expect(all.filter((line) => /^\w*Paused/.test(line))).toEqual([
      `StepPaused: ${workflow} ${step} requires_confirmation confirmation_message requires_user_input event_index`,
      `WorkflowPaused: ${workflow} ${paused} event_index`,
      `RunPaused: ${inStep} ${waits} event_index`,
      `StepExecutorPaused: ${workflow} ${step} ${executor} event_index`,
      `WorkflowPaused: ${workflow} ${paused} event_index`,
      `RunPaused: ${member} ${waits} event_index`,
      `TeamRunPaused: ${team} ${waits} event_index`,
    ]);
    const record = "input content_type workflow_id workflow_name run_id session_id created_at status";
    const waiting = "paused_step_index paused_step_name pause_kind step_requirements step_results metrics";
    const withRuns = waiting.replace("metrics", "step_executor_runs metrics");
    expect(all.filter((line) => line.startsWith("WorkflowRunOutput"))).toEqual([
      `WorkflowRunOutput: ${record} ${waiting} event_index`,
      `WorkflowRunOutput: ${record} ${withRuns} event_index`,
    ]);
  });

  test("the engine contains every declared event name, except those of features to come", () => {
    const engine = fileURLToPath(new URL("../../src/engine", import.meta.url));
    const files = readdirSync(engine, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const source = files.map((file) => readFileSync(`${engine}/${file}`, "utf8")).join("\n");
    // The engine uses the agents' names; teams and workflows add their prefix.
    const isSent = (name: string): boolean =>
      [name, name.replace(/^Team/, ""), name.replace(/^Workflow/, "Run")].some((one) => source.includes(`"${one}"`));
    const missing = families.map(({ events }) => Object.keys(events).filter((name) => !isSent(name)));
    expect(missing.map((names) => names.sort())).toEqual([
      [],
      [],
      ["ConditionPaused", "WorkflowAgentCompleted", "WorkflowAgentStarted"],
    ]);
  });
});
