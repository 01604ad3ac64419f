/** Forms that continue a run. */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { BadJson, parseJson } from "../../model/json-text.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { Answers, GivenCallAnswer, GivenStepAnswer, SuccessorCommand } from "../../runs/continue.ts";
import type { BodySpec } from "./body.ts";
import { listOf, parseBounded } from "./bounded-lists.ts";
import { type Reader, reader } from "./decode.ts";
import { readFactoryInput } from "./factory-input.ts";
import { identifier } from "./identifiers.ts";
import { maxFaults } from "./validation-errors.ts";

/** A request to continue a run: the answers, or the requested new run, and the form of the response. */
export interface ContinueForm
  extends Pick<Answers, "stepAnswers" | "callAnswers" | "field">,
    Pick<SuccessorCommand, "userId" | "additionalInstructions" | "stream" | "background"> {
  readonly sessionId: string | undefined;
  /** Set if the request asks for a new run that continues from this one. */
  readonly succession: SuccessorCommand["succession"] | undefined;
}

/** A tool call in the form of records, with its answer in it. */
const toolCall = z.object({
  tool_call_id: z.string(),
  confirmed: z.boolean().nullish(),
  confirmation_note: z.string().nullish(),
  user_input_schema: listOf(z.object({ name: z.string(), value: z.unknown().optional() })).nullish(),
  result: z.string().nullish(),
});

/** A requirement of a paused team, with its answer in it. */
const callRequirement = z.object({
  id: z.string().nullish(),
  confirmation: z.boolean().nullish(),
  confirmation_note: z.string().nullish(),
  external_execution_result: z.string().nullish(),
  user_input_schema: listOf(z.object({ name: z.string(), value: z.unknown().optional() })).nullish(),
  tool_execution: toolCall.nullish(),
});

function toCallAnswer(call: z.output<typeof toolCall>): GivenCallAnswer {
  const values = Object.entries(valuesIn(call.user_input_schema));
  return {
    requirementId: undefined,
    toolCallId: call.tool_call_id,
    confirmed: call.confirmed ?? undefined,
    note: call.confirmation_note ?? undefined,
    values: call.user_input_schema ? Object.fromEntries(values) : undefined,
    result: call.result ?? undefined,
  };
}

