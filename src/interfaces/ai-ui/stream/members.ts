/** The runs of members and of steps, as data parts of the message. */
import type { Chunk, ToolMetadata } from "./chunks.ts";
import type { LogEvent } from "./log-event.ts";

/** The chunks of an event of a member's run, or of a step's run, without its calls. */
export function memberChunks(base: string, event: LogEvent): readonly Chunk[] {
  const { run_id: runId, content, reasoning_content: reasoning } = event;
  switch (base) {
    case "RunStarted":
    case "RunContinued":
      return [memberChunk(event, "running")];
    case "RunContent": {
      const thought = reasoning ? [memberText(runId, { reasoning })] : [];
      const isText = typeof content === "string" && content !== "";
      return isText ? [...thought, memberText(runId, { delta: content })] : thought;
    }
    case "ReasoningContentDelta":
    case "ReasoningStep":
      return reasoning ? [memberText(runId, { reasoning })] : [];
    case "RunRecovered":
      return [memberText(runId, { reset: true }), memberChunk(event, "running")];
    case "RunPaused":
      return [memberChunk(event, "paused")];
    case "RunCompleted":
      return [memberChunk(event, "completed", { content })];
    case "RunCancelled":
      return [memberChunk(event, "cancelled")];
    case "RunError":
      return [memberChunk(event, "failed", { error: event.error ?? content })];
    default:
      return [];
  }
}

function memberChunk(event: LogEvent, status: string, more: Readonly<Record<string, unknown>> = {}): Chunk {
  const { run_id: runId, parent_run_id: parentRunId, agent_id, team_id, workflow_id, step_name: stepName } = event;
  const id = agent_id ?? team_id ?? workflow_id;
  const name = event.agent_name ?? event.team_name ?? event.workflow_name ?? id;
  const data = {
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    id,
    name,
    ...(stepName !== undefined && { stepName }),
    status,
    ...more,
  };
  return { type: "data-member", id: runId, data };
}

/** Texts of members are transient: `onData` receives them, and the message keeps the complete text at the member's end. */
function memberText(runId: string, data: Readonly<Record<string, unknown>>): Chunk {
  return { type: "data-member-text", data: { runId, ...data }, transient: true };
}

/** Names the member that made a call. */
export function memberMetadata({
  run_id: memberRunId,
  agent_id,
  team_id,
  agent_name,
  team_name,
}: LogEvent): ToolMetadata {
  const id = agent_id ?? team_id;
  const name = agent_name ?? team_name ?? id;
  return { memberRunId, ...(id !== undefined && { memberId: id }), ...(name !== undefined && { memberName: name }) };
}
