/** A step without inner steps: its attempts, the handling of their failure, and a person's review of the outcome. */
import type { LeafNode } from "../../../define/workflow/types.ts";
import type { StepOutcome } from "../../../model/workflow.ts";
import { recordOf } from "./containers.ts";
import { type Effects, type Flow, type HumanInput, StepFailure, waitMarkName } from "./effects.ts";
import type { Place } from "./places.ts";
import { ask, maxReviews } from "./questions.ts";

/** The end of an attempt that is not repeated: an outcome, or a skip by a person. */
type Ended = StepOutcome | "skip";

/** Runs the step until its outcome is recorded; undefined when a person skips it. */
export async function runLeaf(
  effects: Effects,
  place: Place,
  flow: Flow,
  human: HumanInput,
): Promise<StepOutcome | undefined> {
  const node = place.node as LeafNode;
  let feedback: string | undefined;
  for (let round = 0; ; round++) {
    const outcome = await produce(effects, place, flow, { ...human, feedback }, round);
    if (outcome === "skip") return undefined;
    if (!isReviewed(place, outcome)) return await finish(effects, place, outcome);
    const message = typeof node.review === "string" ? node.review : `Review output of step '${node.name}'?`;
    const onReject = node.onReject ?? "retry";
    const answer = ask(
      effects,
      place,
      flow,
      `${place.path}:review:${round}`,
      {
        requires_confirmation: true,
        confirmation_message: message,
        requires_output_review: true,
        output_review_message: message,
        is_post_execution: true,
        step_output: outcome.record,
        on_reject: onReject,
        retry_count: round,
      },
      "StepOutputReview",
    );
    if (answer.editedOutput !== undefined) return await finish(effects, place, edited(outcome, answer.editedOutput));
    if (answer.confirmed !== false) return await recordReviewed(effects, place, outcome);
    if (onReject === "cancel") effects.cancel();
    if (onReject === "skip" || round >= maxReviews) return undefined;
    feedback = answer.feedback;
  }
}

function edited({ record, ...outcome }: StepOutcome, content: unknown): StepOutcome {
  return { ...outcome, content, record: { ...record, content } };
}

/** Whether a person must review the step's outcome. */
function isReviewed({ node }: Place, { record }: StepOutcome): boolean {
  return Boolean((node as LeafNode).review) && record.success;
}

/** Returns the outcome of a round. An outcome for review is recorded and emitted first, because the review may take weeks. */
async function produce(effects: Effects, place: Place, flow: Flow, human: HumanInput, round: number): Promise<Ended> {
  const name = `draft:${place.path}:${round}`;
  const known = effects.mark(name) as StepOutcome | undefined;
  if (known) return known;
  const outcome = await attemptUntilDecided(effects, place, flow, human, round);
  if (outcome !== "skip" && isReviewed(place, outcome)) await emitEnd(effects, place, outcome, name);
  return outcome;
}

async function attemptUntilDecided(
  effects: Effects,
  place: Place,
  flow: Flow,
  human: HumanInput,
  round: number,
): Promise<Ended> {
  for (let asked = 0; ; asked++) {
    const end = await attemptSeries(effects, place, flow, human, `${round}.${asked}`);
    if (!(end instanceof StepFailure)) return end;
    const decision = decide(effects, place, flow, end, `${place.path}:error:${round}.${asked}`);
    if (decision !== "again") return decision;
  }
}

/** Makes all attempts that the step allows. Records that all attempts failed, because a person's decision may take weeks. */
async function attemptSeries(
  effects: Effects,
  place: Place,
  flow: Flow,
  human: HumanInput,
  series: string,
): Promise<StepOutcome | StepFailure> {
  const name = `failed:${place.path}:${series}`;
  const known = effects.mark(name) as { readonly message: string; readonly type: string } | undefined;
  if (known) return new StepFailure(known.message, known.type);
  const { times = 0, delay = 1_000, factor = 2 } = (place.node as LeafNode).retries ?? {};
  let isStartEmitted = false;
  for (let tries = 0; ; tries++) {
    const id = `${place.path}#${series}.${tries}`;
    const waited = effects.mark(waitMarkName({ id }));
    if (!isStartEmitted && waited === undefined) effects.emit(place, "StepStarted");
    // Names the waiting executor; empty for a workflow and in logs of 0.1.0.
    else if (!isStartEmitted)
      effects.emit(place, "StepExecutorContinued", typeof waited === "object" ? { ...waited } : {});
    isStartEmitted = true;
    try {
      return await effects.executeStep(place, flow, { ...human, id });
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error;
      if (tries < times) {
        await effects.sleep(delay * factor ** tries);
        continue;
      }
      effects.setMark(name, { message: error.message, type: error.type });
      effects.emit(place, "StepError", { error: error.message });
      return error;
    }
  }
}

/** Decides how a step ends after all its attempts have failed. */
function decide(effects: Effects, place: Place, flow: Flow, failure: StepFailure, id: string): Ended | "again" {
  const node = place.node as LeafNode;
  const { message: error } = failure;
  switch (node.onError ?? "fail") {
    case "fail":
      throw new StepFailure(`The step ${place.name} failed: ${error}`, failure.type, failure);
    case "skip": {
      const content = `Step skipped due to error: ${error}`;
      return { record: recordOf(place, { content, success: false, error }), content };
    }
    case "pause": {
      const onReject = node.onReject ?? "skip";
      const question = `The step failed: ${error}\nConfirm to try it again.`;
      const asked = { requires_confirmation: true, confirmation_message: question, on_reject: onReject };
      if (ask(effects, place, flow, id, asked).confirmed !== false) return "again";
      if (onReject === "cancel") effects.cancel();
      return "skip";
    }
  }
}

async function finish(effects: Effects, place: Place, outcome: StepOutcome): Promise<StepOutcome> {
  await emitEnd(effects, place, outcome, nameOf(place));
  return outcome;
}

/** Records the reviewed outcome, whose event was emitted before the review. */
async function recordReviewed(effects: Effects, place: Place, outcome: StepOutcome): Promise<StepOutcome> {
  effects.setMark(nameOf(place), outcome);
  await effects.commit();
  return outcome;
}

function nameOf({ path }: Place): string {
  return `step:${path}`;
}

/** Emits a step's outcome and records it under a name with the step's last event. */
async function emitEnd(effects: Effects, place: Place, outcome: StepOutcome, name: string): Promise<void> {
  const { record } = outcome;
  const isInside = place.parentStepId !== undefined;
  if (record.executor_type === "function" && !isInside) {
    // The whole recorded output; other events omit these two fields.
    effects.emit(place, "StepOutput", {
      step_output: { ...record, steps: null, requires_iteration_review_pause: false },
    });
  }
  effects.setMark(name, outcome);
  effects.emit(place, "StepCompleted", {
    content: record.content,
    content_type: typeof record.content === "string" ? "str" : "object",
    step_response: record,
  });
  await effects.commit();
}
