/** Answers to what a paused run waits for: checked against what it asked, and made what its next attempt finds settled. */
import { InvariantError, TroupeError } from "../../errors.ts";
import type { Approval } from "../../model/approval.ts";
import type { Answered, Pause, ToolExecution, ToolRequirement } from "../../model/record.ts";
import type { InputField, StepAnswer, StepRequirement } from "../../model/workflow.ts";
import type { ApprovalAnswer } from "../../store/approval-seam.ts";
import type { Mark } from "../../store/seam.ts";
import { answerName, questionIn } from "../loops/workflow/questions.ts";
import { answeredRequirement } from "../tool-call/answered-calls.ts";
import { type CallAnswer, callAnswerName } from "../tool-call/waiting-calls.ts";
import { callsIn } from "./answered.ts";
import { decisionOf, resolutionOf } from "./approvals.ts";
import { type EnteredValues, onlyAsked } from "./entered-values.ts";

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

/** What answers settle. */
export interface Settled {
  readonly marks: readonly Mark[];
  /** Approvals that they resolve. */
  readonly approvals: readonly ApprovalAnswer[];
  /** What was asked, with them. */
  readonly answered: Answered;
  /** Values for tools among them. */
  readonly entered: readonly EnteredValues[];
}

/** A question of a workflow, and what was said. */
interface AnsweredStep {
  readonly requirement: StepRequirement;
  readonly answer: StepAnswer;
}

/**
 * The marks of all answers.
 * @throws TroupeError `badRequest` naming what is not answered, `forbidden` where somebody else must approve
 */
export function settle(answers: GivenAnswers, now: number): Settled {
  const { pause } = answers;
  const steps = stepAnswers(pause, answers.stepAnswers, now);
  const { marks, answered: calls, ...others } = callAnswers(answers, now);
  const asked = pause.stepRequirements?.map((step) => withAnswers(step, steps, calls));
  return {
    marks: [...steps.map((step) => markOf(pause, step, now)), ...marks],
    ...others,
    answered: {
      ...(pause.requirements && { requirements: among(calls, pause.requirements) }),
      ...(asked && { stepRequirements: asked }),
    },
  };
}

/** What a paused run waits for, and what is answered. */
export interface GivenAnswers {
  readonly pause: Pause;
  readonly stepAnswers: readonly GivenStepAnswer[];
  readonly callAnswers: readonly GivenCallAnswer[];
  /** The name by which the caller sends answers to tool calls. */
  readonly field: string;
  /** Approvals that the calls wait for, as they stand. */
  readonly approvals: readonly Approval[];
  /** Who answers, and whether that one may approve. */
  readonly answerer: { readonly userId: string | null; readonly mayApprove: boolean };
}

/**
 * A workflow's answers.
 * @throws TroupeError `badRequest` naming what is not answered, or not answered as asked
 */
function stepAnswers(pause: Pause, given: readonly GivenStepAnswer[], now: number): readonly AnsweredStep[] {
  const open = stepQuestions(pause);
  const answered = open
    .filter((requirement) => !isOverdue(requirement, now))
    .map((requirement) => ({ requirement, answer: given.findLast((one) => isFor(requirement, one, open)) }));
  const missing = answered.filter(({ requirement, answer }) => !answer || !isAnswer(requirement, answer));
  if (missing.length > 0) {
    const names = missing.map(({ requirement }) => `'${requirement.step_name}'`).join(", ");
    const text = `Cannot continue run - unresolved step requirements: [${names}]`;
    const stray = strayAnswer(pause, given);
    throw new TroupeError("badRequest", stray ? `${text}. ${stray}` : text);
  }
  const settled = answered.map(({ requirement, answer }) => ({
    requirement,
    answer: checked(requirement, answer as StepAnswer),
  }));
  return [...settled, ...overdueSteps(pause, now)];
}

function among(calls: readonly ToolRequirement[], asked: readonly ToolRequirement[]): readonly ToolRequirement[] {
  return calls.filter((call) => asked.some(({ id }) => id === call.id));
}

