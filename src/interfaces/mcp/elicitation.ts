/**
 * Elicitation: a client of revision 2026-07-28 that can ask its user receives the questions of a paused run as requests for input. It repeats its call with
 * the answers and the state of the result, which names the run.
 */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { fingerprintOf } from "../../http/transport/fingerprint.ts";
import { kinds } from "../../http/transport/kinds.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { Pause, ToolRequirement } from "../../model/run/record.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import { RunNotPaused } from "../../model/run/run-not-paused.ts";
import { outputOf } from "../../model/run/stored-run.ts";
import type { InputField, StepRequirement } from "../../model/workflow.ts";
import type { Answers, GivenCallAnswer, GivenStepAnswer } from "../../runs/continue.ts";
import type { RunName, RunRow } from "../../runs/find.ts";
import type { BegunRun, ToolContext } from "./tools/tool.ts";

/** A question to the client's user. */
interface Question {
  readonly id: string;
  readonly message: string;
  /** The members of the answer, which is a flat object. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  /** The answer; without content, the user declined. Undefined if the question cannot be declined. */
  answer(content: Readonly<Record<string, unknown>> | undefined): GivenAnswers | undefined;
}

/** The part of a result that asks for input. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests: Readonly<Record<string, object>>;
  readonly requestState: string;
}

/** Max length of a question. */
const maxMessage = 2_000;

/** The questions of a paused run; undefined if it waits for something that the client's user cannot answer. */
export function inputRequiredBy(run: RunRow): InputRequired | undefined {
  const { pause } = outputOf(run);
  const questions = pause && questionsOf(pause);
  if (!questions || questions.length === 0) return undefined;
  const requests = questions.map(({ id, message, properties, required }) => {
    const requestedSchema = { type: "object", properties, required };
    const params = { mode: "form", message: message.slice(0, maxMessage), requestedSchema };
    return [id, { method: "elicitation/create", params }] as const;
  });
  const { kind, componentId, runId } = run;
  const requestState = Buffer.from(JSON.stringify([kind, componentId, runId])).toString("base64url");
  return { resultType: "input_required", inputRequests: Object.fromEntries(requests), requestState };
}

const state = z.tuple([z.enum(Object.keys(kinds) as [ComponentKind]), z.string().max(255), z.string().max(255)]);

/** The run that a state names; undefined for a text that this server never sends. The state is neither secret nor signed, because the server authorizes the answers of a caller like all others. */
export function runInState(text: unknown): RunName | undefined {
  if (typeof text !== "string" || text.length > 4_096) return undefined;
  try {
    const [kind, componentId, runId] = state.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
    return { kind, componentId, runId };
  } catch {
    return undefined;
  }
}

/** The client's responses to the questions, by their ids. */
export type InputResponses = Readonly<Record<string, unknown>>;

/**
 * Continues the run of a state with the responses to its questions. If a question has no answer, the run stays paused, and the result of the call says so.
 * A repeated request continues nothing a second time.
 * @throws TroupeError `forbidden`, `notFound`, `conflict` (the run is no longer paused), and those of `Runs.continue`
 */
export async function answerQuestions(
  { services: { runs }, caller, token }: ToolContext,
  name: RunName,
  responses: InputResponses,
): Promise<{ readonly begun: BegunRun; readonly isAnswered: boolean }> {
  runs.authorize(caller, "continue", name);
  const run = await runs.load(caller, name);
  const { pause } = outputOf(run);
  if (run.status === "PAUSED" && pause && !isComplete(pause, responses)) {
    const head = await runs.head(run);
    return { begun: { name, run, cursor: (head?.nextIndex ?? 0) - 1, isRepeated: false }, isAnswered: false };
  }
  const fingerprint = fingerprintOf(["mcp", name, responses]);
  const idempotency = { key: `mcp:${fingerprint}`, fingerprint };
  const answers = (waiting: Pause): Answers => toAnswers(waiting, responses);
  try {
    const continued = await runs.continue(caller, name, { answers, userId: undefined, token, idempotency });
    return { begun: { name, ...continued }, isAnswered: true };
  } catch (error) {
    if (!(error instanceof RunNotPaused)) throw error;
    throw new TroupeError("conflict", `The run is not paused: its status is ${error.runStatus}.`);
  }
}

type GivenAnswers = Partial<Pick<Answers, "callAnswers" | "stepAnswers">>;

/** The answer to a question; undefined if the user gave none. */
function answerTo({ id, answer }: Question, responses: InputResponses): GivenAnswers | undefined {
  const response = Object.hasOwn(responses, id) ? responses[id] : undefined;
  const { action, content } = Object(response) as { readonly action?: unknown; readonly content?: unknown };
  if (action === "accept") return answer(Object(content) as Record<string, unknown>);
  return action === "decline" ? answer(undefined) : undefined;
}

function isComplete(pause: Pause, responses: InputResponses): boolean {
  return (questionsOf(pause) ?? []).every((question) => answerTo(question, responses) !== undefined);
}

