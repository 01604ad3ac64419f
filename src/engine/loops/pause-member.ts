/** The pause of a run under another run: the member emits its pause first, then each run above it pauses, too. */
import type { Hosted } from "../../define/platform.ts";
import type { Pause, ToolRequirement } from "../../model/run/record.ts";
import { pausedFields } from "./completed.ts";
import { type MemberScope, RunPaused } from "./contract.ts";
import { partialOutputOf } from "./partial-output.ts";

/**
 * Emits the member's pause and returns the parent's pause, whose requirements name the member.
 *
 * @param executed the scope in which the loop ran, with the partial output; differs from `member` if the member has a time-out, which wraps its scope
 */
export function pauseMember(member: MemberScope<Hosted>, executed: MemberScope<Hosted>, pause: Pause): RunPaused {
  const output = { contentType: "str", ...partialOutputOf(executed), pause };
  // The runs of its members have their own rows.
  const { executorRuns: _, ...kept } = output;
  member.pause(kept);
  member.emit("RunPaused", pausedFields(output, pause));
  const named = pause.requirements?.map((requirement) => withMember(requirement, member));
  const { tools: __, ...above } = pause;
  return new RunPaused({ ...above, ...(named && { requirements: named }), executorRunId: member.context.runId });
}

/** Adds the member that made the call, unless an inner pause has already added one. */
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
