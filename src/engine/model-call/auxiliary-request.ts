/** Model requests of a run that are not turns: a parser, an output model, follow-ups, a summary. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Model, ModelSettings } from "../../define/component.ts";
import type { RequestPurpose } from "../../model/run/message.ts";
import type { RecordedRequest } from "../../model/run/recorded-request.ts";
import { requestName } from "../../model/run/run-marks.ts";
import { RunFailure, type RunScope } from "../loops/contract.ts";
import { modelSpan } from "../run/run-spans.ts";
import { reasoningOf, separator, textOfPieces } from "./answer-parts.ts";
import type { AnswerSchema } from "./answer-schema.ts";
import { callModel, type TurnDisplay } from "./call-model.ts";
import { callModels, currentModel, toTurn } from "./fallback.ts";
import type { CallOptions } from "./model-adapter.ts";
import { modelOf } from "./models.ts";
import { namesInMetrics, toRequestFields, toRequestTokens, toTurnMetrics } from "./usage.ts";

/** Set if the run has its answer also without the request. */
const optional: unique symbol = Symbol("optional");

/** A model request that is not a turn. */
export interface AuxiliaryRequest {
  /** Shown in metrics and events. */
  readonly purpose: RequestPurpose;
  /** Unique in the run. The run makes no second request under a name that has a recorded answer. */
  readonly name: string;
  /** A model of the component's definition (`otherModels`). Default: its first model. */
  readonly model?: Model | undefined;
  readonly prompt: LanguageModelV4Prompt;
  /** Default: the provider's defaults. */
  readonly settings?: ModelSettings | undefined;
  /** What clients see of the answer while it arrives. Default: nothing. */
  readonly show?: TurnDisplay;
  readonly [optional]?: true;
}

/** Requests of a run in progress: events of two requests of one run must not mix. */
const inProgress = new WeakMap<RunScope, Promise<unknown>>();

/** Returns a prompt of a system message and a user's message. */
export function textPrompt(system: string, message: string): LanguageModelV4Prompt {
  return [
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text: message }] },
  ];
}

/**
 * Makes the request, or returns its recorded answer. The answer, its usage and its cost become durable in one flush. The run's limits, abort signal and
 * retries apply.
 * @throws RunFailure, RunPaused or RunStopped
 */
export async function requestText(scope: RunScope, request: AuxiliaryRequest): Promise<string> {
  return recordedText(scope, request) ?? (await inTurn(scope, () => answerOf(scope, request)));
}

/**
 * Makes the request for a value that matches a schema. The model is asked a second time if its answer does not match.
 * @throws RunFailure `output_mismatch`; RunFailure, RunPaused or RunStopped as `requestText`
 */
export async function requestValue(scope: RunScope, request: AuxiliaryRequest, schema: AnswerSchema): Promise<unknown> {
  const text = await requestText(scope, withSchema(request, schema));
  const first = await schema.read(text);
  if ("value" in first) return first.value;
  const again = await requestText(scope, withSchema(correction(request, text, first.fault), schema));
  const second = await schema.read(again);
  if ("value" in second) return second.value;
  const message = `The answer of the ${request.purpose} does not match its schema, also after a second try:\n${second.fault}`;
  throw new RunFailure("output_mismatch", message);
}

/**
 * Makes a request without which the run still has its answer: returns undefined if the request fails or would exceed a limit.
 * @param make makes the given request
 * @throws RunStopped
 */
export async function requestIfPossible<Answer>(
  scope: RunScope,
  request: AuxiliaryRequest,
  make: (request: AuxiliaryRequest) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await make({ ...request, [optional]: true });
  } catch (error) {
    scope.signal.throwIfAborted();
    if (!(error instanceof RunFailure)) throw error;
    const { purpose } = request;
    scope.runtime.log.warn(
      { error, runId: scope.context.runId, purpose },
      "A model request of a run was not answered.",
    );
    return undefined;
  }
}

function recordedText(scope: RunScope, { name }: AuxiliaryRequest): string | undefined {
  return (scope.mark(requestName(name)) as RecordedRequest | undefined)?.text;
}

