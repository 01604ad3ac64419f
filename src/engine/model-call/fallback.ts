/** Model requests of components with fallback models: the next model answers when a provider is unavailable. The run keeps the model that answered. */
import type { Model } from "../../define/component.ts";
import type { Component } from "../../define/platform.ts";
import type { RequestPurpose } from "../../model/run/message.ts";
import type { RunScope } from "../loops/contract.ts";
import { modelSpan } from "../run/run-spans.ts";
import { callModel, type TurnRequest } from "./call-model.ts";
import type { CallableModel, CallOptions } from "./model-adapter.ts";
import { ModelFailure } from "./model-errors.ts";
import type { ModelTurn } from "./model-turn.ts";
import { modelOf } from "./models.ts";

/** A request to the model that the run uses at present. */
export interface ModelsRequest extends Omit<TurnRequest, "model"> {
  /** Undefined for a turn. */
  readonly purpose?: RequestPurpose;
}

/** The mark of a switch, by its number from 1. Body: true. */
function switchName(number: number): string {
  return `fallback/${number}`;
}

/** The models of a component's turns, in the order in which they are used. */
function modelsOf({ model, models = [] }: Component): readonly Model[] {
  return [...new Set([model, ...models])];
}

/** The model that the run uses at present. */
export function currentModel(scope: RunScope): CallableModel {
  const { component } = scope;
  return component.models ? modelOf(component, modelsOf(component)[placeOf(scope)]) : modelOf(component);
}

/** The place of the present model among the models of the component. */
function placeOf(scope: RunScope): number {
  const last = modelsOf(scope.component).length - 1;
  let place = 0;
  while (place < last && scope.mark(switchName(place + 1)) !== undefined) place++;
  return place;
}

/**
 * Makes a request whose `ModelRequestStarted` the caller has emitted. After an outage of the provider, the next model gets the same request.
 * @throws RunFailure of the last model; RunStopped when the run is stopped
 */
export function callModels(request: ModelsRequest): Promise<ModelTurn> {
  const { scope } = request;
  return scope.component.models ? callFirstAvailable(request) : callModel(toTurn(request, modelOf(scope.component)));
}

async function callFirstAvailable(request: ModelsRequest): Promise<ModelTurn> {
  for (;;) {
    const model = currentModel(request.scope);
    try {
      return await callModel(toTurn(request, model));
    } catch (error) {
      if (!(error instanceof ModelFailure && error.isOutage) || !switchModel(request, model, error)) throw error;
    }
  }
}

/** Adds the trace context to the request's headers. */
export function toTurn(request: ModelsRequest, model: CallableModel): TurnRequest {
  const headers = request.scope.spans.headers(modelSpan);
  const options: CallOptions = headers ? { ...request.options, headers: { ...headers } } : request.options;
  return { ...request, model, options };
}

/** Switches the run to its next model; returns false if there is none. */
function switchModel({ scope, purpose }: ModelsRequest, from: CallableModel, failure: ModelFailure): boolean {
  const place = placeOf(scope) + 1;
  if (place >= modelsOf(scope.component).length) return false;
  scope.setMark(switchName(place), true);
  const next = currentModel(scope);
  scope.runtime.log.warn(
    { runId: scope.context.runId, from: from.id, to: next.id, error: failure.message },
    "A model is unavailable, and the run continues with its next model.",
  );
  const names = { model: next.id, model_provider: next.provider };
  scope.emit("ModelFallback", {
    ...names,
    ...{ failed_model: from.id, failed_model_provider: from.provider },
    ...{ error_type: failure.type, content: failure.message },
  });
  scope.spans.begin(modelSpan);
  scope.emit("ModelRequestStarted", { ...names, purpose });
  return true;
}
