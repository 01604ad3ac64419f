/** Names of events, their order and their members, as literals, taken from the recordings. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Server } from "../../src/platform.ts";
import type { Client } from "../conformance/support/client.ts";
import { startServer } from "../conformance/support/server.ts";
import { createDataDir } from "../support/databases.ts";

const agent = "created_at event agent_id agent_name run_id session_id nested_depth";
const member = "created_at event agent_id agent_name run_id parent_run_id session_id nested_depth";
const team = "created_at event team_id team_name run_id session_id nested_depth";
const model = "model model_provider";
const tokens = "input_tokens output_tokens total_tokens";
const cache = "reasoning_tokens cache_read_tokens cache_write_tokens";

let folder: Awaited<ReturnType<typeof createDataDir>>;
let running: { server: Server; client: Client };
beforeAll(async () => {
  folder = await createDataDir();
  running = await startServer({ kind: "sqlite", dataDir: folder.path });
});
afterAll(async () => {
  await running.server.close({ grace: 0 });
  await folder.remove();
});

/** Each event with its members in their order; events that repeat stand once. */
async function eventsOf(path: string, message: string): Promise<string[]> {
  const stream = await running.client.stream(path, { message });
  await stream.all();
  const lines = stream.events.map(({ event, data }) => `${event}: ${Object.keys(data).join(" ")}`);
  return lines.filter((line, place) => line !== lines[place - 1]);
}

describe("[V8] events", () => {
  test("of an agent that calls a tool", async () => {
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

  test("of a team that delegates to a member", async () => {
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
  ])("of a failure and of a cancelled run: $path", async ({ path, prefix, who }) => {
    expect((await eventsOf(path, "please explode")).at(-1)).toBe(
      `${prefix}RunError: ${who} content error_type error_id event_index`,
    );
    const stream = await running.client.stream(path, { message: "endless" });
    await stream.untilEvents(5);
    await running.client.post(`${path}/${stream.runId}/cancel`);
    await stream.all();
    const last = stream.events.at(-1);
    expect(last?.event).toBe(`${prefix}RunCancelled`);
    expect(
      Object.keys(last?.data ?? {})
        .filter((name) => name !== "content")
        .join(" "),
    ).toBe(`${who} reason event_index`);
  });

  test("a tool shows all its twenty members, null where there is nothing to say", async () => {
    const stream = await running.client.stream("/agents/tool-agent/runs", { message: "weather" });
    await stream.all();
    const { tool } = stream.events.find(({ event }) => event === "ToolCallStarted")?.data ?? {};
    expect(Object.keys(tool).join(" ")).toBe(
      "tool_call_id tool_name tool_args tool_call_error result metrics child_run_id stop_after_tool_call created_at " +
        "requires_confirmation confirmed confirmation_note requires_user_input user_input_schema user_feedback_schema " +
        "answered external_execution_required external_execution_silent approval_type approval_id",
    );
  });
});
