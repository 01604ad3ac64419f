/** Forms that let a paused run go on. */
import { z } from "zod";
import type { GivenStepAnswer } from "../../engine/run/answers.ts";
import { TroupeError } from "../../errors.ts";
import type { BodySpec } from "../body.ts";
import { type Reader, reader } from "../decode.ts";
import { readFactoryInput } from "../factory-input.ts";
import { identifier } from "../identifiers.ts";
import { BadJson, parseJson } from "../json-text.ts";

/** A continue as it was asked for. */
export interface ContinueForm {
  readonly sessionId: string | undefined;
  readonly stream: boolean;
  /** Of a workflow: undefined where none came. */
  readonly stepAnswers: readonly GivenStepAnswer[] | undefined;
}

const requirement = z.object({
  requirement_id: z.string().nullish(),
  step_id: z.string().nullish(),
  step_name: z.string().nullish(),
  confirmed: z.boolean().nullish(),
  user_input: z.record(z.string(), z.unknown()).nullish(),
  selected_choices: z.array(z.string()).nullish(),
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
    return {
      sessionId: fields.session_id ?? undefined,
      stream: fields.stream,
      stepAnswers: toStepAnswers(fields.step_requirements),
    };
  },
);

function toStepAnswers(text: string): readonly GivenStepAnswer[] | undefined {
  if (text === "") return undefined;
  return listIn(text, "step_requirements", requirement).map((one) => ({
    requirementId: one.requirement_id ?? undefined,
    stepId: one.step_id ?? undefined,
    stepName: one.step_name ?? undefined,
    confirmed: one.confirmed ?? undefined,
    userInput: one.user_input ?? undefined,
    selectedChoices: one.selected_choices ?? undefined,
    editedOutput: one.edited_output ?? undefined,
    feedback: one.rejection_feedback ?? undefined,
  }));
}

/** The list of objects in a text field. @throws TroupeError `badRequest` */
function listIn<Item extends z.ZodType>(text: string, field: string, item: Item): readonly z.output<Item>[] {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    throw new TroupeError("badRequest", `Invalid JSON in ${field} field`);
  }
  const list = z.array(item).safeParse(value);
  if (list.success) return list.data;
  const faults = list.error.issues.map(({ path, message }) => `${path.join(".") || "the field"}: ${message}`);
  throw new TroupeError("badRequest", `Invalid structure or content for ${field}: ${faults.join("; ")}`);
}

/** The body of `POST …/continue` of a workflow. */
export const continueWorkflow: BodySpec<ContinueForm> = {
  name: "Body_continue_workflow_run",
  reader: workflowForm,
  types: ["urlencoded", "multipart"],
  required: false,
};
