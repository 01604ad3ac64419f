/** Questions of paused runs in one form for agents, teams and workflows, and the answers to them. */
import type { runs } from "../api/client.ts";
import type { ComponentKind } from "../api/component-kinds.ts";

/** A value that a person enters. */
export interface Field {
  readonly name: string;
  readonly type: "str" | "int" | "float" | "bool" | "list" | "dict";
  readonly description: string | undefined;
  readonly required: boolean;
  /** The value that the model has chosen; undefined for none. */
  readonly value: unknown;
}

/**
 * What a question asks: `confirm` a yes or no, `values` of fields, `result` of a call that the person makes, `choice` of a path, `review` of an
 * output.
 */
export type QuestionType = "confirm" | "values" | "result" | "choice" | "review";

/** An open question of a paused run. */
export interface Question {
  readonly id: string;
  readonly type: QuestionType;
  /** The question, or the name of the tool. */
  readonly title: string;
  /** The step or the member that asks. */
  readonly from: string | undefined;
  /** What the answer is about: the arguments of a call, or the output of a step. */
  readonly subject: { readonly label: string; readonly value: unknown } | undefined;
  readonly fields: readonly Field[];
  readonly choices: readonly string[];
  readonly allowsSeveral: boolean;
  /** Whether a no is an answer, too. */
  readonly allowsNo: boolean;
  /** ISO 8601; undefined if the question waits without a limit. */
  readonly deadline: string | undefined;
  /** What happens at the deadline. */
  readonly onTimeout: string | undefined;
  /** Whether only a caller with the right to approve may answer. */
  readonly needsApproval: boolean;
  /** The tool call, for agents. */
  readonly callId: string | undefined;
  /** The step whose agent or team asks, for workflows. */
  readonly stepRequirementId: string | undefined;
  /** The account that the call needs: a yes counts only after the run's user has connected it. */
  readonly connection: { readonly provider: string; readonly url: string } | undefined;
}

/** An answer as a person gives it. */
export interface Answer {
  readonly confirmed?: boolean | undefined;
  readonly note?: string | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly result?: string | undefined;
  readonly choices?: readonly string[] | undefined;
  /** The output as the person has changed it. */
  readonly edited?: unknown;
}

/** The members of a run's record that contain its questions. */
interface Asking {
  readonly requirements?: readonly WireRequirement[] | null;
  readonly step_requirements?: readonly WireStep[] | null;
}

interface WireCall {
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly tool_args: unknown;
  readonly requires_confirmation?: boolean | null;
  readonly requires_user_input?: boolean | null;
  readonly external_execution_required?: boolean | null;
  readonly user_input_schema?: readonly unknown[] | null;
  readonly approval_type?: string | null;
}

interface WireRequirement {
  readonly id: string;
  readonly member_agent_name?: string;
  readonly tool_execution: WireCall;
  readonly connection?: { readonly provider: string; readonly url: string } | null;
}

interface WireStep {
  readonly requirement_id: string;
  readonly step_name: string;
  readonly requires_confirmation?: boolean;
  readonly confirmation_message?: string | null;
  readonly confirmed?: boolean | null;
  readonly requires_user_input?: boolean;
  readonly user_input_message?: string | null;
  readonly user_input_schema?: readonly unknown[] | null;
  readonly user_input?: unknown;
  readonly requires_route_selection?: boolean;
  readonly available_choices?: readonly string[] | null;
  readonly allow_multiple_selections?: boolean;
  readonly selected_choices?: readonly string[] | null;
  readonly requires_output_review?: boolean;
  readonly output_review_message?: string | null;
  readonly step_output?: { readonly content?: unknown };
  readonly step_input?: { readonly previous_step_content?: unknown };
  readonly requires_executor_input?: boolean;
  readonly executor_requirements?: readonly unknown[];
  readonly timeout_at?: string | null;
  readonly on_timeout?: string;
}

const none = {
  from: undefined,
  subject: undefined,
  fields: [],
  choices: [],
  allowsSeveral: false,
  allowsNo: false,
  deadline: undefined,
  onTimeout: undefined,
  needsApproval: false,
  callId: undefined,
  stepRequirementId: undefined,
  connection: undefined,
} as const;

