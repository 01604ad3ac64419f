/** The request to the output model: its text is streamed as the run's answer and stored as the run's last message. */
import { addCited, checkTurn, isChecked, showCitations, showText } from "../loops/answers.ts";
import { toAssistantMessage } from "../loops/assistant-message.ts";
import type { Work } from "../loops/work.ts";
import type { AuxiliaryRequest } from "../model-call/auxiliary-request.ts";
import { callModel } from "../model-call/call-model.ts";
import { toTurn } from "../model-call/fallback.ts";
import type { CallOptions } from "../model-call/model-adapter.ts";
import { modelOf } from "../model-call/models.ts";
import { toRequestFields, toRequestTokens, toTurnMetrics } from "../model-call/usage.ts";
import { modelSpan } from "../run/run-spans.ts";

/** Makes the request; its answer, its usage and its cost become durable in one flush. @throws RunFailure, RunPaused or RunStopped */
export async function writeAnswer(
  work: Work,
  { purpose, model: given, prompt, settings }: AuxiliaryRequest,
): Promise<void> {
  const { scope, progress, hooks } = work;
  const allowed = scope.meter.begin("modelRequests", 1);
  if (allowed) await allowed;
  const model = modelOf(scope.component, given);
  const names = { model: model.id, model_provider: model.provider, purpose };
  const continues = scope.messages.some(
    ({ message }) => message.role === "assistant" && (message.purpose === "output_model" || message.isToolAnswer),
  );
  scope.spans.begin(modelSpan);
  scope.emit("ModelRequestStarted", names);
  const begun = scope.runtime.clock.monotonic();
  const price = scope.prices.find(model);
  const holds = isChecked(work);
  const turn = await callModel(
    toTurn(
      {
        ...{ scope, continues, show: holds ? "nothing" : "answer", interrupt: undefined },
        options: { ...settings, prompt } as unknown as CallOptions,
        begin: (next) => {
          if (!holds) progress.turn = next;
        },
      },
      model,
    ),
  );
  const tokens = toRequestTokens(turn.usage);
  const cost = tokens && (await price)?.(tokens);
  await scope.waitForRoom();
  const firstToken = turn.firstToken === undefined ? undefined : (turn.firstToken - begun) / 1000;
  const metrics = toTurnMetrics(
    turn.usage,
    { duration: progress.secondsSince(begun), firstToken, isCached: turn.isCached },
    cost,
  );
  addCited(work, turn, true);
  if (hooks) await checkTurn(work, hooks, turn, metrics);
  const messages = scope.messages.map(({ message }) => message);
  const message = toAssistantMessage(turn, metrics, messages, scope);
  if (holds) showText(work, message.content, continues, false);
  if (holds && message.citations) showCitations(work, message.citations);
  scope.appendMessage({ ...message, purpose: "output_model" });
  scope.emit("ModelRequestCompleted", { ...names, ...toRequestFields(metrics) });
  progress.endTurn(turn);
  scope.runtime.measurements.modelTurn(model, metrics);
}
