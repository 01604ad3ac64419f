/** Checks people's values against the tool's input schema before the pause ends, so that they can still be corrected. */
import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { ownTools } from "../../define/mcp-server.ts";
import type { Hosted } from "../../define/platform.ts";
import type { Tool } from "../../define/tool.ts";
import { componentsWithin } from "../../define/within.ts";
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { Approval, RunApproval } from "../../model/run/approval.ts";
import type { ToolExecution, ToolRequirement } from "../../model/run/record.ts";
import type { RunRow } from "../../store/contract/store.ts";
import { checkRaise } from "../limits/raise-answers.ts";
import type { EngineParts } from "../parts.ts";
import { decisionOf } from "./approvals.ts";

/** The values for one call. */
export interface EnteredValues {
  readonly requirement: ToolRequirement;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Keeps only the values for the fields that the call asked for. */
export function onlyAsked(
  { user_input_schema }: ToolExecution,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = new Set((user_input_schema as { readonly name: string }[] | null)?.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/**
 * Checks entered values against the input schemas of their tools.
 * @param refused the beginning of the error text, before the reason
 * @throws TroupeError `badRequest` naming the value that does not fit; a factory's own error
 */
export async function checkEntered(
  { components }: Pick<EngineParts, "components">,
  run: RunRow,
  entered: readonly EnteredValues[],
  refused: string,
): Promise<void> {
  const component = entered.length > 0 && (await components.ofStored(run));
  if (!component) return;
  for (const { requirement, values } of entered) {
    const tool = toolOf(component, requirement);
    if (!tool) continue;
    const made = Object(requirement.tool_execution.tool_args) as Readonly<Record<string, unknown>>;
    const result = await tool.input.safeParseAsync({ ...made, ...values });
    const fault = result.error?.issues.find((issue) => isOfPerson(issue, tool, made, values));
    if (!fault) continue;
    const field = fault.path.length > 0 ? ` '${fault.path.map(String).join(".")}'` : "";
    throw new TroupeError(
      "badRequest",
      `${refused} - user input${field} of the tool '${tool.name}' does not fit: ${fault.message}`,
    );
  }
}

/** Checks the values of an approval, which is resolved only once. @throws TroupeError */
export async function checkResolution(
  parts: Pick<EngineParts, "components" | "store">,
  caller: Principal,
  approval: RunApproval,
  resolution: Pick<Approval, "status" | "resolutionData">,
): Promise<void> {
  checkRaise(approval, resolution);
  const { runId, requirements } = approval;
  const { confirmed, values } = decisionOf(resolution) ?? {};
  const run = confirmed && values && (await parts.store.findRun(caller, runId));
  if (!run) return;
  const asked = requirements as unknown as readonly ToolRequirement[];
  const entered = asked.flatMap((requirement) => {
    const { requires_user_input } = requirement.tool_execution;
    return requires_user_input ? [{ requirement, values: onlyAsked(requirement.tool_execution, values) }] : [];
  });
  await checkEntered(parts, run, entered, "Cannot resolve the approval");
}

/** Returns the tool of a call; undefined if the definition no longer has it, which the run itself reports. */
function toolOf(component: Hosted, { member_agent_id: id, tool_execution }: ToolRequirement): Tool | undefined {
  const asking = componentsWithin([component]).filter((one) => one.id === (id ?? component.id));
  const tools = asking.flatMap((one) => ("tools" in one ? ownTools(one) : []));
  return tools.find(({ name }) => name === tool_execution.tool_name);
}

/** Whether the person can have caused an issue; the model's own arguments are the model's to correct. */
function isOfPerson(
  { path: [field], code }: z.core.$ZodIssue,
  { userInput }: Tool,
  made: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
): boolean {
  // A rule over several fields.
  if (field === undefined) return code === "custom";
  const name = String(field);
  return userInput.includes(name) || (name in values && !isDeepStrictEqual(values[name], made[name]));
}
