/** The pause of a run whose hook asks for an approval. */
import type { HookPoint } from "../../define/hooks.ts";
import { inputRefusedType } from "../../model/run/failure.ts";
import { RunFailure, RunPaused, type RunScope } from "../loops/contract.ts";
import { type CallAnswer, requirementOf } from "../pause/waiting-calls.ts";

/** The name under which records show the request, as if it were a tool call. */
const approvalTool = "approve_hook";

/** A request of a hook for an approval. */
export interface HookQuestion {
  readonly hook: string;
  readonly point: HookPoint;
  readonly text: string;
  /** Name of the mark that stores the hook's outcome. */
  readonly outcome: string;
}

/**
 * Returns if an approver has approved the request.
 * @throws RunPaused without an answer; RunFailure `input_check_error` after a rejection
 */
export function requireApproval(scope: RunScope, { hook, point, text, outcome }: HookQuestion): void {
  const answerName = `${outcome}/answer`;
  const answer = scope.mark(answerName) as CallAnswer | undefined;
  if (answer?.confirmed) return;
  if (answer) throw new RunFailure(inputRefusedType, answer.note || `An approver rejected the run: ${text}`);
  const id = scope.runtime.randomness.uuid();
  const requirement = requirementOf(
    scope,
    { id: `${approvalTool}-${id}`, name: approvalTool, input: { hook, point, reason: text } },
    { requires_confirmation: true, confirmation_note: text, approval_type: "required", approval_id: id },
  );
  const { kind, id: sourceId, name } = scope.component;
  const source = { kind, id: sourceId, name };
  throw new RunPaused({
    kind: "tool",
    requirements: [requirement],
    runKeys: { [requirement.id]: scope.runKey },
    answerNames: { [requirement.id]: answerName },
    approvals: [{ id, type: "required", pauseType: "confirmation", source, requirementId: requirement.id }],
    text,
  });
}
