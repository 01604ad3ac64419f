/** Questions of paused runs that a person answers with one text: a value, a choice, or the result of an external call. */
import { callsIn } from "../../model/run/pause.ts";
import type { Pause, ToolRequirement } from "../../model/run/record.ts";
import type { InputField, StepRequirement } from "../../model/workflow.ts";
import type { Answers } from "../../runs/continue.ts";

/** A question that one text answers. */
export interface TextQuestion {
  /** What the person replies with. */
  readonly hint: string;
  /** The answers to the pause; undefined for a text that does not answer it. */
  answer(text: string): Answers | undefined;
}

/** The question of a pause; undefined if one text does not answer all of it. */
export function textQuestionOf(pause: Pick<Pause, "requirements" | "stepRequirements">): TextQuestion | undefined {
  const calls = callsIn(pause);
  const steps = (pause.stepRequirements ?? []).filter((step) => !step.executor_requirements);
  const [call, step] = [calls[0], steps[0]];
  if (calls.length + steps.length !== 1) return undefined;
  return call ? callQuestion(call) : step && stepQuestion(step);
}

function callQuestion({ id, tool_execution: call, connection }: ToolRequirement): TextQuestion | undefined {
  if (connection !== undefined || call.approval_type === "required" || call.requires_confirmation) return undefined;
  const toCall = (answer: Omit<Answers["callAnswers"][number], "requirementId" | "toolCallId">): Answers => ({
    callAnswers: [{ requirementId: id, toolCallId: call.tool_call_id, ...answer }],
    stepAnswers: [],
    field: "text",
  });
  if (call.requires_user_input) {
    const fields = (call.user_input_schema ?? []) as readonly InputField[];
    const [field, ...others] = fields.filter(({ value }) => value === undefined || value === null);
    if (!field || others.length > 0) return undefined;
    return fieldQuestion(field, (values) => toCall({ confirmed: true, values }));
  }
  if (!call.external_execution_required) return undefined;
  return { hint: "Reply with the result.", answer: (text) => toCall({ confirmed: true, result: text }) };
}

function stepQuestion(step: StepRequirement): TextQuestion | undefined {
  const { requirement_id, step_id, step_name, user_input_schema, available_choices: choices } = step;
  if (step.requires_confirmation || step.requires_output_review) return undefined;
  const toStep = (answer: Omit<Answers["stepAnswers"][number], "requirementId" | "stepId" | "stepName">): Answers => ({
    callAnswers: [],
    stepAnswers: [{ requirementId: requirement_id, stepId: step_id, stepName: step_name, confirmed: true, ...answer }],
    field: "text",
  });
  if (step.requires_route_selection && choices) {
    const find = (text: string): string | undefined =>
      choices.find((choice) => choice.toLowerCase() === text.trim().toLowerCase());
    return {
      hint: `Reply with ${step.allow_multiple_selections ? "one or more" : "one"} of: ${choices.join(", ")}.`,
      answer: (text) => {
        const given = (step.allow_multiple_selections ? text.split(",") : [text]).map(find);
        const selectedChoices = given.filter((choice) => choice !== undefined);
        return selectedChoices.length === given.length ? toStep({ selectedChoices }) : undefined;
      },
    };
  }
  const [field, ...others] = user_input_schema ?? [];
  if (!step.requires_user_input || !field || others.length > 0) return undefined;
  return fieldQuestion(field, (userInput) => toStep({ userInput }));
}

const types: Readonly<Partial<Record<InputField["field_type"], string>>> = {
  ...{ str: "", int: ", a whole number", float: ", a number", bool: ": yes or no" },
};

function fieldQuestion(
  { name, field_type: type, description }: InputField,
  answers: (values: Readonly<Record<string, unknown>>) => Answers,
): TextQuestion | undefined {
  const form = types[type];
  if (form === undefined) return undefined;
  return {
    hint: `Reply with ${description ?? name}${form}.`,
    answer(text) {
      const value = parseValue(type, text.trim());
      return value === undefined ? undefined : answers({ [name]: value });
    },
  };
}

function parseValue(type: InputField["field_type"], text: string): unknown {
  if (type === "str") return text === "" ? undefined : text;
  if (type === "bool") return /^(yes|true)$/i.test(text) ? true : /^(no|false)$/i.test(text) ? false : undefined;
  const number = text === "" ? Number.NaN : Number(text);
  return (type === "int" ? Number.isSafeInteger(number) : Number.isFinite(number)) ? number : undefined;
}
