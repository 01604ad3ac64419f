/** Questions of steps to people. A step asks by pausing the run; the answer is stored as a mark. */
import type { StepNode } from "../../../define/workflow/types.ts";
import { toWireTime } from "../../../model/wire-time.ts";
import type { InputField, StepAnswer, StepInput, StepRequirement } from "../../../model/workflow.ts";
import { noMedia } from "./containers.ts";
import { type Effects, type Flow, type HumanInput, noHumanInput, StepSkipped, StepsPaused } from "./effects.ts";
import type { Place } from "./places.ts";

/** Maximum number of times that a rejected output is produced again. */
export const maxReviews = 3;

/** The name of an answer's mark. */
export function answerName(question: string): string {
  return `answer:${question}`;
}

/** A question's id outside its run; needed because a workflow in a step uses the same ids. */
export function requirementId(runId: string, id: string): string {
  return `${runId}/${id}`;
}

/** A question's id inside its run. */
export function questionIn(id: string): string {
  return id.slice(id.indexOf("/") + 1);
}

/**
 * Returns the answer to a question, or throws the pause that asks it. Emits once that the step continues.
 * @throws StepLeftOut when the deadline has passed and the step's `onTimeout` is `skip`
 */
export function ask(
  effects: Effects,
  place: Place,
  flow: Flow,
  id: string,
  question: Partial<StepRequirement>,
  event = "StepPaused",
): StepAnswer {
  const answer = effects.mark(answerName(id)) as StepAnswer | undefined;
  if (answer === undefined) {
    const timeoutAt = deadlineOf(effects, place, id);
    const timeout = timeoutAt === undefined ? {} : { timeout_at: toWireTime(timeoutAt) };
    const requirement = { ...emptyRequirement(place, flow, requirementId(effects.runId, id)), ...question, ...timeout };
    effects.emit(place, event, shown(requirement, event));
    throw new StepsPaused([requirement]);
  }
  if (effects.mark(`continued:${id}`) === undefined) {
    effects.setMark(`continued:${id}`, true);
    effects.emit(place, "StepContinued", answer.timedOut && { timed_out: answer.timedOut });
  }
  if (answer.timedOut === "cancel") effects.cancel();
  if (answer.timedOut === "skip") throw new StepSkipped("The question was not answered in time.");
  return answer;
}

/** The deadline of a question. Recorded when the question is first asked, so that asking it again does not extend the deadline. */
function deadlineOf(effects: Effects, { node: { answerTimeout } }: Place, id: string): number | undefined {
  if (answerTimeout === undefined) return undefined;
  const name = `until:${id}`;
  const known = effects.mark(name) as number | undefined;
  if (known !== undefined) return known;
  const until = effects.now() + answerTimeout;
  effects.setMark(name, until);
  return until;
}

function inputOf({ input, previous, records }: Flow): StepInput {
  return {
    input,
    previous_step_outputs: Object.fromEntries(records),
    previous_step_content: previous?.content ?? null,
    additional_data: null,
    ...noMedia,
  };
}

/** Asks the questions before a step. Returns the person's answers, or the reason why the step does not run. */
export function askBefore(effects: Effects, place: Place, flow: Flow): HumanInput | "skip" | "else" {
  const { node } = place;
  const userInput = node.type === "Step" ? node.userInput : undefined;
  const confirms = node.confirm !== undefined && node.confirm !== false;
  if (!confirms && !userInput) return noHumanInput;
  const onReject = node.onReject ?? "skip";
  const { confirmed, userInput: given } = ask(effects, place, flow, `${place.path}:before`, {
    requires_confirmation: confirms,
    confirmation_message: typeof node.confirm === "string" ? node.confirm : null,
    on_reject: onReject,
    requires_user_input: userInput !== undefined,
    user_input_message: userInput?.message ?? null,
    ...(userInput && { user_input_schema: fieldsOf(node) }),
  });
  if (confirms && confirmed === false) {
    if (onReject === "cancel") effects.cancel();
    return onReject === "else" ? "else" : "skip";
  }
  return { userInput: given ?? {}, feedback: undefined };
}

function fieldsOf(node: StepNode): readonly InputField[] {
  if (node.type !== "Step") return [];
  return (node.userInput?.fields ?? []).map(({ name, type, description, required }) => ({
    name,
    field_type: type ?? "str",
    description: description ?? null,
    required: required ?? true,
  }));
}

/** A question that requests nothing. */
export function emptyRequirement(place: Place, flow: Flow, id: string): StepRequirement {
  return {
    requirement_id: id,
    step_id: place.stepId,
    step_name: place.name,
    step_index: place.index,
    step_type: place.node.type,
    requires_confirmation: false,
    confirmation_message: null,
    confirmed: null,
    on_reject: "skip",
    requires_user_input: false,
    user_input_message: null,
    user_input: null,
    requires_route_selection: false,
    available_choices: null,
    allow_multiple_selections: false,
    selected_choices: null,
    requires_output_review: false,
    output_review_message: null,
    is_post_execution: false,
    rejection_feedback: null,
    retry_count: 0,
    max_retries: maxReviews,
    timeout_at: null,
    on_timeout: place.node.onTimeout ?? "cancel",
    step_input: inputOf(flow),
  };
}

/** The fields of a question that the pause's event shows. */
function shown(requirement: StepRequirement, event: string): Readonly<Record<string, unknown>> {
  if (event === "StepOutputReview") {
    return {
      output_review_message: requirement.output_review_message ?? undefined,
      requires_output_review: true,
    };
  }
  if (event === "RouterPaused") {
    return {
      available_choices: requirement.available_choices,
      allow_multiple_selections: requirement.allow_multiple_selections,
    };
  }
  return {
    requires_confirmation: requirement.requires_confirmation,
    confirmation_message: requirement.confirmation_message ?? undefined,
    requires_user_input: requirement.requires_user_input,
    user_input_message: requirement.user_input_message ?? undefined,
    user_input_schema: requirement.user_input_schema ?? undefined,
  };
}