function valuesIn(fields: z.output<typeof toolCall>["user_input_schema"]): Readonly<Record<string, unknown>> {
  const entries = (fields ?? []).map(({ name, value }) => [name, value] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
}

function toRequirementAnswer(given: z.output<typeof callRequirement>): GivenCallAnswer {
  const inside = given.tool_execution ? toCallAnswer(given.tool_execution) : undefined;
  const values = given.user_input_schema ? valuesIn(given.user_input_schema) : undefined;
  return {
    requirementId: given.id ?? undefined,
    toolCallId: inside?.toolCallId,
    confirmed: given.confirmation ?? inside?.confirmed,
    note: given.confirmation_note ?? inside?.note,
    values: values || inside?.values ? { ...inside?.values, ...values } : undefined,
    result: given.external_execution_result ?? inside?.result,
  };
}

const commonFields = {
  session_id: identifier.nullish(),
  user_id: identifier.nullish(),
  stream: z.boolean().default(true),
  background: z.boolean().default(false),
};

/** The fields that ask for a new run. */
const successionFields = {
  input: z.string().nullish(),
  continue_from: z.string().default("end"),
  fork: z.boolean().default(false),
  regenerate: z.boolean().default(false),
  replace_original: z.boolean().nullish(),
  additional_instructions: z.string().nullish(),
};

type SuccessionFields = z.output<z.ZodObject<typeof successionFields>>;

/** "end" is the default, so this value alone does not request a new run. */
function toSuccession(fields: SuccessionFields): Pick<ContinueForm, "succession" | "additionalInstructions"> {
  const { fork, regenerate } = fields;
  const from = placeIn(fields.continue_from);
  const input = fields.input ?? undefined;
  const asks = fork || regenerate || input !== undefined || from !== "end";
  const replaceOriginal = fields.replace_original ?? undefined;
  return {
    succession: asks ? { from, input, fork, regenerate, replaceOriginal } : undefined,
    additionalInstructions: fields.additional_instructions ?? undefined,
  };
}

function placeIn(text: string): SuccessorCommand["succession"]["from"] {
  if (text === "end" || text === "last_user") return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const message = "Invalid continue_from. Use 'end', 'last_user', or a numeric message index.";
  throw new TroupeError("badRequest", message);
}

function toForm(
  fields: z.output<z.ZodObject<typeof commonFields>>,
  callAnswers: readonly GivenCallAnswer[],
  field: string,
): Omit<ContinueForm, "succession" | "additionalInstructions"> {
  const { session_id, user_id, stream, background } = fields;
  const who = { sessionId: session_id ?? undefined, userId: user_id ?? undefined };
  return { ...who, stream, background, stepAnswers: [], callAnswers, field };
}

const agentForm: Reader<ContinueForm> = reader(
  z.object({ tools: z.string().default(""), ...successionFields, ...commonFields }),
  ({ tools, ...fields }) => ({
    ...toForm(fields, listIn(tools, "tools", toolCall).map(toCallAnswer), "tools"),
    ...toSuccession(fields),
  }),
);

const teamForm: Reader<ContinueForm> = reader(
  z.object({ requirements: z.string().default(""), ...successionFields, ...commonFields }),
  ({ requirements, ...fields }) => ({
    ...toForm(fields, listIn(requirements, "requirements", callRequirement).map(toRequirementAnswer), "requirements"),
    ...toSuccession(fields),
  }),
);

const requirement = z.object({
  executor_requirements: listOf(callRequirement).nullish(),
  requirement_id: z.string().nullish(),
  step_id: z.string().nullish(),
  step_name: z.string().nullish(),
  confirmed: z.boolean().nullish(),
  user_input: z.record(z.string(), z.unknown()).nullish(),
  selected_choices: listOf(z.string()).nullish(),
  edited_output: z.unknown().optional(),
  rejection_feedback: z.string().nullish(),
});

const workflowForm: Reader<ContinueForm> = reader(
  z.object({
    step_requirements: z.string().default(""),
    session_id: identifier.nullish(),
    user_id: identifier.nullish(),
    stream: z.boolean().default(true),
    factory_input: z.string().nullish(),
  }),
  (fields) => {
    readFactoryInput(fields.factory_input);
    const steps = listIn(fields.step_requirements, "step_requirements", requirement);
    const calls = steps.flatMap((step) => (step.executor_requirements ?? []).map(toRequirementAnswer));
    return {
      ...toForm({ ...fields, background: false }, calls, "step_requirements"),
      stepAnswers: steps.map(toStepAnswer),
      succession: undefined,
      additionalInstructions: undefined,
    };
  },
);

function toStepAnswer(one: z.output<typeof requirement>): GivenStepAnswer {
  return {
    requirementId: one.requirement_id ?? undefined,
    stepId: one.step_id ?? undefined,
    stepName: one.step_name ?? undefined,
    confirmed: one.confirmed ?? undefined,
    userInput: one.user_input ?? undefined,
    selectedChoices: one.selected_choices ?? undefined,
    editedOutput: one.edited_output ?? undefined,
    feedback: one.rejection_feedback ?? undefined,
  };
}

/** The list of objects in a text field. @throws TroupeError `badRequest` */
function listIn<Item extends z.ZodType>(text: string, field: string, item: Item): readonly z.output<Item>[] {
  if (text === "") return [];
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    throw new TroupeError("badRequest", `Invalid JSON in ${field} field`);
  }
  const list = parseBounded(listOf(item), value);
  if (list.success) return list.data;
  const issues = list.error.issues.slice(0, maxFaults);
  const faults = issues.map(({ path, message }) => `${path.join(".") || "the field"}: ${message}`);
  throw new TroupeError("badRequest", `Invalid structure or content for ${field}: ${faults.join("; ")}`);
}

const forms: Readonly<Record<ComponentKind, Reader<ContinueForm>>> = {
  agent: agentForm,
  team: teamForm,
  workflow: workflowForm,
};

/** The body of `POST …/continue` for a component kind. */
export function continueBody(kind: ComponentKind): BodySpec<ContinueForm> {
  return {
    name: `Body_continue_${kind}_run`,
    reader: forms[kind],
    types: ["urlencoded", "multipart", "json"],
    required: false,
  };
}
