/** Answers to what a paused run waits for: checked against what it asked, and made what its next attempt finds settled. */
import { InvariantError, TroupeError } from "../../errors.ts";
import type { Pause, ToolExecution, ToolRequirement } from "../../model/record.ts";
import type { InputField, StepAnswer, StepRequirement } from "../../model/workflow.ts";
import type { Mark } from "../../store/seam.ts";
import { answerName, questionIn } from "../loops/workflow/questions.ts";
import { type CallAnswer, callAnswerName } from "../tool-call/waiting-calls.ts";

/** An answer to a tool call as it came from outside. */
export interface GivenCallAnswer extends CallAnswer {
  readonly requirementId: string | undefined;
  readonly toolCallId: string | undefined;
}

/** An answer as it came from outside: for which question, and what was said. */
export interface GivenStepAnswer extends StepAnswer {
  readonly requirementId: string | undefined;
  readonly stepId: string | undefined;
  readonly stepName: string | undefined;
}

/** The marks of all answers. @throws TroupeError `badRequest` naming what is not answered */
export function marksOf(answers: GivenAnswers, now: number): readonly Mark[] {
  const { pause, stepAnswers: steps, callAnswers: calls, field } = answers;
  return [...stepAnswers(pause, steps, now), ...callAnswers(pause, calls, field, now)];
}

/** What a paused run waits for, and what is answered. */
export interface GivenAnswers {
  readonly pause: Pause;
  readonly stepAnswers: readonly GivenStepAnswer[];
  readonly callAnswers: readonly GivenCallAnswer[];
  /** The name by which the caller sends answers to tool calls. */
  readonly field: string;
}

/**
 * The marks of a workflow's answers.
 * @throws TroupeError `badRequest` naming what is not answered, or not answered as asked
 */
function stepAnswers(pause: Pause, given: readonly GivenStepAnswer[], now: number): readonly Mark[] {
  const open = (pause.stepRequirements ?? []).filter((requirement) => !requirement.executor_requirements);
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
    runKey: keyOf(pause, requirement.requirement_id),
    name: answerName(questionIn(requirement.requirement_id)),
    createdAt: now,
    body: JSON.stringify(settled(requirement, answer as StepAnswer)),
  }));
}

function keyOf({ runKeys }: Pause, id: string): number {
  const key = runKeys?.[id];
  if (key === undefined) throw new InvariantError(`It is not known which run the question ${id} is of.`);
  return key;
}

/** The tool calls that a paused run waits for: its own, its members', and those of its steps' executors. */
function callsIn({ requirements, stepRequirements }: Pause): readonly ToolRequirement[] {
  const ofSteps = stepRequirements?.flatMap((step) => (step.executor_requirements ?? []) as ToolRequirement[]);
  return [...(requirements ?? []), ...(ofSteps ?? [])];
}

/**
 * The marks of answers to tool calls. `field` is where they were expected.
 * @throws TroupeError `badRequest` when one is missing, or is none
 */
function callAnswers(pause: Pause, given: readonly GivenCallAnswer[], field: string, now: number): readonly Mark[] {
  const open = callsIn(pause);
  return open.map((requirement) => {
    const answer = given.find((one) => isForCall(requirement, one, open));
    if (!answer || !answers(requirement.tool_execution, answer)) {
      const advice = `Provide the ${field} parameter with an answer to ${requirement.tool_execution.tool_name}.`;
      throw new TroupeError("badRequest", `Run has unresolved HITL requirements. ${advice}`);
    }
    return {
      runKey: keyOf(pause, requirement.id),
      name: pause.answerNames?.[requirement.id] ?? callAnswerName(requirement.tool_execution.tool_call_id),
      createdAt: now,
      body: JSON.stringify(askedFor(requirement.tool_execution, answer)),
    };
  });
}

function isForCall(
  { id, tool_execution }: ToolRequirement,
  given: GivenCallAnswer,
  open: readonly ToolRequirement[],
): boolean {
  if (given.requirementId !== undefined && given.requirementId === id) return true;
  const { tool_call_id } = tool_execution;
  if (given.toolCallId !== tool_call_id) return false;
  return open.filter((one) => one.tool_execution.tool_call_id === tool_call_id).length === 1;
}

/** Only what was asked for: a call that is made here is not answered from outside. */
function askedFor(execution: ToolExecution, { confirmed, note, values, result }: CallAnswer): CallAnswer {
  return {
    ...(execution.requires_confirmation && { confirmed, note }),
    ...(execution.requires_user_input && { values: onlyAsked(execution, values ?? {}) }),
    ...(execution.external_execution_required && { result }),
  };
}

function onlyAsked(
  { user_input_schema }: ToolExecution,
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = new Set((user_input_schema as { readonly name: string }[] | null)?.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}

/** Whether an answer has what the call waits for. A no needs nothing else. */
function answers(execution: ToolExecution, { confirmed, values, result }: GivenCallAnswer): boolean {
  if (execution.requires_confirmation && confirmed === undefined) return false;
  if (execution.requires_confirmation && confirmed === false) return true;
  if (execution.external_execution_required && result === undefined) return false;
  if (!execution.requires_user_input) return true;
  const fields = (execution.user_input_schema ?? []) as { readonly name: string; readonly value: unknown }[];
  return values !== undefined && fields.every(({ name, value }) => (values[name] ?? value ?? null) !== null);
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
