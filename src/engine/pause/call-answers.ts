/** Answers to a paused run's tool calls, checked against the requirements. */
import { TroupeError } from "../../errors.ts";
import type { Approval } from "../../model/run/approval.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { Pause, ToolExecution, ToolRequirement } from "../../model/run/record.ts";
import type { ApprovalAnswer } from "../../store/contract/approvals.ts";
import type { Mark } from "../../store/contract/store.ts";
import { limitRaisedBy, raiseOf } from "../limits/raise-answers.ts";
import { answeredRequirement } from "./answered-calls.ts";
import { askedBy } from "./answered-questions.ts";
import { decisionOf, resolutionOf } from "./approvals.ts";
import { type EnteredValues, onlyAsked } from "./entered-values.ts";
import { type CallAnswer, callAnswerName } from "./waiting-calls.ts";

/** A caller's answer to a tool call. */
export interface GivenCallAnswer extends CallAnswer {
  readonly requirementId: string | undefined;
  readonly toolCallId: string | undefined;
}

/** The waiting calls and the given answers. */
export interface GivenCallAnswers {
  readonly pause: Pause;
  readonly callAnswers: readonly GivenCallAnswer[];
  /** The request field that contains the answers. */
  readonly field: string;
  /** Current state of the calls' approvals. */
  readonly approvals: readonly Approval[];
  /** The user who answers, and whether that user may approve. */
  readonly answerer: { readonly userId: string | null; readonly mayApprove: boolean };
}

/** The effects of answers to tool calls. */
export interface ResolvedCallAnswers {
  readonly marks: readonly Mark[];
  /** Approvals that the answers resolve. */
  readonly approvals: readonly ApprovalAnswer[];
  /** The requirements with their answers. */
  readonly answered: readonly ToolRequirement[];
  /** Values for tools in the answers. */
  readonly entered: readonly EnteredValues[];
}

/**
 * Returns the marks of answers to tool calls. A resolved approval is an answer, too, and overrides any other.
 * @throws TroupeError `badRequest` when an answer is missing or incomplete; `forbidden` when the caller may not approve
 */
export function callAnswers(answers: GivenCallAnswers, now: number): ResolvedCallAnswers {
  const { pause, callAnswers: given, field, approvals, answerer } = answers;
  const open = callsIn(pause);
  const nameOf = ({ id, tool_execution }: ToolRequirement): string =>
    pause.answerNames?.[id] ?? callAnswerName(tool_execution.tool_call_id);
  // Only an approver raises a limit: no caller can add a raise to an approval that is resolved.
  const isRaise = (requirement: ToolRequirement): boolean => limitRaisedBy(nameOf(requirement)) !== undefined;
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
      // An approval's values cannot be corrected.
      isFinal: decision?.values !== undefined,
      approval: decision ? undefined : approval,
      answer: decision ? { ...found, ...(isRaise(requirement) && { values: undefined }), ...decision } : found,
    };
  });
  const resolved = all.map(({ requirement, answer, approval, isNamed, isFinal }) => {
    const { tool_execution } = requirement;
    const isMissed = answer === undefined && given.length > 0;
    if (!answer || !isAnswered(tool_execution, answer)) throw unanswered(tool_execution, field, isMissed);
    const asked = { ...askedFor(tool_execution, answer), ...(isRaise(requirement) && raiseIn(answer)) };
    const name = nameOf(requirement);
    const mark = { runKey: askedBy(pause, requirement.id), name, createdAt: now, body: JSON.stringify(asked) };
    const isPending = approval?.status === "pending";
    return {
      mark,
      answered: answeredRequirement(requirement, asked, isNamed),
      entered:
        isFinal || isRaise(requirement) || !asked.values || asked.confirmed === false
          ? []
          : [{ requirement, values: asked.values }],
      approval: isPending ? { id: approval.id, ...resolutionOf(asked, answerer.userId, now) } : undefined,
    };
  });
  return {
    marks: resolved.map(({ mark }) => mark),
    approvals: resolved.flatMap(({ approval }) => approval ?? []),
    answered: resolved.map(({ answered }) => answered),
    entered: resolved.flatMap(({ entered }) => entered),
  };
}

/** @param isMissed whether the request contains answers to other calls, but not to this call */
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

/** The raise in an answer about a limit; a rejection raises nothing. */
function raiseIn({ confirmed, values }: CallAnswer): Pick<CallAnswer, "values"> {
  const raise = confirmed === false ? undefined : raiseOf(values);
  return raise ? { values: raise } : {};
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

/** Keeps only the required fields: the caller cannot supply the result of a call that this server executes. */
function askedFor(execution: ToolExecution, { confirmed, note, values, result }: CallAnswer): CallAnswer {
  return {
    ...(execution.requires_confirmation && { confirmed, note }),
    ...(execution.requires_user_input && { values: onlyAsked(execution, values ?? {}) }),
    ...(execution.external_execution_required && { result }),
    ...(execution.approval_id !== null && { approvalId: execution.approval_id }),
  };
}

/** Whether an answer is complete. A rejection needs no further fields. */
function isAnswered(execution: ToolExecution, { confirmed, values, result }: CallAnswer): boolean {
  if (execution.requires_confirmation && confirmed === undefined) return false;
  if (execution.requires_confirmation && confirmed === false) return true;
  if (execution.external_execution_required && result === undefined) return false;
  if (!execution.requires_user_input) return true;
  const fields = (execution.user_input_schema ?? []) as { readonly name: string; readonly value: unknown }[];
  return values !== undefined && fields.every(({ name, value }) => (values[name] ?? value ?? null) !== null);
}
