/** Waiting tool calls: a person must confirm or enter something, or the run's caller must execute them. */
import type { CallApproval, PauseType } from "../../model/run/approval.ts";
import type { ToolCall } from "../../model/run/message.ts";
import type { CallPlaces, Pause, ToolExecution, ToolRequirement } from "../../model/run/record.ts";
import { toWireTime } from "../../model/wire-time.ts";
import type { InputField } from "../../model/workflow.ts";
import type { RunScope } from "../loops/contract.ts";
import type { Callable } from "../tool-call/callable.ts";
import { startedExecution } from "../tool-call/tool-execution.ts";

/** The answer to a call, as its mark stores it. */
export interface CallAnswer {
  readonly confirmed?: boolean | undefined;
  readonly note?: string | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly result?: string | undefined;
  /** The approval that confirmed or rejected the call. */
  readonly approvalId?: string | undefined;
}

/** The name of an answer's mark. */
export function callAnswerName(toolCallId: string): string {
  return `answer:call/${toolCallId}`;
}

/** The answer to a call that waited. */
export function answerTo(scope: RunScope, call: Pick<ToolCall, "id">): CallAnswer | undefined {
  return scope.mark(callAnswerName(call.id)) as CallAnswer | undefined;
}

/** Number of times that a person was asked whether to repeat an interrupted call. */
function timesAsked(scope: RunScope, { id }: ToolCall): number {
  let times = 0;
  while (scope.mark(`doubt:${id}/${times}`) !== undefined) times++;
  return times;
}

/** The answer to the last of these questions, for the attempt that continues with it. If the call is interrupted again, the person is asked again. */
export function repeatAnswer(scope: RunScope, call: ToolCall): CallAnswer | undefined {
  const times = timesAsked(scope, call);
  if (times === 0 || !scope.isContinued) return undefined;
  return scope.mark(`${callAnswerName(call.id)}/again/${times - 1}`) as CallAnswer | undefined;
}

/** A waiting call, with the name of its answer. */
export interface Wait {
  readonly requirement: ToolRequirement;
  readonly answerName: string;
  readonly approval?: CallApproval;
  /** Text of the pause if all of its calls have one. */
  readonly text?: string;
}

const inDoubt =
  "The server stopped while this call was made: whether it took effect is not known. Confirm to make it again.";

/** Returns what a call waits for; undefined if it can be executed. */
export function waitOf(scope: RunScope, callable: Callable | undefined, call: ToolCall): Wait | undefined {
  if (callable?.ifInterrupted === "ask" && scope.interrupted.has(call.id)) {
    if (repeatAnswer(scope, call) !== undefined) return undefined;
    const times = timesAsked(scope, call);
    scope.setMark(`doubt:${call.id}/${times}`, true);
    const requirement = requirementOf(scope, call, { requires_confirmation: true, confirmation_note: inDoubt });
    return { requirement, answerName: `${callAnswerName(call.id)}/again/${times}` };
  }
  if (!callable?.demands || answerTo(scope, call) !== undefined) return undefined;
  const { approval: type } = callable.demands;
  const answerName = callAnswerName(call.id);
  const demands = demandsOf(callable, call);
  if (type === undefined) return { requirement: requirementOf(scope, call, demands), answerName };
  const id = scope.runtime.randomness.uuid();
  const requirement = requirementOf(scope, call, { ...demands, approval_id: id });
  const { kind, id: sourceId, name } = scope.component;
  const source = { kind, id: sourceId, name };
  return {
    requirement,
    answerName,
    approval: { id, type, pauseType: pauseTypeOf(callable.demands), source, requirementId: requirement.id },
  };
}

/** Returns what a call waits for if a hook asks an approver about it, and the question has no answer. */
export function hookWait(
  scope: RunScope,
  callable: Callable | undefined,
  call: ToolCall,
  decision: { readonly question: string | undefined } | undefined,
): Wait | undefined {
  const text = decision?.question;
  if (text === undefined || answerTo(scope, call) !== undefined) return undefined;
  const id = scope.runtime.randomness.uuid();
  const asked = { requires_confirmation: true, confirmation_note: text, approval_type: "required", approval_id: id };
  const requirement = requirementOf(scope, call, { ...demandsOf(callable, call), ...asked });
  const { kind, id: sourceId, name } = scope.component;
  const source = { kind, id: sourceId, name };
  const approval = { id, type: "required", pauseType: "confirmation", source, requirementId: requirement.id } as const;
  return { requirement, answerName: callAnswerName(call.id), approval, text };
}

