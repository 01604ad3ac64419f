/** Answers to a paused run's questions: checks them against the questions and converts them to marks for the next attempt. */
import type { Answered, Pause, ToolRequirement } from "../../model/run/record.ts";
import type { StepRequirement } from "../../model/workflow.ts";
import type { Mark } from "../../store/contract/store.ts";
import { answerName, questionIn } from "../loops/workflow/questions.ts";
import { askedBy } from "./answered-questions.ts";
import { callAnswers, type GivenCallAnswers, type ResolvedCallAnswers } from "./call-answers.ts";
import { type AnsweredStep, type GivenStepAnswer, overdueSteps, stepAnswers } from "./step-answers.ts";

/** The effects of answers. */
export interface ResolvedAnswers extends Omit<ResolvedCallAnswers, "answered"> {
  readonly answered: Answered;
}

/**
 * Returns the marks of all answers.
 * @throws TroupeError `badRequest` naming the unanswered question, `forbidden` when the caller may not approve
 */
export function resolveAnswers(answers: GivenAnswers, now: number): ResolvedAnswers {
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

/** A paused run's questions and the given answers. */
export interface GivenAnswers extends GivenCallAnswers {
  readonly stepAnswers: readonly GivenStepAnswer[];
}

function among(calls: readonly ToolRequirement[], asked: readonly ToolRequirement[]): readonly ToolRequirement[] {
  return calls.filter((call) => asked.some(({ id }) => id === call.id));
}

/** A step's question with its answer; for a step whose agent or team waited, with the answered calls. */
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

/** Answers the questions whose deadline has passed with the default of their steps (`onTimeout`). Other questions may stay open. */
export function resolveOverdue(pause: Pause, now: number): ResolvedAnswers {
  const overdue = overdueSteps(pause, now);
  return {
    marks: overdue.map((step) => markOf(pause, step, now)),
    approvals: [],
    entered: [],
    answered: { stepRequirements: overdue.map(({ requirement }) => requirement) },
  };
}

function markOf(pause: Pause, { requirement, answer }: AnsweredStep, now: number): Mark {
  const { requirement_id: id } = requirement;
  return {
    runKey: askedBy(pause, id),
    name: answerName(questionIn(id)),
    createdAt: now,
    body: JSON.stringify(answer),
  };
}