/** Returns the questions for which a paused run waits. Its record also contains the answered ones. */
export function openQuestions(record: unknown): readonly Question[] {
  const { requirements, step_requirements: steps } = Object(record) as Asking;
  return [
    ...(requirements ?? []).flatMap((one) => questionOfCall(one)),
    ...(steps ?? []).flatMap((step) => questionsOfStep(step)),
  ];
}

/** The question of a waiting tool call; none for a call that is answered. */
export function questionOfCall(requirement: unknown, step?: WireStep): readonly Question[] {
  const { id, member_agent_name: member, tool_execution: call, connection } = requirement as WireRequirement;
  // A call that needs an approver has a confirmation beside its values or its result.
  const type = call.requires_user_input
    ? "values"
    : call.external_execution_required
      ? "result"
      : call.requires_confirmation
        ? "confirm"
        : undefined;
  if (!type) return [];
  return [
    {
      ...none,
      id,
      type,
      title: call.tool_name,
      from: step ? [step.step_name, member].filter(Boolean).join(" · ") : member,
      subject: type === "values" ? undefined : { label: "Arguments", value: call.tool_args },
      fields: type === "values" ? fieldsIn(call.user_input_schema) : raiseField(call),
      allowsNo: call.requires_confirmation === true,
      needsApproval: call.approval_type === "required",
      callId: call.tool_call_id,
      stepRequirementId: step?.requirement_id,
      connection: connection ?? undefined,
    },
  ];
}

function questionsOfStep(step: WireStep): readonly Question[] {
  if (step.requires_executor_input)
    return (step.executor_requirements ?? []).flatMap((one) => questionOfCall(one, step));
  const isDecided = typeof step.confirmed === "boolean";
  const common = {
    ...none,
    id: step.requirement_id,
    from: step.step_name,
    deadline: step.timeout_at ?? undefined,
    onTimeout: step.timeout_at ? step.on_timeout : undefined,
  };
  if (step.requires_output_review) {
    if (isDecided) return [];
    const title = step.output_review_message || "Do you accept this output?";
    const subject = { label: "Output", value: step.step_output?.content };
    return [{ ...common, type: "review", title, subject, allowsNo: true }];
  }
  const before = step.step_input?.previous_step_content;
  const subject = before === undefined || before === null ? undefined : { label: "Result so far", value: before };
  if (step.requires_user_input && !step.user_input) {
    const title = step.user_input_message || "Which values does the step get?";
    return [{ ...common, type: "values", title, subject, fields: fieldsIn(step.user_input_schema) }];
  }
  if (step.requires_route_selection && !step.selected_choices) {
    const choices = step.available_choices ?? [];
    const allowsSeveral = step.allow_multiple_selections === true;
    return [{ ...common, type: "choice", title: "Which way does the run go?", subject, choices, allowsSeveral }];
  }
  if (step.requires_confirmation && !isDecided) {
    const title = step.confirmation_message || `Run the step ${step.step_name}?`;
    return [{ ...common, type: "confirm", title, subject, allowsNo: true }];
  }
  return [];
}

function fieldsIn(schema: readonly unknown[] | null | undefined): readonly Field[] {
  return (schema ?? []).map((one) => {
    const { name, field_type, description, required, value } = one as Record<string, unknown>;
    return {
      name: String(name),
      type: (field_type ?? "str") as Field["type"],
      description: typeof description === "string" ? description : undefined,
      required: required !== false,
      value: value ?? undefined,
    };
  });
}

/** An approver of a limit may say by how much it is raised. */
function raiseField({ tool_name: name, tool_call_id: id }: WireCall): readonly Field[] {
  if (name !== "raise_limit" || !id.startsWith("raise_limit-")) return [];
  const description = "By how much the limit is raised for this run. Default: by its own size.";
  return [{ name: "raise", type: "float", description, required: false, value: undefined }];
}

/** What an answer lacks, as a sentence; undefined if it can be sent. */
export function missingIn(question: Question, answer: Answer): string | undefined {
  if (answer.confirmed === false && question.allowsNo) return undefined;
  if (question.allowsNo && answer.confirmed === undefined) return "Choose yes or no.";
  switch (question.type) {
    case "confirm":
    case "review":
      return undefined;
    case "values": {
      const missing = question.fields.find(({ name, required, value }) => {
        const given = answer.values && name in answer.values ? answer.values[name] : value;
        return required && (given === undefined || given === null || given === "");
      });
      return missing && `Enter a value for ${missing.name}.`;
    }
    case "result":
      return answer.result ? undefined : "Enter the result.";
    case "choice":
      return answer.choices?.length ? undefined : "Choose at least one.";
  }
}

