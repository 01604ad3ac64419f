/** The frame after `WorkflowPaused`: the run's whole record, without its events and the messages of its steps' runs. */
import type { UnnumberedEvent } from "../../model/frame.ts";
import type { Pause, RunOutput } from "../../model/run/record.ts";
import type { RootRun } from "./root-run.ts";
import type { Scope } from "./run-scope.ts";

/** Returns the frame; undefined for a run of another kind. It has no `event` member: only the frame has the name. */
export function runOutputEvent(
  { createdAt }: RootRun,
  scope: Scope,
  output: RunOutput,
  pause: Pause,
): UnnumberedEvent | undefined {
  const { component, context, input } = scope;
  if (component.kind !== "workflow") return undefined;
  const runs = scope.executorRuns();
  const record = {
    input: input.message,
    content: output.content ?? undefined,
    content_type: output.contentType,
    workflow_id: component.id,
    workflow_name: component.name,
    run_id: context.runId,
    session_id: context.session.id,
    user_id: context.userId ?? undefined,
    created_at: Math.floor(createdAt / 1000),
    status: "PAUSED",
    metadata: output.metadata,
    paused_step_index: pause.stepIndex,
    paused_step_name: pause.stepName,
    pause_kind: pause.kind === "tool" ? undefined : pause.kind,
    step_requirements: [
      ...(scope.withAnswered(output).answered?.stepRequirements ?? []),
      ...(pause.stepRequirements ?? []),
    ],
    step_results: output.stepResults,
    step_executor_runs: runs.length > 0 ? runs : undefined,
    metrics: output.metrics ?? {},
  };
  return { name: "WorkflowRunOutput", members: JSON.stringify(record).slice(1, -1) };
}
