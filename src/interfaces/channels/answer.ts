/** The text of an answer so far, from the events of the run. Chats show it. */

import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import { baseName } from "../../model/run/event-name.ts";
import { callsIn } from "../../model/run/pause.ts";
import type { ToolRequirement } from "../../model/run/record.ts";
import type { StepRequirement } from "../../model/workflow.ts";
import { textQuestionOf } from "./text-answers.ts";

/** How the part of the log ended. */
export type AnswerEnd =
  | { readonly kind: "completed" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "paused"; readonly index: number; readonly question: Question };

/** The question of a paused run. */
export interface Question {
  /** Whether a yes or a no answers all of it. */
  readonly isYesOrNo: boolean;
  /** Whether only an approver may answer. */
  readonly needsApprover: boolean;
  readonly text: string;
  /** What the person replies with, if one text answers all of it. */
  readonly hint: string | undefined;
}

interface LogEvent {
  readonly run_id: string;
  readonly content?: unknown;
  readonly error?: unknown;
  readonly discard_from_index?: number;
  readonly requirements?: readonly ToolRequirement[];
  readonly step_requirements?: readonly StepRequirement[];
}

/** Reads the events of one part of a run: from its start, or from the answer to a pause, up to the next pause or the end. */
export class Answer {
  end: AnswerEnd | undefined;
  readonly #runId: string;
  readonly #from: number;
  #pieces: { readonly index: number; readonly text: string }[] = [];
  #text = "";

  /** @param from index of the last event before the part */
  constructor(runId: string, from: number) {
    this.#runId = runId;
    this.#from = from;
  }

  get text(): string {
    return this.#text;
  }

  /** Takes stored frames, which follow the previous ones. */
  take(bytes: Buffer, first: number): void {
    let index = first;
    for (const frame of eachFrame(bytes)) {
      if (index > this.#from && !this.end) this.#event(index, frameName(frame), frame);
      index++;
    }
  }

  #event(index: number, name: string, frame: Buffer): void {
    const base = baseName(name);
    if (!/^Run(Content|Completed|Cancelled|Error|Paused|Recovered)$/.test(base)) return;
    const event = JSON.parse(frameData(frame)) as LogEvent;
    if (event.run_id !== this.#runId) return;
    const text = textOf(event.content);
    if (base === "RunContent") this.#add(index, text);
    else if (base === "RunRecovered") this.#discard(event.discard_from_index ?? index);
    else if (base === "RunCompleted") {
      // The answer of a workflow is only in its last event.
      if (this.#text === "") this.#add(index, text);
      this.end = { kind: "completed" };
    } else if (base === "RunCancelled") this.end = { kind: "cancelled" };
    else if (base === "RunError") this.end = { kind: "failed", message: textOf(event.error ?? event.content) };
    else this.end = { kind: "paused", index, question: questionOf(event) };
  }

  #add(index: number, text: string): void {
    if (text === "") return;
    this.#pieces.push({ index, text });
    this.#text += text;
  }

  #discard(from: number): void {
    this.#pieces = this.#pieces.filter(({ index }) => index < from);
    this.#text = this.#pieces.map(({ text }) => text).join("");
  }
}

function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** Maximum length of a call's arguments in a question, in characters. */
const maxShown = 500;

function questionOf({ requirements = [], step_requirements = [] }: LogEvent): Question {
  const calls = callsIn({ requirements, stepRequirements: step_requirements }).map((one) => one.tool_execution);
  const steps = step_requirements.filter((step) => !step.executor_requirements);
  const lines = [
    ...calls.map(({ tool_name, tool_args }) => `${tool_name}(${JSON.stringify(tool_args).slice(0, maxShown)})`),
    ...steps.map(
      (step) =>
        step.confirmation_message ??
        step.output_review_message ??
        step.user_input_message ??
        `Continue ${step.step_name}?`,
    ),
  ];
  return {
    isYesOrNo:
      calls.every(
        (call) => call.requires_confirmation && !call.requires_user_input && !call.external_execution_required,
      ) &&
      steps.every((step) => step.requires_confirmation && !step.requires_user_input && !step.requires_route_selection),
    needsApprover: calls.some(({ approval_type }) => approval_type === "required"),
    text: lines.join("\n"),
    hint: textQuestionOf({ requirements, stepRequirements: step_requirements })?.hint,
  };
}

/** Splits a text into messages, at line breaks or spaces where there are any. */
export function split(text: string, maxLength: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > maxLength) {
    const head = rest.slice(0, maxLength);
    const cut = Math.max(head.lastIndexOf("\n"), head.lastIndexOf(" "));
    const end = cut > maxLength / 2 ? cut + 1 : maxLength;
    // A pair of surrogates stays together.
    const isInside = /[\ud800-\udbff]/.test(rest[end - 1] ?? "");
    parts.push(rest.slice(0, isInside ? end - 1 : end));
    rest = rest.slice(isInside ? end - 1 : end);
  }
  return [...parts, rest];
}