type Calls = typeof runs;
type AnswersOf<Kind extends ComponentKind> = Parameters<ReturnType<ReturnType<Calls[Kind]>["follow"]>["continue"]>[0];

/** A question with its answer. */
export type Given = readonly [question: Question, answer: Answer];

/** A run whose questions are answered. */
export interface WaitingRun {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly runId: string;
  readonly sessionId?: string | undefined;
}

/** Sends answers to a run, and resolves once the server has accepted them. The run continues on the server. @throws RequestError */
export async function sendAnswers(
  client: Calls,
  { kind, componentId, runId, sessionId }: WaitingRun,
  given: readonly Given[],
): Promise<void> {
  const connection = new AbortController();
  const options = { ...(sessionId === undefined ? {} : { sessionId }), signal: connection.signal };
  if (kind === "agent") await client.agent(componentId).follow(runId, options).continue(given.map(toToolAnswer));
  else if (kind === "team") await client.team(componentId).follow(runId, options).continue(given.map(toCallAnswer));
  else await client.workflow(componentId).follow(runId, options).continue(toStepAnswers(given));
  // The answer is a stream of the events to come, which the caller follows over another connection.
  connection.abort();
}

function toToolAnswer([{ callId = "", fields }, answer]: Given): AnswersOf<"agent">[number] {
  const values = valuesIn(fields, answer);
  return {
    tool_call_id: callId,
    ...(answer.confirmed !== undefined && { confirmed: answer.confirmed }),
    ...(answer.note && { confirmation_note: answer.note }),
    ...(answer.result !== undefined && { result: answer.result }),
    ...(values && { user_input_schema: values }),
  };
}

function toCallAnswer([{ id, fields }, answer]: Given): AnswersOf<"team">[number] {
  const values = valuesIn(fields, answer);
  return {
    id,
    ...(answer.confirmed !== undefined && { confirmation: answer.confirmed }),
    ...(answer.note && { confirmation_note: answer.note }),
    ...(answer.result !== undefined && { external_execution_result: answer.result }),
    ...(values && { user_input_schema: values }),
  };
}

function toStepAnswers(given: readonly Given[]): AnswersOf<"workflow"> {
  const own = given.filter(([{ stepRequirementId }]) => stepRequirementId === undefined);
  const below = Map.groupBy(given, ([{ stepRequirementId }]) => stepRequirementId);
  below.delete(undefined);
  return [
    ...own.map(([question, answer]) => toStepAnswer(question, answer)),
    ...[...below].map(([id = "", calls]) => ({
      requirement_id: id,
      executor_requirements: calls.map(toCallAnswer),
    })),
  ];
}

function toStepAnswer(question: Question, answer: Answer): AnswersOf<"workflow">[number] {
  const { type, id } = question;
  if (type === "values") return { requirement_id: id, user_input: enteredValues(question, answer) ?? {} };
  if (type === "choice") return { requirement_id: id, selected_choices: answer.choices ?? [] };
  return {
    requirement_id: id,
    ...(answer.confirmed !== undefined && { confirmed: answer.confirmed }),
    ...(type === "review" && answer.confirmed !== false && answer.edited !== undefined
      ? { edited_output: answer.edited }
      : {}),
    ...(answer.confirmed === false && answer.note ? { rejection_feedback: answer.note } : {}),
  };
}

function valuesIn(fields: readonly Field[], answer: Answer) {
  const entered = enteredValues({ fields }, answer);
  return entered && Object.entries(entered).map(([name, value]) => ({ name, value }));
}

/** The values of all fields: those that the person entered, otherwise those of the model. Undefined without fields. */
export function enteredValues(
  { fields }: Pick<Question, "fields">,
  { values }: Answer,
): Readonly<Record<string, unknown>> | undefined {
  if (fields.length === 0) return undefined;
  const all = fields.map(({ name, value }) => [name, values && name in values ? values[name] : value] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== null && value !== ""));
}
