/** Answers to what a paused run waits for: checked against what it asked, and made what its next attempt finds settled. */
import { TroupeError } from "../../errors.ts";
import type { Pause } from "../../model/record.ts";
import type { InputField, StepAnswer, StepRequirement } from "../../model/workflow.ts";
import type { Mark, RunRef } from "../../store/seam.ts";
import { answerName } from "../loops/workflow/questions.ts";

/** An answer as it came from outside: for which question, and what was said. */
export interface GivenStepAnswer extends StepAnswer {
  readonly requirementId: string | undefined;
  readonly stepId: string | undefined;
  readonly stepName: string | undefined;
}

/**
 * The marks of a workflow's answers.
 * @throws TroupeError `badRequest` naming what is not answered, or not answered as asked
 */
export function stepAnswers(
  run: RunRef,
  pause: Pause,
  given: readonly GivenStepAnswer[],
  now: number,
): readonly Mark[] {
  const open = pause.stepRequirements ?? [];
  const answered = open.map((requirement) => ({
    requirement,
    answer: given.find((one) => isFor(requirement, one, open)),
  }));
  const missing = answered.filter(({ requirement, answer }) => !answer || !isAnswer(requirement, answer));
  if (missing.length > 0) {
    const names = missing.map(({ requirement }) => `'${requirement.step_name}'`).join(", ");
    throw new TroupeError("badRequest", `Cannot continue run - unresolved step requirements: [${names}]`);
  }
  return answered.map(({ requirement, answer }) => ({
    runKey: run.key,
    name: answerName(requirement.requirement_id),
    createdAt: now,
    body: JSON.stringify(settled(requirement, answer as StepAnswer)),
  }));
}

/** Who names no question answers the only one of the step. */
function isFor(requirement: StepRequirement, given: GivenStepAnswer, open: readonly StepRequirement[]): boolean {
  if (given.requirementId !== undefined) return given.requirementId === requirement.requirement_id;
  if (given.stepId !== undefined)
    return given.stepId === requirement.step_id && open.filter((one) => one.step_id === given.stepId).length === 1;
  const { stepName } = given;
  return stepName === requirement.step_name && open.filter((one) => one.step_name === stepName).length === 1;
}

function isAnswer(requirement: StepRequirement, answer: StepAnswer): boolean {
  if (requirement.requires_output_review) return answer.confirmed !== undefined || answer.editedOutput !== undefined;
  if (requirement.requires_confirmation && answer.confirmed === undefined) return false;
  if (requirement.requires_confirmation && answer.confirmed === false) return true;
  if (requirement.requires_user_input && answer.userInput === undefined) return false;
  return !requirement.requires_route_selection || answer.selectedChoices !== undefined;
}

function settled(requirement: StepRequirement, answer: StepAnswer): StepAnswer {
  const { confirmed, userInput, selectedChoices, editedOutput, feedback } = answer;
  if (requirement.requires_user_input && confirmed !== false) checkFields(requirement, userInput ?? {});
  if (requirement.requires_route_selection) checkChoices(requirement, selectedChoices ?? []);
  return { confirmed, userInput, selectedChoices, editedOutput, feedback };
}

const types: Readonly<Record<InputField["field_type"], (value: unknown) => boolean>> = {
  str: (value) => typeof value === "string",
  int: (value) => Number.isInteger(value),
  float: (value) => typeof value === "number",
  bool: (value) => typeof value === "boolean",
  list: (value) => Array.isArray(value),
  dict: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

function checkFields(
  { step_name, user_input_schema }: StepRequirement,
  values: Readonly<Record<string, unknown>>,
): void {
  for (const { name, field_type, required } of user_input_schema ?? []) {
    const value = values[name];
    const isAbsent = value === undefined || value === null;
    if (isAbsent && !required) continue;
    if (isAbsent || !types[field_type](value)) {
      const what = isAbsent ? "is missing" : `must be of the type ${field_type}`;
      throw new TroupeError(
        "badRequest",
        `Cannot continue run - user input '${name}' of the step '${step_name}' ${what}`,
      );
    }
  }
}

function checkChoices(requirement: StepRequirement, chosen: readonly string[]): void {
  const { step_name, available_choices, allow_multiple_selections } = requirement;
  const unknown = chosen.find((name) => !available_choices?.includes(name));
  if (unknown === undefined && chosen.length > 0 && (chosen.length === 1 || allow_multiple_selections)) return;
  const wanted = allow_multiple_selections ? "one or more" : "one";
  const names = available_choices?.join(", ");
  throw new TroupeError(
    "badRequest",
    `Cannot continue run - choose ${wanted} for the step '${step_name}' of: ${names}`,
  );
}