function pauseTypeOf({ external, userInput }: NonNullable<Callable["demands"]>): PauseType {
  if (external) return "external_execution";
  return userInput.length > 0 ? "user_input" : "confirmation";
}

/** A waiting call in its wire format. */
export function requirementOf(
  scope: Pick<RunScope, "runtime">,
  call: ToolCall,
  demands: Partial<ToolExecution>,
): ToolRequirement {
  const { clock, randomness } = scope.runtime;
  const now = clock.now();
  const { user_input_schema } = demands;
  return {
    id: randomness.uuid(),
    created_at: toWireTime(now),
    tool_execution: { ...startedExecution(call, now), ...demands },
    ...(user_input_schema && { user_input_schema }),
  };
}

/** The fields that a call's requirements add to its execution. */
export function demandsOf(callable: Callable | undefined, call: ToolCall): Partial<ToolExecution> {
  const { confirm = false, userInput = [], external = false, approval } = callable?.demands ?? {};
  return {
    ...(approval && { approval_type: approval }),
    ...(confirm && { requires_confirmation: true }),
    ...(userInput.length > 0 && { requires_user_input: true, user_input_schema: [...fieldsOf(callable, call)] }),
    ...(external && { external_execution_required: true }),
  };
}

const types: Readonly<Record<string, InputField["field_type"]>> = {
  ...{ string: "str", integer: "int", number: "float", boolean: "bool", array: "list", object: "dict" },
};

/** Every field of the input, with the model's value. */
function fieldsOf(callable: Callable | undefined, { input }: ToolCall): readonly Record<string, unknown>[] {
  const { properties } = (callable?.demands?.wholeSchema ?? {}) as {
    properties?: Record<string, Record<string, unknown>>;
  };
  return Object.entries(properties ?? {}).map(([name, { type, description }]) => ({
    name,
    field_type: types[String(type)] ?? "str",
    description: description ?? null,
    value: (Object(input) as Record<string, unknown>)[name] ?? null,
  }));
}

/** The pause of one run's calls. */
export function pauseFor(scope: Pick<RunScope, "runKey">, waits: readonly Wait[]): Pause {
  return {
    kind: "tool",
    requirements: waits.map(({ requirement }) => requirement),
    runKeys: Object.fromEntries(waits.map(({ requirement }) => [requirement.id, scope.runKey])),
    answerNames: Object.fromEntries(waits.map(({ requirement, answerName }) => [requirement.id, answerName])),
    approvals: waits.flatMap(({ approval }) => approval ?? []),
    ...textOf(waits),
  };
}

/** Combines the call data of several pauses. */
export function joinedPlaces(all: readonly CallPlaces[]): CallPlaces {
  return {
    runKeys: Object.assign({}, ...all.map(({ runKeys }) => runKeys)),
    answerNames: Object.assign({}, ...all.map(({ answerNames }) => answerNames)),
    approvals: all.flatMap(({ approvals }) => approvals ?? []),
  };
}

/** Combines the pauses of several members. */
export function joined(pauses: readonly Pause[]): Pause {
  return {
    kind: "tool",
    requirements: pauses.flatMap(({ requirements }) => requirements ?? []),
    ...joinedPlaces(pauses),
    ...textOf(pauses.filter(({ requirements }) => requirements?.length)),
  };
}

/** The texts of all parts; none if a part has no text. */
function textOf(parts: readonly { readonly text?: string }[]): { readonly text?: string } {
  const texts = parts.flatMap(({ text }) => text ?? []);
  return texts.length > 0 && texts.length === parts.length ? { text: [...new Set(texts)].join("\n") } : {};
}

/** The tool result that informs the model of a rejected call. */
export function rejectionText({ note }: CallAnswer): string {
  return note || "Function call was rejected by the user";
}
