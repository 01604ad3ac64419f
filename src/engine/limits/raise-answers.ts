/** Answers of approvers about limits: how much they raise a limit for one run. */
import { TroupeError } from "../../errors.ts";
import type { Approval, RunApproval } from "../../model/run/approval.ts";
import type { ToolRequirement } from "../../model/run/record.ts";

/** The name under which records show the request to raise a limit, as if it were a tool call. */
export const raiseTool = "raise_limit";

const prefix = "limit:";

/** An approver's answer, as its mark stores it. */
export interface RaiseAnswer {
  readonly confirmed?: boolean;
  readonly values?: { readonly raise?: number };
}

/** The name of the mark of an answer. */
export function raiseName(boundId: string, approvalId: string): string {
  return `${prefix}${boundId}/${approvalId}`;
}

/** Returns the limit's id in the name of an answer's mark; undefined for every other mark. */
export function limitRaisedBy(name: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length, name.lastIndexOf("/")) : undefined;
}

/** The raise in an approver's values. @throws TroupeError `badRequest` if it is not an amount */
export function raiseOf(values: Readonly<Record<string, unknown>> | undefined): RaiseAnswer["values"] {
  const raise = values?.raise;
  if (raise === undefined) return undefined;
  if (typeof raise === "number" && Number.isFinite(raise) && raise > 0 && raise <= 1e15) return { raise };
  throw new TroupeError("badRequest", "The raise of a limit must be a number above 0.");
}

/** Whether an approval is about a limit and not about a tool call. */
export function isAboutLimit({ requirements }: Pick<RunApproval, "requirements">): boolean {
  const [requirement] = requirements as unknown as readonly ToolRequirement[];
  const { tool_call_id: id, tool_name: name } = requirement?.tool_execution ?? {};
  return name === raiseTool && id?.startsWith(`${raiseTool}-`) === true;
}

/** Checks the raise in the resolution of an approval, which cannot be resolved a second time. @throws TroupeError `badRequest` */
export function checkRaise(
  approval: RunApproval,
  { status, resolutionData }: Pick<Approval, "status" | "resolutionData">,
): void {
  if (status !== "approved" || !isAboutLimit(approval)) return;
  const { values } = resolutionData ?? {};
  if (typeof values === "object" && values !== null) raiseOf(values as Record<string, unknown>);
}
