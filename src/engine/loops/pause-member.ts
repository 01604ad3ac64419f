/** The pause of a run under another run: the member emits its pause first, then each run above it pauses, too. */
import type { Hosted } from "../../define/platform.ts";
import type { Pause, ToolRequirement } from "../../model/record.ts";
import { pausedFields } from "./completed.ts";
import { type MemberScope, RunPaused } from "./contract.ts";
import { partialOutputOf } from "./partial-output.ts";

/**
 * Emits the member's pause and returns the parent's pause, whose requirements name the member.
 *
 * @param executed the scope that the loop ran in, which has the partial output; a time-out of the member's own wraps `member` in another scope
 */
export function pauseMember(member: MemberScope<Hosted>, executed: MemberScope<Hosted>, pause: Pause): RunPaused {
  const output = { contentType: "str", ...partialOutputOf(executed), pause };
  // Runs under it have rows of their own.
  const { executorRuns: _, ...kept } = output;
  member.pause(kept);
  member.emit("RunPaused", pausedFields(output, pause));
  const named = pause.requirements?.map((requirement) => withMember(requirement, member));
  const { tools: __, ...above } = pause;
  return new RunPaused({ ...above, ...(named && { requirements: named }), executorRunId: member.context.runId });
}

/** Adds the member that made the call; the innermost one stays. */
function withMember(requirement: ToolRequirement, { component, context }: MemberScope<Hosted>): ToolRequirement {
  if (requirement.member_run_id !== undefined) return requirement;
  const { id, created_at, ...asked } = requirement;
  return {
    ...{ id, created_at },
    member_agent_id: component.id,
    member_agent_name: component.name,
    member_run_id: context.runId,
    ...asked,
  };
}
