/** Converts the answers in an assistant message to answers for its paused run. The engine decides whether they suffice. */
import { callsIn } from "../../model/run/pause.ts";
import type { Pause } from "../../model/run/record.ts";
import type { StepRequirement } from "../../model/workflow.ts";
import type { Answers, GivenCallAnswer, GivenStepAnswer } from "../../runs/continue.ts";
import type { CallPart } from "./request.ts";
import { chatCallId } from "./tool-calls.ts";

/** The answers to what a run waits for. Calls without an answer are left out. */
export function toAnswers(runId: string, pause: Pause, parts: readonly CallPart[]): Answers {
  // An id may occur again in a later step.
  const partOf = (id: string): CallPart | undefined => parts.findLast(({ toolCallId }) => toolCallId === id);
  const steps = (pause.stepRequirements ?? []).filter((step) => !step.executor_requirements);
  return {
    field: "messages",
    callAnswers: callsIn(pause).flatMap(({ id, member_run_id, tool_execution }): readonly GivenCallAnswer[] => {
      const part = partOf(chatCallId(runId, member_run_id, tool_execution.tool_call_id));
      const answer = part && callAnswer(part);
      return answer ? [{ requirementId: id, toolCallId: undefined, ...answer }] : [];
    }),
    stepAnswers: steps.flatMap((step): readonly GivenStepAnswer[] => {
      const part = partOf(step.requirement_id);
      const answer = part && stepAnswer(step, part);
      return answer ? [{ requirementId: step.requirement_id, stepId: undefined, stepName: undefined, ...answer }] : [];
    }),
  };
}

type CallAnswer = Omit<GivenCallAnswer, "requirementId" | "toolCallId">;

function callAnswer({ state, approval, output, errorText }: CallPart): CallAnswer | undefined {
  const note = typeof approval?.reason === "string" ? approval.reason : undefined;
  switch (state) {
    case "approval-responded":
      return { confirmed: approval?.approved === true, note };
    case "output-available":
      return {
        confirmed: true,
        note,
        result: typeof output === "string" ? output : (JSON.stringify(output) ?? "null"),
        ...(isObject(output) && { values: output }),
      };
    case "output-error": {
      const text = typeof errorText === "string" ? errorText : "The call failed.";
      return { confirmed: false, note: text, result: `Error: ${text}` };
    }
    default:
      return undefined;
  }
}

type StepAnswer = Omit<GivenStepAnswer, "requirementId" | "stepId" | "stepName">;

function stepAnswer(step: StepRequirement, { state, approval, output }: CallPart): StepAnswer | undefined {
  if (state === "approval-responded") {
    const feedback = typeof approval?.reason === "string" ? approval.reason : undefined;
    return { confirmed: approval?.approved === true, feedback };
  }
  if (state !== "output-available") return undefined;
  if (step.requires_route_selection) {
    return { confirmed: true, selectedChoices: [output].flat().filter((one) => typeof one === "string") };
  }
  if (step.requires_user_input && isObject(output)) return { confirmed: true, userInput: output };
  return { confirmed: true, ...(step.requires_output_review && { editedOutput: output }) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