function toAnswers(pause: Pause, responses: InputResponses): Answers {
  const given = (questionsOf(pause) ?? []).map((question) => answerTo(question, responses));
  return {
    field: "inputResponses",
    callAnswers: given.flatMap((one) => one?.callAnswers ?? []),
    stepAnswers: given.flatMap((one) => one?.stepAnswers ?? []),
  };
}

/** The questions of a pause; undefined if one of its requirements has no question for the client's user. */
function questionsOf(pause: Pause): readonly Question[] | undefined {
  const steps = (pause.stepRequirements ?? []).filter((step) => !step.executor_requirements);
  const questions = [...callsIn(pause).map(callQuestion), ...steps.map(stepQuestion)];
  return questions.every((one) => one !== undefined) ? questions : undefined;
}

const approved = { type: "boolean", title: "Approve" };

/** Admins approve elsewhere, accounts are connected in a browser, and external calls are for programs. */
function callQuestion({ id, tool_execution: call, connection }: ToolRequirement): Question | undefined {
  const isExternal = call.external_execution_required === true;
  if (connection !== undefined || call.approval_type === "required" || isExternal) return undefined;
  const named = `${call.tool_name} ${JSON.stringify(call.tool_args ?? {})}`;
  const toCall = (answer: Omit<GivenCallAnswer, "requirementId" | "toolCallId">) => ({
    callAnswers: [{ requirementId: id, toolCallId: call.tool_call_id, ...answer }],
  });
  if (call.requires_user_input) {
    const fields = (call.user_input_schema ?? []) as readonly InputField[];
    const missing = fields.filter(({ value }) => value === undefined || value === null);
    const asked = missing.map(propertyOf);
    if (asked.some((one) => one === undefined)) return undefined;
    const properties = Object.fromEntries(asked.filter((one) => one !== undefined));
    return {
      ...{ id, message: `Values for the call ${named}`, properties, required: missing.map(({ name }) => name) },
      answer: (content) =>
        toCall(content ? { confirmed: true, values: content } : { confirmed: false, note: "The user declined." }),
    };
  }
  return {
    ...{ id, message: `Approve the call ${named}?`, properties: { approved }, required: ["approved"] },
    answer: (content) => toCall({ confirmed: content?.approved === true }),
  };
}

function stepQuestion(step: StepRequirement): Question | undefined {
  const { requirement_id: id, step_id: stepId, step_name: stepName, available_choices: choices } = step;
  const toStep = (answer: Omit<GivenStepAnswer, "requirementId" | "stepId" | "stepName">) => ({
    stepAnswers: [{ requirementId: id, stepId, stepName, ...answer }],
  });
  if (step.requires_user_input) {
    const fields = step.user_input_schema ?? [];
    const asked = fields.map(propertyOf);
    if (asked.some((one) => one === undefined)) return undefined;
    return {
      ...{ id, message: step.user_input_message ?? `Values for the step ${stepName}` },
      properties: Object.fromEntries(asked.filter((one) => one !== undefined)),
      required: fields.flatMap(({ name, required }) => (required ? [name] : [])),
      answer: (content) => (content ? toStep({ confirmed: true, userInput: content }) : undefined),
    };
  }
  if (step.requires_route_selection && choices) {
    const isMany = step.allow_multiple_selections;
    const one = { type: "string", enum: [...choices] };
    const choice = isMany ? { type: "array", items: one, minItems: 1 } : one;
    return {
      ...{ id, message: step.user_input_message ?? `Choice for ${stepName}`, properties: { choice } },
      required: ["choice"],
      answer: (content) => {
        const selectedChoices = [content?.choice].flat().filter((each) => typeof each === "string");
        return content ? toStep({ confirmed: true, selectedChoices }) : undefined;
      },
    };
  }
  if (step.requires_output_review) {
    const output = JSON.stringify(step.step_output?.content ?? null);
    return {
      ...{ id, message: `${step.output_review_message ?? `Approve the output of ${stepName}?`}\n${output}` },
      ...{ properties: { approved, feedback: { type: "string" } }, required: ["approved"] },
      answer: (content) => {
        const feedback = content?.feedback;
        return toStep({
          confirmed: content?.approved === true,
          ...(typeof feedback === "string" && feedback !== "" && { feedback }),
        });
      },
    };
  }
  return {
    ...{ id, message: step.confirmation_message ?? `Start the step ${stepName}?` },
    ...{ properties: { approved }, required: ["approved"] },
    answer: (content) => toStep({ confirmed: content?.approved === true }),
  };
}

const types: Readonly<Record<string, string>> = { str: "string", int: "integer", float: "number", bool: "boolean" };

/** The member of an answer for a field; undefined for lists and objects, which the protocol does not ask for. */
function propertyOf({ name, field_type, description }: InputField): readonly [string, object] | undefined {
  const type = types[field_type];
  return type === undefined ? undefined : [name, { type, ...(description !== null && { description }) }];
}