/** Waits for the run's other requests. */
async function inTurn<Answer>(scope: RunScope, make: () => Promise<Answer>): Promise<Answer> {
  const before = inProgress.get(scope);
  const made = before ? before.then(make, make) : make();
  inProgress.set(scope, made);
  try {
    return await made;
  } finally {
    if (inProgress.get(scope) === made) inProgress.delete(scope);
  }
}

async function answerOf(scope: RunScope, request: AuxiliaryRequest): Promise<string> {
  await begin(scope, request);
  try {
    return await answered(scope, request);
  } catch (error) {
    // The request has no answer, so it does not count.
    scope.meter.end();
    throw error;
  }
}

async function begin(scope: RunScope, { [optional]: isOptional, purpose }: AuxiliaryRequest): Promise<void> {
  if (!isOptional) return await scope.meter.begin("modelRequests", 1);
  if (await scope.meter.mayBegin("modelRequests", 1)) return;
  throw new RunFailure("limit_exceeded", `A limit of the run leaves no request for the ${purpose}.`);
}

async function answered(scope: RunScope, request: AuxiliaryRequest): Promise<string> {
  const { purpose, prompt, settings, show = "nothing" } = request;
  const isOwn = request.model === undefined;
  const first = isOwn ? currentModel(scope) : modelOf(scope.component, request.model);
  const names = { model: first.id, model_provider: first.provider, purpose };
  scope.spans.begin(modelSpan);
  scope.emit("ModelRequestStarted", names);
  const { clock, measurements } = scope.runtime;
  const begun = clock.monotonic();
  // The first request to a model loads the table of prices while the model answers.
  scope.prices.find(first);
  const options = { ...settings, prompt } as unknown as CallOptions;
  const call = { ...{ scope, options, show, purpose }, continues: false, begin: () => undefined, interrupt: undefined };
  const turn = isOwn ? await callModels(call) : await callModel(toTurn(call, first));
  const { model } = turn;
  const price = scope.prices.find(model);
  const tokens = toRequestTokens(turn.usage);
  const cost = tokens && (await price)?.(tokens);
  await scope.waitForRoom();
  const firstToken = turn.firstToken === undefined ? undefined : (turn.firstToken - begun) / 1000;
  const metrics = toTurnMetrics(
    turn.usage,
    { duration: (clock.monotonic() - begun) / 1000, firstToken, isCached: turn.isCached },
    cost,
  );
  const [answer, reasoning] = [textOfPieces(turn.pieces), reasoningOf(turn.pieces)];
  const text = show === "thoughts" ? [reasoning, answer].filter(Boolean).join(separator) : answer;
  scope.recordRequest(request.name, { purpose, model: namesInMetrics(model), metrics, text });
  const answered = { model: model.id, model_provider: model.provider, purpose };
  scope.emit("ModelRequestCompleted", { ...answered, ...toRequestFields(metrics) });
  measurements.modelTurn(model, metrics);
  return text;
}

function withSchema(request: AuxiliaryRequest, { jsonSchema, responseFormat }: AnswerSchema): AuxiliaryRequest {
  const text = `Answer with JSON that matches this JSON Schema, and with nothing else:\n${JSON.stringify(jsonSchema)}`;
  const [first, ...rest] = request.prompt;
  const system = first?.role === "system" ? `${first.content}\n\n${text}` : text;
  const others = first?.role === "system" ? rest : request.prompt;
  const settings = { ...request.settings, responseFormat } as ModelSettings;
  return { ...request, settings, prompt: [{ role: "system", content: system }, ...others] };
}

function correction(request: AuxiliaryRequest, answer: string, fault: string): AuxiliaryRequest {
  const text = `Your answer does not match the schema:\n${fault}\nAnswer again, with matching JSON and nothing else.`;
  const prompt: LanguageModelV4Prompt = [
    ...request.prompt,
    { role: "assistant", content: [{ type: "text", text: answer }] },
    { role: "user", content: [{ type: "text", text }] },
  ];
  return { ...request, name: `${request.name}/2`, prompt };
}
