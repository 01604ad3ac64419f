/** Pauses as interrupts: what a paused run waits for, and the answers to it. */
import { TroupeError } from "../../errors.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { Answered, Pause, ToolExecution, ToolRequirement } from "../../model/run/record.ts";
import type { InputField, StepRequirement } from "../../model/workflow.ts";
import type { Answers, GivenCallAnswer, GivenStepAnswer } from "../../runs/continue.ts";
import type { Interrupt } from "./protocol.ts";

/** An answer to an interrupt, as the client sends it. */
export interface Answer {
  readonly interruptId: string;
  readonly status: "resolved" | "cancelled";
  readonly payload?: unknown;
}

/** A result of a tool that the client's application executed. */
export interface ToolResult {
  readonly toolCallId: string;
  readonly result: string;
}

/** The requirements of a pause event. */
export interface PauseFields {
  readonly requirements?: readonly ToolRequirement[] | undefined;
  readonly step_requirements?: readonly StepRequirement[] | undefined;
}

type Schema = Readonly<Record<string, unknown>>;

/** The id of an interrupt names the run, so that an answer finds it. */
export function interruptId(runId: string, requirementId: string): string {
  return `${runId}:${requirementId}`;
}

/** The run that the answers are for. @throws TroupeError `badRequest` for ids of several runs, or of none */
export function answeredRun(answers: readonly Answer[]): string {
  const runs = new Set(answers.map(({ interruptId: id }) => id.slice(0, Math.max(id.indexOf(":"), 0))));
  const [runId = "", ...others] = runs;
  if (runId !== "" && others.length === 0) return runId;
  const message = "resume must answer the interrupts of one run, with their ids as RUN_FINISHED listed them.";
  throw new TroupeError("badRequest", message);
}

/** The tool calls of a pause, including the calls of steps' agents and teams. */
export function waitingCalls({ requirements = [], step_requirements = [] }: PauseFields): readonly ToolRequirement[] {
  return callsIn({ requirements, stepRequirements: step_requirements });
}

function waitingSteps({ step_requirements = [] }: PauseFields): readonly StepRequirement[] {
  return step_requirements.filter((step) => !step.executor_requirements);
}

/** The calls that the client's application executes, if the pause waits for nothing else. */
export function frontendCalls(fields: PauseFields): readonly string[] | undefined {
  const calls = waitingCalls(fields).map(({ tool_execution }) => tool_execution);
  if (calls.length === 0 || waitingSteps(fields).length > 0) return undefined;
  const isFrontend = (call: ToolExecution): boolean =>
    call.external_execution_required === true && !call.requires_confirmation && !call.requires_user_input;
  return calls.every(isFrontend) ? calls.map(({ tool_call_id }) => tool_call_id) : undefined;
}

/** The interrupts of a pause. */
export function interruptsOf(runId: string, fields: PauseFields, isCurrent: boolean): readonly Interrupt[] {
  const calls = waitingCalls(fields).map((call): Interrupt => {
    const { id, member_run_id: member, tool_execution: execution } = call;
    return {
      id: interruptId(runId, id),
      reason: reasonOf(execution),
      ...(execution.confirmation_note && { message: execution.confirmation_note }),
      toolCallId: execution.tool_call_id,
      responseSchema: callSchema(execution),
      ...(member !== undefined && isCurrent && { subagentRunId: member }),
    };
  });
  const steps = waitingSteps(fields).map((step): Interrupt => {
    const message = step.confirmation_message ?? step.user_input_message ?? step.output_review_message;
    return {
      id: interruptId(runId, step.requirement_id),
      reason: stepReason(step),
      ...(message !== null && { message }),
      responseSchema: stepSchema(step),
      ...(step.timeout_at !== null && { expiresAt: step.timeout_at }),
      metadata: { step_name: step.step_name },
    };
  });
  return [...calls, ...steps];
}

function reasonOf({ approval_type, requires_confirmation, requires_user_input }: ToolExecution): string {
  if (approval_type === "required") return "approval";
  if (requires_confirmation) return "confirmation";
  return requires_user_input ? "user_input" : "external_execution";
}

function stepReason(step: StepRequirement): string {
  if (step.requires_user_input) return "user_input";
  if (step.requires_route_selection) return "route_selection";
  return step.requires_output_review ? "output_review" : "confirmation";
}

function callSchema({ requires_confirmation, requires_user_input, ...execution }: ToolExecution): Schema {
  const properties = {
    ...(requires_confirmation && { approved: { type: "boolean" }, note: { type: "string" } }),
    ...(requires_user_input && fieldsSchema((execution.user_input_schema ?? []) as readonly InputField[])),
    ...(execution.external_execution_required && { result: {} }),
  };
  return { type: "object", properties };
}

