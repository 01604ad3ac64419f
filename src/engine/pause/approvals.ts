/** Approvals of waiting calls: created with the pause, resolved with its answer or earlier. */
import type { Approval, CallApproval, Resolution } from "../../model/run/approval.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { Pause, ToolRequirement } from "../../model/run/record.ts";
import type { ApprovalCreation } from "../../store/contract/approvals.ts";
import type { Scope } from "../run/run-scope.ts";
import type { CallAnswer } from "./waiting-calls.ts";

/** Returns the approvals that a root run's pause creates. */
export function approvalsFor({ component, runtime }: Scope, pause: Pause): readonly ApprovalCreation[] {
  const requirements = callsIn(pause);
  const createdAt = runtime.clock.now();
  return (pause.approvals ?? []).flatMap((approval) => {
    const requirement = requirements.find(({ id }) => id === approval.requirementId);
    return requirement ? [toCreation(approval, requirement, component, createdAt)] : [];
  });
}

function toCreation(
  { id, type, pauseType, source }: CallApproval,
  requirement: ToolRequirement,
  root: Scope["component"],
  createdAt: number,
): ApprovalCreation {
  const ids = { [source.kind]: source.id, [root.kind]: root.id };
  const { tool_name: toolName, tool_args: toolArgs } = requirement.tool_execution;
  return {
    ...{ id, type, pauseType, sourceType: source.kind, sourceName: source.name },
    ...{ agentId: ids.agent ?? null, teamId: ids.team ?? null, workflowId: ids.workflow ?? null },
    ...{ toolName, toolArgs, requirements: [{ ...requirement }], createdAt },
  };
}

/** Returns the answer that an approved or rejected approval gives; undefined for any other status. */
export function decisionOf({
  status,
  resolutionData,
}: Pick<Approval, "status" | "resolutionData">): CallAnswer | undefined {
  if (status !== "approved" && status !== "rejected") return undefined;
  const { note, values, result } = resolutionData ?? {};
  return {
    confirmed: status === "approved",
    ...(typeof note === "string" && { note }),
    ...(typeof values === "object" && values !== null && !Array.isArray(values) && { values: { ...values } }),
    ...(typeof result === "string" && { result }),
  };
}

/** Returns how a call's answer resolves its approval. */
export function resolutionOf(
  { confirmed, note, values, result }: CallAnswer,
  userId: string | null,
  at: number,
): Resolution {
  const entries = Object.entries({ note, values, result }).filter(([, value]) => value !== undefined);
  return {
    status: confirmed === false ? "rejected" : "approved",
    resolvedBy: userId,
    data: entries.length > 0 ? Object.fromEntries(entries) : null,
    at,
  };
}
