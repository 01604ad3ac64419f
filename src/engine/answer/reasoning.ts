/** Reasoning before the first turn: by a model that thinks, or in steps. */
import { z } from "zod";
import { systemSections, toSection } from "../../model/prompt-text.ts";
import { requestName } from "../../model/run/run-marks.ts";
import { isChecked } from "../loops/answers.ts";
import type { RunScope } from "../loops/contract.ts";
import { promptMessages, type Work } from "../loops/work.ts";
import { separator } from "../model-call/answer-parts.ts";
import { schemaOf } from "../model-call/answer-schema.ts";
import {
  type AuxiliaryRequest,
  requestIfPossible,
  requestText,
  requestValue,
} from "../model-call/auxiliary-request.ts";
import { toPrompt } from "../model-call/prompt.ts";
import { emitOnce } from "./once.ts";

const defaultSteps = 10;

/** A step of reasoning, as sent on the wire. */
const Step = z.object({
  title: z.string().optional().describe("A short title of the step"),
  action: z.string().optional().describe("What this step does"),
  result: z.string().optional().describe("What the step found"),
  reasoning: z.string().optional().describe("The thoughts behind the step"),
  next_action: z.enum(["continue", "validate", "final_answer", "reset"]).optional(),
  confidence: z.number().optional().describe("From 0 to 1"),
});
type Step = z.infer<typeof Step>;

const freeInstructions =
  "Think about the user's last message, step by step, before another model answers it. Do not write the answer itself.";
const stepInstructions =
  "Think about the user's last message in small steps, before another model answers it. Each of your answers is the next step. Set next_action to final_answer in the last one.";

/** Whether the run reasons before its first turn. */
export function needsReasoning({ component: { reasoning, reasoningModel } }: RunScope): boolean {
  return reasoningModel !== undefined || (reasoning !== undefined && reasoning !== false);
}

/**
 * Reasons about the run's input, once in a run. A request that fails ends the reasoning, and the run answers without it.
 * @throws RunStopped
 */
export async function withReasoning(work: Work): Promise<Work> {
  const { scope, progress } = work;
  const { reasoning } = scope.component;
  const isNew = scope.mark(requestName("reasoning/1")) === undefined;
  const hasTurns = scope.messages.slice(scope.copiedMessages).some(({ message }) => message.role === "assistant");
  if (isNew && hasTurns) return work;
  if (isNew) scope.emit("ReasoningStarted");
  const steps = reasoning ? await stepsOf(work, reasoning === true ? {} : reasoning) : await thoughtsOf(work);
  const content = { reasoning_steps: steps };
  emitOnce(scope, "reasoning/emitted", "ReasoningCompleted", { content, content_type: "ReasoningSteps" });
  if (steps.length === 0) return work;
  const text = steps.map(textOf).join(separator);
  progress.reasoningSteps = steps;
  progress.reasoningText = text;
  return { ...work, system: [work.system, toSection("reasoning", text, systemSections)].filter(Boolean).join("\n\n") };
}

async function thoughtsOf(work: Work): Promise<readonly Step[]> {
  const request: AuxiliaryRequest = {
    ...requestOf(work, freeInstructions, [], 1),
    show: isChecked(work) ? "nothing" : "thoughts",
  };
  const thoughts = await requestIfPossible(work.scope, request, (one) => requestText(work.scope, one));
  const text = work.hooks && thoughts ? work.hooks.redactValue(thoughts) : thoughts;
  return text ? [{ result: text }] : [];
}

async function stepsOf(
  work: Work,
  { steps: max = defaultSteps }: { readonly steps?: number },
): Promise<readonly Step[]> {
  const { scope } = work;
  const schema = schemaOf(Step, "Reasoning", "reasoning_step");
  const steps: Step[] = [];
  for (let number = 1; number <= max; number++) {
    const request = requestOf(work, stepInstructions, steps, number);
    const made = await requestIfPossible(scope, request, (one) => requestValue(scope, one, schema));
    if (made === undefined) break;
    const step = (work.hooks ? work.hooks.redactValue(made) : made) as Step;
    if (step.next_action === "reset") steps.length = 0;
    steps.push(step);
    const event = { content: step, content_type: "ReasoningStep", reasoning_content: textOf(step) + separator };
    emitOnce(scope, `${request.name}/emitted`, "ReasoningStep", event);
    if (step.next_action === "final_answer") break;
  }
  return steps;
}

function requestOf(work: Work, instructions: string, steps: readonly Step[], number: number): AuxiliaryRequest {
  const { scope, system } = work;
  const prompt = toPrompt({ system: [system, instructions].filter(Boolean).join("\n\n"), ...promptMessages(work) });
  for (const step of steps) {
    prompt.push({ role: "assistant", content: [{ type: "text", text: JSON.stringify(step) }] });
    prompt.push({ role: "user", content: [{ type: "text", text: "Next step." }] });
  }
  const { reasoningModel: model } = scope.component;
  return { purpose: "reasoning_model", name: `reasoning/${number}`, model, prompt };
}

/** A step as text for models and people. */
function textOf({ title, reasoning, action, result }: Step): string {
  const lines = [
    title && `## ${title}`,
    reasoning,
    action && `Action: ${action}`,
    title ? result && `Result: ${result}` : result,
  ];
  return lines.filter(Boolean).join("\n");
}
