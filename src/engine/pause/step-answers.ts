/** Answers to a paused workflow's steps, checked against the questions. */
import { TroupeError } from "../../errors.ts";
import type { Pause } from "../../model/run/record.ts";
import type { InputField, StepAnswer, StepRequirement } from "../../model/workflow.ts";

/** A caller's answer and the question that it references. */
export interface GivenStepAnswer extends StepAnswer {
  readonly requirementId: string | undefined;
  readonly stepId: string | undefined;
  readonly stepName: string | undefined;
}

/** A workflow's question and its answer. */
export interface AnsweredStep {
  readonly requirement: StepRequirement;
  readonly answer: StepAnswer;
}

/**
 * Returns a workflow's answers.
 * @throws TroupeError `badRequest` naming a question that is unanswered or answered wrongly
 */
export function stepAnswers(pause: Pause, given: readonly GivenStepAnswer[], now: number): readonly AnsweredStep[] {
  const open = stepQuestions(pause);
  const answered = open
    .filter((requirement) => !isOverdue(requirement, now))
    .map((requirement) => ({ requirement, answer: given.findLast((one) => isFor(requirement, one, open)) }));
  const missing = answered.filter(({ requirement, answer }) => !answer || !isAnswer(requirement, answer));
  if (missing.length > 0) {
    const names = missing.map(({ requirement }) => `'${requirement.step_name}'`).join(", ");
    const text = `Cannot continue run - unresolved step requirements: [${names}]`;
    const unmatched = unmatchedAnswer(pause, given);
    throw new TroupeError("badRequest", unmatched ? `${text}. ${unmatched}` : text);
  }
  const resolved = answered.map(({ requirement, answer }) => ({
    requirement,
    answer: checked(requirement, answer as StepAnswer),
  }));
  return [...resolved, ...overdueSteps(pause, now)];
}

/** The error text for an answer that matches no waiting step. Answers to an executor's calls match that executor's step. */
function unmatchedAnswer({ stepRequirements = [] }: Pause, given: readonly GivenStepAnswer[]): string | undefined {
  const unmatched = given.find((one) => !stepRequirements.some((requirement) => isOf(requirement, one)));
  if (!unmatched) return undefined;
  const { requirementId, stepId, stepName } = unmatched;
  const names = { requirement_id: requirementId, step_id: stepId, step_name: stepName };
  const [field, value] = Object.entries(names).find(([, one]) => one !== undefined) ?? [];
  return value === undefined
    ? "An answer names neither requirement_id, step_id nor step_name."
    : `No step that waits has the ${field} ${JSON.stringify(value.slice(0, 255))}.`;
}

/** Whether an answer references a question; the first given identifier decides. */
function isOf({ requirement_id, step_id, step_name }: StepRequirement, given: GivenStepAnswer): boolean {
  if (given.requirementId !== undefined) return given.requirementId === requirement_id;
  return given.stepId !== undefined ? given.stepId === step_id : given.stepName === step_name;
}

function stepQuestions({ stepRequirements = [] }: Pause): readonly StepRequirement[] {
  return stepRequirements.filter((requirement) => !requirement.executor_requirements);
}

/** Whether the question's deadline has passed. The deadline alone decides: a later answer changes nothing. */
function isOverdue({ timeout_at }: StepRequirement, now: number): boolean {
  return timeout_at !== null && Date.parse(timeout_at) <= now;
}

/** Returns the default answers of the overdue questions. */
export function overdueSteps(pause: Pause, now: number): readonly AnsweredStep[] {
  const overdue = stepQuestions(pause).filter((requirement) => isOverdue(requirement, now));
  return overdue.map((requirement) => ({ requirement, answer: { timedOut: requirement.on_timeout } }));
}

/** The earliest deadline of a pause's questions, in milliseconds of the wall clock; undefined if none has a deadline. */
export function overdueAt(pause: Pause): number | undefined {
  const times = stepQuestions(pause).flatMap(({ timeout_at }) => (timeout_at === null ? [] : Date.parse(timeout_at)));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** An answer without a requirement id applies to the step's only question. */
function isFor(requirement: StepRequirement, given: GivenStepAnswer, open: readonly StepRequirement[]): boolean {
  if (!isOf(requirement, given)) return false;
  return given.requirementId !== undefined || open.filter((one) => isOf(one, given)).length === 1;
}

function isAnswer(requirement: StepRequirement, answer: StepAnswer): boolean {
  if (requirement.requires_output_review) return answer.confirmed !== undefined || answer.editedOutput !== undefined;
  if (requirement.requires_confirmation && answer.confirmed === undefined) return false;
  if (requirement.requires_confirmation && answer.confirmed === false) return true;
  if (requirement.requires_user_input && answer.userInput === undefined) return false;
  return !requirement.requires_route_selection || answer.selectedChoices !== undefined;
}

function checked(requirement: StepRequirement, answer: StepAnswer): StepAnswer {
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
  const count = allow_multiple_selections ? "one or more" : "one";
  const names = available_choices?.join(", ");
  throw new TroupeError("badRequest", `Cannot continue run - choose ${count} for the step '${step_name}' of: ${names}`);
}