/** A step's question as it was answered; of one whose agent or team waited, its calls. */
function withAnswers(
  asked: StepRequirement,
  steps: readonly AnsweredStep[],
  calls: readonly ToolRequirement[],
): StepRequirement {
  const { requirement_id: id, executor_requirements } = asked;
  if (executor_requirements)
    return { ...asked, executor_requirements: among(calls, executor_requirements as readonly ToolRequirement[]) };
  const { confirmed, userInput, selectedChoices, editedOutput, feedback } =
    steps.find(({ requirement }) => requirement.requirement_id === id)?.answer ?? {};
  return {
    ...asked,
    ...(confirmed !== undefined && { confirmed }),
    ...(userInput && { user_input: userInput }),
    ...(selectedChoices && { selected_choices: selectedChoices }),
    ...(editedOutput !== undefined && { edited_output: editedOutput }),
    ...(feedback !== undefined && { rejection_feedback: feedback }),
  };
}

/** What is to be said of an answer that is for nothing that waits. One with the answers to an executor's calls is for that executor's step. */
function strayAnswer({ stepRequirements = [] }: Pause, given: readonly GivenStepAnswer[]): string | undefined {
  const stray = given.find((one) => !stepRequirements.some((requirement) => isOf(requirement, one)));
  if (!stray) return undefined;
  const { requirementId, stepId, stepName } = stray;
  const names = { requirement_id: requirementId, step_id: stepId, step_name: stepName };
  const [field, value] = Object.entries(names).find(([, one]) => one !== undefined) ?? [];
  return value === undefined
    ? "An answer names neither requirement_id, step_id nor step_name."
    : `No step that waits has the ${field} ${JSON.stringify(value.slice(0, 255))}.`;
}

/** Whether an answer names a question, by what it is first known by. */
function isOf({ requirement_id, step_id, step_name }: StepRequirement, given: GivenStepAnswer): boolean {
  if (given.requirementId !== undefined) return given.requirementId === requirement_id;
  return given.stepId !== undefined ? given.stepId === step_id : given.stepName === step_name;
}

function stepQuestions({ stepRequirements = [] }: Pause): readonly StepRequirement[] {
  return stepRequirements.filter((requirement) => !requirement.executor_requirements);
}

/** The time for an answer is over, whoever looks first: an answer after it changes nothing. */
function isOverdue({ timeout_at }: StepRequirement, now: number): boolean {
  return timeout_at !== null && Date.parse(timeout_at) <= now;
}

/** What settles the questions that nobody answered in time: what their steps say of that. Others may be open still. */
export function settleOverdue(pause: Pause, now: number): Settled {
  const overdue = overdueSteps(pause, now);
  return {
    marks: overdue.map((step) => markOf(pause, step, now)),
    approvals: [],
    entered: [],
    answered: { stepRequirements: overdue.map(({ requirement }) => requirement) },
  };
}

function overdueSteps(pause: Pause, now: number): readonly AnsweredStep[] {
  const overdue = stepQuestions(pause).filter((requirement) => isOverdue(requirement, now));
  return overdue.map((requirement) => ({ requirement, answer: { timedOut: requirement.on_timeout } }));
}

/** When the first of what a pause asks is overdue, by the wall clock in milliseconds; undefined where nothing ever is. */
export function overdueAt(pause: Pause): number | undefined {
  const times = stepQuestions(pause).flatMap(({ timeout_at }) => (timeout_at === null ? [] : Date.parse(timeout_at)));
  return times.length > 0 ? Math.min(...times) : undefined;
}

function markOf(pause: Pause, { requirement, answer }: AnsweredStep, now: number): Mark {
  const { requirement_id: id } = requirement;
  return {
    runKey: keyOf(pause, id),
    name: answerName(questionIn(id)),
    createdAt: now,
    body: JSON.stringify(answer),
  };
}

function keyOf({ runKeys }: Pause, id: string): number {
  const key = runKeys?.[id];
  if (key === undefined) throw new InvariantError(`It is not known which run the question ${id} is of.`);
  return key;
}

