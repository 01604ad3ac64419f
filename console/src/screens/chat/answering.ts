/** The questions of a paused run, and the answers in the form of the interface. */
import type { ComponentKind } from "../../api/component-kinds.ts";
import type { Fields, Pause } from "./run-view.ts";

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly value: unknown;
}

export interface Question {
  readonly key: string;
  /** The workflow's step of the question. */
  readonly stepKey?: string | undefined;
  /** Tool or step. */
  readonly subject: string;
  /** The member that asks. */
  readonly asker?: string | undefined;
  readonly message: string;
  /** Arguments of the tool call. */
  readonly args?: unknown;
  readonly isConfirmation: boolean;
  /** Whether a rejection has a note: for the model, or for the step that runs again. */
  readonly takesNote: boolean;
  readonly fields: readonly Field[];
  /** The caller makes the call and enters its result. */
  readonly isExternal: boolean;
  readonly choices: readonly string[];
  readonly allowsSeveral: boolean;
  /** The output that a person reviews and may edit. */
  readonly output?: string | undefined;
  /** Only a caller who may approve can answer. */
  readonly needsApprover: boolean;
  readonly deadline?: string | undefined;
}

export interface Answer {
  readonly confirmed?: boolean;
  readonly note?: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly result?: string;
  readonly choices?: readonly string[];
  readonly output?: string;
}

/** Returns the questions of a pause. A pause without questions waits for an approval, or for a plain continuation. */
export function questionsOf(kind: ComponentKind, { tools, requirements, steps }: Pause): readonly Question[] {
  if (kind === "agent") return tools.filter(isOpen).map((tool) => toolQuestion(String(tool.tool_call_id), tool));
  if (kind === "team") return requirements.map((one) => requirementQuestion(one));
  return steps.flatMap((step) => {
    const inside = (step.executor_requirements ?? []) as readonly Fields[];
    if (inside.length > 0) return inside.map((one) => requirementQuestion(one, keyOf(step)));
    return [stepQuestion(step)];
  });
}

/** Returns the body of `continue` for answers by the key of their question. */
export function toWire(
  kind: ComponentKind,
  questions: readonly Question[],
  answers: Readonly<Record<string, Answer>>,
): readonly Fields[] {
  const answered = questions.flatMap((question) => {
    const answer = answers[question.key];
    return answer ? [{ question, answer }] : [];
  });
  if (kind === "agent")
    return answered.map(({ question, answer: { result, ...answer } }) => ({
      tool_call_id: question.key,
      ...confirmation("confirmed", answer),
      ...entered(question, answer),
      ...(result === undefined ? {} : { result }),
    }));
  if (kind === "team") return answered.map(({ question, answer }) => requirementAnswer(question, answer));
  const inSteps = Map.groupBy(answered, ({ question }) => question.stepKey);
  return [...inSteps].flatMap(([stepKey, group]): Fields[] => {
    if (stepKey === undefined) return group.map(({ question, answer }) => stepAnswer(question, answer));
    const inside = group.map(({ question, answer }) => requirementAnswer(question, answer));
    return [{ requirement_id: stepKey, executor_requirements: inside }];
  });
}

/** Converts what a person typed to the type of a field. @throws Error with a text for the person */
export function parseField({ name, type }: Field, text: string): unknown {
  if (type === "int" || type === "float") {
    const number = Number(text);
    if (text.trim() === "" || Number.isNaN(number) || (type === "int" && !Number.isInteger(number)))
      throw new Error(`${name} must be a ${type === "int" ? "whole number" : "number"}.`);
    return number;
  }
  if (type !== "list" && type !== "dict") return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} must be JSON: a ${type === "list" ? "list" : "map"}.`);
  }
}

function isOpen(tool: Fields): boolean {
  return Boolean(tool.requires_confirmation || tool.requires_user_input || tool.external_execution_required);
}

function toolQuestion(key: string, tool: Fields): Question {
  const name = String(tool.tool_name);
  const isConfirmation = tool.requires_confirmation === true;
  const isExternal = tool.external_execution_required === true;
  return {
    key,
    subject: name,
    message: isExternal
      ? `Enter the result of ${name}.`
      : isConfirmation
        ? `May ${name} be called?`
        : `${name} needs values.`,
    args: tool.tool_args,
    isConfirmation,
    takesNote: isConfirmation,
    isExternal,
    fields: fieldsOf(tool.user_input_schema),
    choices: [],
    allowsSeveral: false,
    needsApprover: tool.approval_type === "required",
  };
}

function requirementQuestion(one: Fields, stepKey?: string): Question {
  const question = toolQuestion(String(one.id), (one.tool_execution ?? {}) as Fields);
  const fields = fieldsOf(one.user_input_schema);
  return {
    ...question,
    ...(stepKey === undefined ? {} : { stepKey }),
    ...(fields.length > 0 ? { fields } : {}),
    asker: typeof one.member_agent_name === "string" ? one.member_agent_name : undefined,
  };
}

function stepQuestion(step: Fields): Question {
  const texts = [step.confirmation_message, step.user_input_message, step.output_review_message];
  const message = texts.find((text) => typeof text === "string" && text !== "");
  const isReview = step.requires_output_review === true;
  const output = (step.step_output as Fields | undefined)?.content;
  return {
    key: keyOf(step),
    subject: String(step.step_name),
    message: typeof message === "string" ? message : `The step ${step.step_name} waits for an answer.`,
    isConfirmation: step.requires_confirmation === true || isReview,
    takesNote: isReview,
    isExternal: false,
    fields: step.requires_user_input === true ? fieldsOf(step.user_input_schema) : [],
    choices: step.requires_route_selection === true ? ((step.available_choices ?? []) as readonly string[]) : [],
    allowsSeveral: step.allow_multiple_selections === true,
    ...(isReview ? { output: typeof output === "string" ? output : JSON.stringify(output, null, 2) } : {}),
    needsApprover: false,
    deadline: typeof step.timeout_at === "string" ? step.timeout_at : undefined,
  };
}

function keyOf(step: Fields): string {
  return String(step.requirement_id ?? step.step_id);
}

function fieldsOf(schema: unknown): readonly Field[] {
  return ((schema ?? []) as readonly Fields[]).map((field) => ({
    name: String(field.name),
    type: String(field.field_type ?? "str"),
    description: typeof field.description === "string" ? field.description : undefined,
    isRequired: field.required !== false,
    value: field.value,
  }));
}

function confirmation(name: "confirmed" | "confirmation", { confirmed, note }: Answer): Fields {
  return {
    ...(confirmed === undefined ? {} : { [name]: confirmed }),
    ...(note ? { confirmation_note: note } : {}),
  };
}

function entered({ fields }: Question, { values }: Answer): Fields {
  if (fields.length === 0) return {};
  return { user_input_schema: Object.entries(values).map(([name, value]) => ({ name, value })) };
}

function requirementAnswer(question: Question, answer: Answer): Fields {
  return {
    id: question.key,
    ...confirmation("confirmation", answer),
    ...entered(question, answer),
    ...(answer.result === undefined ? {} : { external_execution_result: answer.result }),
  };
}

function stepAnswer(question: Question, { confirmed, note, values, choices, output }: Answer): Fields {
  const isEdited = output !== undefined && output !== question.output && confirmed !== false;
  return {
    requirement_id: question.key,
    ...(confirmed === undefined ? {} : { confirmed }),
    ...(note ? { rejection_feedback: note } : {}),
    ...(question.fields.length > 0 ? { user_input: values } : {}),
    ...(choices ? { selected_choices: choices } : {}),
    ...(isEdited ? { edited_output: output } : {}),
  };
}
