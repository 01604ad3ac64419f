/** Converts a message to a paused task into answers for its run. */

import { continueBody } from "../../../http/input/continue-form.ts";
import { parseJson } from "../../../model/json-text.ts";
import { callsIn } from "../../../model/run/pause.ts";
import type { Pause, ToolRequirement } from "../../../model/run/record.ts";
import type { ComponentKind } from "../../../model/run/run.ts";
import type { StepRequirement } from "../../../model/workflow.ts";
import type { GivenCallAnswer, GivenStepAnswer, Answers as RunAnswers } from "../../../runs/continue.ts";
import type { Part } from "../protocol.ts";

/** Fields of a data part that hold answers, named as in the task's question, with the form that parses each. */
const fields: Readonly<Record<string, ComponentKind>> = {
  tools: "agent",
  requirements: "team",
  step_requirements: "workflow",
};

type Answers = Pick<RunAnswers, "stepAnswers" | "callAnswers">;

/** The common part of all answers. */
const noAnswers: Answers & Pick<RunAnswers, "field"> = { stepAnswers: [], callAnswers: [], field: "data" };

/**
 * The answers in a message: data in the form of the question, or a text (yes or no, the requested value, or a JSON object for several fields). The
 * engine decides whether the answers suffice.
 *
 * @throws TroupeError `badRequest` for data in another form
 */
export function toAnswers(pause: Pause, parts: readonly Part[]): typeof noAnswers {
  const given = parts.flatMap((part) => {
    if (part.kind === "data") return fromData(pause, part.data);
    if (part.kind !== "text") return [];
    const inForm = valuesIn(part.text, Object.keys(fields));
    return inForm ? fromData(pause, inForm) : [fromText(pause, part.text)];
  });
  return {
    ...noAnswers,
    stepAnswers: given.flatMap(({ stepAnswers }) => stepAnswers),
    callAnswers: given.flatMap(({ callAnswers }) => callAnswers),
  };
}

function fromData(pause: Pause, data: unknown): readonly Answers[] {
  const given = Object(data) as Record<string, unknown>;
  const answers = Object.entries(fields).flatMap(([field, kind]) => {
    const list = given[field];
    if (list === undefined || list === null) return [];
    return [continueBody(kind).reader.read({ [field]: JSON.stringify(list) }, "body")];
  });
  return answers.length === 0 && isObject(data) ? [fromText(pause, JSON.stringify(data))] : answers;
}

/** Values of the requested fields in a text that is a JSON object; undefined if it has none of them. */
function valuesIn(text: string, names: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const given = names.filter((name) => Object.hasOwn(value, name));
  return given.length > 0 ? Object.fromEntries(given.map((name) => [name, value[name]])) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const answerWords: Readonly<Record<string, boolean>> = {
  ...{ yes: true, y: true, ok: true, true: true, confirm: true, confirmed: true, approve: true, approved: true },
  ...{ no: false, n: false, false: false, reject: false, rejected: false, deny: false, denied: false },
};

function fromText(pause: Pause, text: string): Answers {
  const steps = (pause.stepRequirements ?? []).filter((step) => !step.executor_requirements);
  return {
    stepAnswers: steps.map((step) => stepAnswer(step, text)),
    callAnswers: callsIn(pause).map((call) => callAnswer(call, text)),
  };
}

function confirmationIn(text: string): boolean | undefined {
  const word = text.trim().toLowerCase().replace(/[.!]$/, "");
  return Object.hasOwn(answerWords, word) ? answerWords[word] : undefined;
}

function callAnswer({ id, tool_execution: call }: ToolRequirement, text: string): GivenCallAnswer {
  const missing = ((call.user_input_schema ?? []) as readonly { name: string; value?: unknown }[]).filter(
    ({ value }) => value === undefined || value === null,
  );
  const [field, ...more] = missing;
  const values =
    valuesIn(
      text,
      missing.map(({ name }) => name),
    ) ?? (field && more.length === 0 ? { [field.name]: text } : undefined);
  return {
    requirementId: id,
    toolCallId: call.tool_call_id,
    confirmed: confirmationIn(text),
    ...(values && { values }),
    result: text,
  };
}

function stepAnswer(step: StepRequirement, text: string): GivenStepAnswer {
  const inputs = step.user_input_schema ?? [];
  const [field, ...more] = inputs.filter((one) => one.required);
  const takesText = field?.field_type === "str" && more.length === 0;
  const userInput =
    valuesIn(
      text,
      inputs.map(({ name }) => name),
    ) ?? (takesText ? { [field.name]: text } : undefined);
  return {
    requirementId: step.requirement_id,
    stepId: step.step_id,
    stepName: step.step_name,
    confirmed: confirmationIn(text),
    ...(userInput && { userInput }),
    ...(step.available_choices?.includes(text.trim()) ? { selectedChoices: [text.trim()] } : {}),
  };
}
