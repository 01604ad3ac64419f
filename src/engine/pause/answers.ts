/** Answers to what a paused run waits for: checked against what it asked, and made what its next attempt finds settled. */
import type { Answered, Pause, ToolRequirement } from "../../model/record.ts";
import type { StepRequirement } from "../../model/workflow.ts";
import type { Mark } from "../../store/contract/store.ts";
import { answerName, questionIn } from "../loops/workflow/questions.ts";
import { askedBy } from "./answered.ts";
import { callAnswers, type GivenCallAnswers, type SettledCalls } from "./call-answers.ts";
import { type AnsweredStep, type GivenStepAnswer, overdueSteps, stepAnswers } from "./step-answers.ts";

/** What answers settle. */
export interface Settled extends Omit<SettledCalls, "answered"> {
  readonly answered: Answered;
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
export interface GivenAnswers extends GivenCallAnswers {
  readonly stepAnswers: readonly GivenStepAnswer[];
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

function markOf(pause: Pause, { requirement, answer }: AnsweredStep, now: number): Mark {
  const { requirement_id: id } = requirement;
  return {
    runKey: askedBy(pause, id),
    name: answerName(questionIn(id)),
    createdAt: now,
    body: JSON.stringify(answer),
  };
}
