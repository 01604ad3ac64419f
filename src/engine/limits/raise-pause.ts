/** The pause of a run that has reached a limit: it waits for an approval. */
import type { Hosted } from "../../define/platform.ts";
import { shownAmount } from "../../model/usage/limits.ts";
import type { RunScope } from "../loops/contract.ts";
import { RunPaused } from "../loops/contract.ts";
import { requirementOf } from "../pause/waiting-calls.ts";
import { type Bound, describeBound, toShownLimit } from "./bounds.ts";
import { raiseName, raiseTool } from "./raise-answers.ts";

/** Pauses the run until an approver raises the limit for this run, or rejects it. */
export function raisePause(
  scope: Pick<RunScope<Hosted>, "runtime" | "runKey" | "component">,
  bound: Bound,
  used: number,
): RunPaused {
  const { clock, randomness } = scope.runtime;
  const id = randomness.uuid();
  const shown = toShownLimit(bound, used, clock.now());
  const exceededBy = shownAmount(bound.metric, Math.max(0, used - bound.allowed));
  const text =
    `${describeBound(bound)}, and ${shown.used} are used. The run continues when a caller with the scope approvals:write approves it ` +
    `with a raise of more than ${exceededBy} (resolution_data: {"values": {"raise": …}}).`;
  const input = { limit: shown, exceeded_by: exceededBy, required_scope: "approvals:write" };
  const requirement = requirementOf(
    scope,
    { id: `${raiseTool}-${id}`, name: raiseTool, input },
    { requires_confirmation: true, confirmation_note: text, approval_type: "required", approval_id: id },
  );
  const { kind, id: sourceId, name } = scope.component;
  const source = { kind, id: sourceId, name };
  return new RunPaused({
    kind: "tool",
    requirements: [requirement],
    runKeys: { [requirement.id]: scope.runKey },
    answerNames: { [requirement.id]: raiseName(bound.id, id) },
    approvals: [{ id, type: "required", pauseType: "confirmation", source, requirementId: requirement.id }],
    text,
  });
}
