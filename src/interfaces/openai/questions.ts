/** The questions of a paused run as this protocol shows them, and their answers as the engine takes them. */
import { TroupeError } from "../../errors.ts";
import { BadJson, parseJson } from "../../model/json-text.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { Pause, ToolRequirement } from "../../model/run/record.ts";
import type { StepRequirement } from "../../model/workflow.ts";
import type { Answers, GivenCallAnswer, GivenStepAnswer } from "../../runs/continue.ts";
import type { GivenAnswer } from "./input/conversation.ts";

/** A question as a call: of a tool that waits, or of a workflow's step. */
export interface Question {
  readonly id: string;
  readonly name: string;
  /** The call's arguments as JSON text. */
  readonly arguments: string;
  /** Whether a yes or a no is the whole answer. */
  readonly isApproval: boolean;
}

/** The requirements of a paused run, in the form of its pause event. */
export interface PauseFields {
  readonly requirements?: readonly ToolRequirement[];
  readonly step_requirements?: readonly StepRequirement[];
}

/** The questions of a pause. */
export function questionsOf({ requirements = [], step_requirements: steps = [] }: PauseFields): readonly Question[] {
  return [
    ...callsIn({ requirements, stepRequirements: steps }).map(ofCall),
    ...steps.filter(({ executor_requirements: calls }) => !calls).map(ofStep),
  ];
}

interface Field {
  readonly name: string;
  readonly value?: unknown;
}

/** A call that waits. Fields that a person enters are members of its arguments that are null. */
function ofCall({ id, tool_execution: call }: ToolRequirement): Question {
  const fields = Object.fromEntries(missingFields(call).map(({ name }) => [name, null]));
  return {
    id,
    name: call.tool_name,
    arguments: JSON.stringify({ ...Object(call.tool_args), ...fields }),
    isApproval: call.requires_confirmation === true && !call.requires_user_input && !call.external_execution_required,
  };
}

function missingFields({ user_input_schema: fields }: ToolRequirement["tool_execution"]): readonly Field[] {
  return ((fields ?? []) as readonly Field[]).filter(({ value }) => value === undefined || value === null);
}

function ofStep(step: StepRequirement): Question {
  const inputs = step.requires_user_input ? (step.user_input_schema ?? []) : [];
  const message = step.requires_confirmation
    ? step.confirmation_message
    : step.requires_user_input
      ? step.user_input_message
      : step.output_review_message;
  const shown = {
    ...(message !== null && { message }),
    ...(step.requires_output_review && { output: step.step_output?.content }),
    ...(step.requires_route_selection && { choices: step.available_choices }),
    ...Object.fromEntries(inputs.map(({ name }) => [name, null])),
  };
  const isOpen = step.requires_user_input || step.requires_route_selection;
  return { id: step.requirement_id, name: step.step_name, arguments: JSON.stringify(shown), isApproval: !isOpen };
}

/** The answers for the engine, which decides whether they suffice. @throws TroupeError `badRequest` for an answer to no question of the pause */
export function toAnswers(pause: Pause, given: readonly GivenAnswer[]): Answers {
  const callAnswers: GivenCallAnswer[] = [];
  const stepAnswers: GivenStepAnswer[] = [];
  for (const answer of given) {
    const call = callsIn(pause).find(({ id }) => id === answer.questionId);
    const step = pause.stepRequirements?.find(({ requirement_id: id }) => id === answer.questionId);
    if (call) callAnswers.push(callAnswer(call, answer));
    else if (step) stepAnswers.push(stepAnswer(step, answer));
    else throw new TroupeError("badRequest", `No question of the run has the id ${JSON.stringify(answer.questionId)}.`);
  }
  return { callAnswers, stepAnswers, field: "input" };
}

function callAnswer(
  { id, tool_execution: call }: ToolRequirement,
  { approve, reason, text }: GivenAnswer,
): GivenCallAnswer {
  const names = missingFields(call).map(({ name }) => name);
  const { approve: inText, reason: why, ...values } = objectIn(text);
  return {
    requirementId: id,
    toolCallId: call.tool_call_id,
    confirmed: approve ?? booleanIn(inText) ?? wordIn(text),
    note: reason ?? (typeof why === "string" ? why : undefined),
    values: valuesIn(names, values, text),
    result: text,
  };
}

function stepAnswer(step: StepRequirement, { approve, reason, text }: GivenAnswer): GivenStepAnswer {
  const names = (step.user_input_schema ?? []).map(({ name }) => name);
  const { approve: inText, reason: why, choices, output, ...values } = objectIn(text);
  const chosen = Array.isArray(choices) ? choices.map(String) : [text.trim()];
  const feedback = reason ?? (typeof why === "string" ? why : undefined);
  return {
    requirementId: step.requirement_id,
    stepId: step.step_id,
    stepName: step.step_name,
    confirmed: approve ?? booleanIn(inText) ?? wordIn(text),
    userInput: valuesIn(names, values, text),
    ...(step.requires_route_selection && { selectedChoices: chosen }),
    ...(output !== undefined && { editedOutput: output }),
    ...(feedback !== undefined && { feedback }),
  };
}

/** Values of the requested fields: members of a JSON object, or the whole text if one field is requested. */
function valuesIn(
  names: readonly string[],
  values: Readonly<Record<string, unknown>>,
  text: string,
): Readonly<Record<string, unknown>> | undefined {
  const given = names.filter((name) => Object.hasOwn(values, name));
  if (given.length > 0) return Object.fromEntries(given.map((name) => [name, values[name]]));
  const [name, ...more] = names;
  return name !== undefined && more.length === 0 && text !== "" ? { [name]: text } : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  if (!/^\s*\{/.test(text)) return {};
  try {
    return parseJson(text) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof BadJson) return {};
    throw error;
  }
}

function booleanIn(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

const words: Readonly<Record<string, boolean>> = {
  ...{ yes: true, y: true, ok: true, true: true, approve: true, approved: true, confirm: true, confirmed: true },
  ...{ no: false, n: false, false: false, reject: false, rejected: false, deny: false, denied: false },
};

/** A yes or a no. */
function wordIn(text: string): boolean | undefined {
  const word = text.trim().toLowerCase().replace(/[.!]$/, "");
  return Object.hasOwn(words, word) ? words[word] : undefined;
}