const jsonTypes: Readonly<Record<string, string>> = {
  ...{ str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object" },
};

function fieldsSchema(fields: readonly InputField[]): Schema {
  const entries = fields.map(({ name, field_type, description, value }) => {
    const known = { ...(description && { description }), ...(value != null && { default: value }) };
    return [name, { type: jsonTypes[field_type] ?? "string", ...known }] as const;
  });
  return Object.fromEntries(entries);
}

function stepSchema(step: StepRequirement): Schema {
  const { available_choices: choices, allow_multiple_selections: many } = step;
  const properties = {
    ...((step.requires_confirmation || step.requires_output_review) && { approved: { type: "boolean" } }),
    ...(step.requires_output_review && { feedback: { type: "string" }, edited_output: {} }),
    ...(step.requires_user_input && fieldsSchema(step.user_input_schema ?? [])),
    ...(choices && {
      selected_choices: { type: "array", items: { enum: [...choices] }, ...(!many && { maxItems: 1 }) },
    }),
  };
  return { type: "object", properties };
}

const none: Answers = { stepAnswers: [], callAnswers: [], field: "resume" };

/** Whether the answers abandon a question that cannot be declined: then the run is cancelled. */
export function abandons(pause: Pause, answers: readonly Answer[]): boolean {
  const declinable = new Set([
    ...callsIn(pause).flatMap(({ id, tool_execution }) => (tool_execution.requires_confirmation ? [id] : [])),
    ...waitingSteps({ step_requirements: pause.stepRequirements }).flatMap((step) =>
      step.requires_confirmation || step.requires_output_review ? [step.requirement_id] : [],
    ),
  ]);
  return answers.some(({ interruptId: id, status }) => status === "cancelled" && !declinable.has(requirementIn(id)));
}

/** Whether one of the interrupts has had an answer with which the run continued. */
export function areAnswered(answered: Answered | undefined, answers: readonly Answer[]): boolean {
  const ids = new Set([
    ...callsIn(answered ?? {}).map(({ id }) => id),
    ...(answered?.stepRequirements ?? []).map(({ requirement_id }) => requirement_id),
  ]);
  return answers.some(({ interruptId: id }) => ids.has(requirementIn(id)));
}

function requirementIn(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}

/** The answers in `resume`. @throws TroupeError `badRequest` for an id that is not among the pause's */
export function toAnswers(pause: Pause, answers: readonly Answer[]): Answers {
  const calls = callsIn(pause);
  const steps = waitingSteps({ step_requirements: pause.stepRequirements });
  const given = answers.map((answer) => {
    const id = requirementIn(answer.interruptId);
    const call = calls.find((one) => one.id === id);
    if (call) return { callAnswers: [toCallAnswer(call, answer)], stepAnswers: [] };
    const step = steps.find(({ requirement_id }) => requirement_id === id);
    if (step) return { callAnswers: [], stepAnswers: [toStepAnswer(step, answer)] };
    throw new TroupeError("badRequest", `The run waits for no interrupt with the id ${answer.interruptId}.`);
  });
  return {
    ...none,
    callAnswers: given.flatMap(({ callAnswers }) => callAnswers),
    stepAnswers: given.flatMap(({ stepAnswers }) => stepAnswers),
  };
}

/** The results that the client's application sends as tool messages. */
export function toResultAnswers(results: readonly ToolResult[]): Answers {
  const callAnswers = results.map(({ toolCallId, result }) => ({ requirementId: undefined, toolCallId, result }));
  return { ...none, field: "messages", callAnswers };
}

/** The payload as an object. `true` and `false` approve or decline. */
function payloadOf({ status, payload }: Answer): Readonly<Record<string, unknown>> {
  if (status === "cancelled") return { approved: false };
  if (typeof payload === "boolean") return { approved: payload };
  return typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : {};
}

function approvedIn({ approved, confirmed }: Readonly<Record<string, unknown>>): boolean | undefined {
  const decision = approved ?? confirmed;
  return typeof decision === "boolean" ? decision : undefined;
}

function textIn(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string");
}

function toCallAnswer({ id, tool_execution }: ToolRequirement, answer: Answer): GivenCallAnswer {
  const payload = payloadOf(answer);
  const { approved: _, confirmed: __, note, reason, result, ...values } = payload;
  const own = tool_execution.requires_user_input
    ? { ...payload, ...Object(payload.values), ...Object(payload.editedArgs) }
    : undefined;
  return {
    requirementId: id,
    toolCallId: tool_execution.tool_call_id,
    confirmed: approvedIn(payload),
    note: textIn(note, reason),
    ...(own && { values: own }),
    ...(tool_execution.external_execution_required && { result: toText(resultIn(answer, result, values)) }),
  };
}

/** The result of an external call: the member `result`, or else the whole payload. */
function resultIn({ payload }: Answer, result: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (result !== undefined) return result;
  return Object.keys(values).length > 0 || typeof payload !== "object" ? payload : "";
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function toStepAnswer(step: StepRequirement, answer: Answer): GivenStepAnswer {
  const payload = payloadOf(answer);
  const choices = Array.isArray(answer.payload) ? answer.payload : payload.selected_choices;
  const texts = Array.isArray(choices) ? choices.filter((one): one is string => typeof one === "string") : undefined;
  const choice = textIn(answer.payload);
  const selected = texts ?? (choice === undefined ? undefined : [choice]);
  return {
    requirementId: step.requirement_id,
    stepId: step.step_id,
    stepName: step.step_name,
    confirmed: approvedIn(payload),
    ...(step.requires_user_input && { userInput: { ...payload, ...Object(payload.values) } }),
    ...(step.available_choices && selected && { selectedChoices: selected }),
    ...(payload.edited_output !== undefined && { editedOutput: payload.edited_output }),
    feedback: textIn(payload.feedback),
  };
}