/** Answers to tool calls. */
interface SettledCalls extends Omit<Settled, "answered"> {
  readonly answered: readonly ToolRequirement[];
}

/**
 * The marks of answers to tool calls. An approval that was resolved is an answer, too, and holds against any other.
 * @throws TroupeError `badRequest` when one is missing, or is none; `forbidden` where it is not for the caller to approve
 */
function callAnswers(answers: GivenAnswers, now: number): SettledCalls {
  const { pause, callAnswers: given, field, approvals, answerer } = answers;
  const open = callsIn(pause);
  const all = open.map((requirement) => {
    const { approval_id, approval_type } = requirement.tool_execution;
    const approval = approvals.find(({ id }) => id === approval_id);
    const decision = approval && decisionOf(approval);
    if (approval_type === "required" && !decision && !answerer.mayApprove)
      throw new TroupeError("forbidden", "This run requires admin approval before it can be continued");
    const found = given.findLast((one) => isForCall(requirement, one, open));
    return {
      requirement,
      isNamed: found?.requirementId !== undefined,
      // What an approval brings cannot be corrected.
      isFinal: decision?.values !== undefined,
      approval: decision ? undefined : approval,
      answer: decision ? { ...found, ...decision } : found,
    };
  });
  const settled = all.map(({ requirement, answer, approval, isNamed, isFinal }) => {
    const { tool_execution } = requirement;
    const isMissed = answer === undefined && given.length > 0;
    if (!answer || !isAnswered(tool_execution, answer)) throw unanswered(tool_execution, field, isMissed);
    const asked = askedFor(tool_execution, answer);
    const name = pause.answerNames?.[requirement.id] ?? callAnswerName(tool_execution.tool_call_id);
    const mark = { runKey: keyOf(pause, requirement.id), name, createdAt: now, body: JSON.stringify(asked) };
    const isPending = approval?.status === "pending";
    return {
      mark,
      answered: answeredRequirement(requirement, asked, isNamed),
      entered: isFinal || !asked.values || asked.confirmed === false ? [] : [{ requirement, values: asked.values }],
      approval: isPending ? { id: approval.id, ...resolutionOf(asked, answerer.userId, now) } : undefined,
    };
  });
  return {
    marks: settled.map(({ mark }) => mark),
    approvals: settled.flatMap(({ approval }) => approval ?? []),
    answered: settled.map(({ answered }) => answered),
    entered: settled.flatMap(({ entered }) => entered),
  };
}

/** @param isMissed whether there are answers, and none is for this call */
function unanswered(
  { tool_name, tool_call_id, approval_type }: ToolExecution,
  field: string,
  isMissed: boolean,
): TroupeError {
  const other = approval_type === null ? "" : " (or resolve an admin approval first)";
  const which = isMissed ? ` No answer names its tool_call_id, which is ${tool_call_id}.` : "";
  const advice = `Provide the ${field} parameter with an answer to ${tool_name}${other}.${which}`;
  return new TroupeError("badRequest", `Run has unresolved HITL requirements. ${advice}`);
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
    ...(execution.approval_id !== null && { approvalId: execution.approval_id }),
  };
}

/** Whether an answer has what the call waits for. A no needs nothing else. */
function isAnswered(execution: ToolExecution, { confirmed, values, result }: CallAnswer): boolean {
  if (execution.requires_confirmation && confirmed === undefined) return false;
  if (execution.requires_confirmation && confirmed === false) return true;
  if (execution.external_execution_required && result === undefined) return false;
  if (!execution.requires_user_input) return true;
  const fields = (execution.user_input_schema ?? []) as { readonly name: string; readonly value: unknown }[];
  return values !== undefined && fields.every(({ name, value }) => (values[name] ?? value ?? null) !== null);
}

/** Who names no question answers the only one of the step. */
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
  const wanted = allow_multiple_selections ? "one or more" : "one";
  const names = available_choices?.join(", ");
  throw new TroupeError(
    "badRequest",
    `Cannot continue run - choose ${wanted} for the step '${step_name}' of: ${names}`,
  );
}
