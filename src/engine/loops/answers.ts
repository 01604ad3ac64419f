/** Answers that are emitted whole: structured answers, and results of tools that are the answer. */
import { isShaped } from "../../define/component.ts";
import type { Citations } from "../../model/run/citations.ts";
import type { AssistantMessage, Message, TurnMetrics } from "../../model/run/message.ts";
import type { RunHooks } from "../hooks/run-hooks.ts";
import { citedIn } from "../knowledge/sources.ts";
import { separator, textOfPieces } from "../model-call/answer-parts.ts";
import type { AnswerSchema } from "../model-call/answer-schema.ts";
import type { ModelsRequest } from "../model-call/fallback.ts";
import type { ModelTurn } from "../model-call/model-turn.ts";
import { toRequestFields } from "../model-call/usage.ts";
import { answeringModel } from "./assistant-message.ts";
import { RunFailure, RunPaused, type RunScope } from "./contract.ts";
import { wasCorrected } from "./next-step.ts";
import type { Progress } from "./progress.ts";
import type { Work } from "./work.ts";

/** Parses a structured answer and emits it whole; returns the fault of an answer that does not match. */
export async function readAnswer(
  work: Work,
  schema: AnswerSchema,
  message: AssistantMessage,
): Promise<string | undefined> {
  const fault = await parseAnswer(work, schema, message);
  if (work.progress.answer && fault === undefined) emitAnswer(work, work.progress.answer);
  return fault;
}

async function parseAnswer(
  { progress }: Work,
  schema: AnswerSchema,
  message: AssistantMessage,
): Promise<string | undefined> {
  const result = await schema.read(message.content);
  if ("fault" in result) return result.fault;
  progress.answer = { content: result.value, contentType: schema.name };
  return undefined;
}

/**
 * Checks an answer that an earlier attempt of the run stored. Its event is in the log before the end of its turn, so it stays valid and is not emitted again.
 * An answer that the run copied from another run is in no event yet.
 */
export async function checkStoredAnswer(work: Work, message: AssistantMessage): Promise<boolean> {
  const { scope, schema } = work;
  if (!schema) return true;
  const isOwn = scope.messages.slice(scope.copiedMessages).some((one) => one.message === message);
  const fault = await (isOwn ? parseAnswer : readAnswer)(work, schema, message);
  if (fault !== undefined) requestCorrection(scope, fault);
  return fault === undefined;
}

export function requestCorrection(scope: RunScope, fault: string): void {
  if (wasCorrected(scope.messages.map(({ message }) => message))) {
    throw new RunFailure(
      "output_mismatch",
      `The answer does not match the output schema, also after a second try:\n${fault}`,
    );
  }
  scope.appendMessage({
    role: "user",
    content: `Your answer does not match the schema:\n${fault}\nAnswer again, with matching JSON and nothing else.`,
    isCorrection: true,
  });
}

export function emitAnswer({ scope, progress }: Work, answer: NonNullable<Progress["answer"]>): void {
  scope.emit("RunContent", {
    content: answer.content,
    workflow_agent: scope.component.kind === "agent" ? false : undefined,
    content_type: answer.contentType,
    reasoning_content: "",
    model_provider_data: progress.turn?.providerData,
  });
}

/** What clients receive of a turn while it arrives. Reasoning of a checked turn is part of the run's end only. */
export function displayOf(work: Work): Pick<ModelsRequest, "show" | "sentences"> {
  const { hooks, schema, scope } = work;
  if (!isChecked(work)) return { show: schema ? "reasoning" : isShaped(scope.component) ? "intermediate" : "answer" };
  if (schema || isHeld(work)) return { show: "nothing" };
  return { show: "answer", sentences: () => hooks?.sentenceStream() };
}

/** Whether the text of a turn is held until it is complete and checked. A text that is not the answer is not worth sentences. */
export function isHeld({ hooks, scope }: Work): boolean {
  return hooks?.display === "checked" || (hooks?.display === "sentences" && isShaped(scope.component));
}

/** Whether the text of a turn is checked before clients receive it. */
export function isChecked({ hooks }: Work): boolean {
  return hooks !== undefined && hooks.display !== "deltas";
}

/** Checks results of tools that are the answer. @throws RunFailure */
export async function checkAnswer({ progress }: Work, hooks: RunHooks): Promise<void> {
  const { answer } = progress;
  if (!answer) return;
  const content = await hooks.checkAnswer(answer.content);
  if (content !== answer.content) progress.answer = { ...answer, content };
}

/** Whether a run has emitted text of a model. */
export function hasText(messages: readonly Message[]): boolean {
  return messages.some((message) => message.role === "assistant" && message.content !== "");
}

/**
 * Emits the checked text of a turn.
 * @param continues whether the run has emitted text before
 * @param intermediate whether the text is not the answer
 */
export function showText({ scope, progress }: Work, text: string, continues: boolean, intermediate: boolean): void {
  if (text === "") return;
  const content = continues ? separator + text : text;
  if (intermediate) {
    scope.emit("RunIntermediateContent", { content, content_type: "str" });
    return;
  }
  scope.emit("RunContent", {
    content,
    workflow_agent: scope.component.kind === "agent" ? false : undefined,
    content_type: "str",
    reasoning_content: "",
    model_provider_data: progress.turn?.providerData,
  });
}

/**
 * Adds the documents that a turn's text cites to its sources, and emits them unless the turn is checked: then they are emitted with its text.
 * @param isAnswer whether the text is the run's answer, or a part of it
 */
export function addCited(work: Work, turn: ModelTurn, isAnswer: boolean): void {
  const { scope } = work;
  if (!scope.component.knowledge) return;
  const cited = citedIn(scope, textOfPieces(turn.pieces));
  if (!cited) return;
  turn.citations.push(cited);
  if (isAnswer && !isChecked(work)) showCitations(work, cited);
}

/** Emits the sources of a checked turn. */
export function showCitations({ scope, progress }: Work, citations: Citations): void {
  scope.emit("RunContent", {
    workflow_agent: scope.component.kind === "agent" ? false : undefined,
    content_type: "str",
    reasoning_content: "",
    model_provider_data: progress.turn?.providerData,
    citations,
  });
}

/** Runs the hooks after a model request. A refused turn keeps its usage, and nothing of its text. @throws RunFailure */
export async function checkTurn(
  { scope, progress, schema }: Work,
  hooks: RunHooks,
  turn: ModelTurn,
  metrics: TurnMetrics,
): Promise<void> {
  try {
    await hooks.afterModel(turn, schema !== undefined);
  } catch (error) {
    // A run that pauses makes the request again when it goes on.
    if (!scope.signal.aborted && !(error instanceof RunPaused)) {
      scope.appendMessage({ role: "assistant", content: "", metrics, ...answeringModel(turn, scope) });
      const names = { model: turn.model.id, model_provider: turn.model.provider };
      scope.emit("ModelRequestCompleted", { ...names, ...toRequestFields(metrics) });
      progress.turn = undefined;
    }
    throw error;
  }
}
