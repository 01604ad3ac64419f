/** Usage of the model requests that searches make: it counts to the run. */
import type { SearchUsage } from "../../knowledge/reranker.ts";
import type { TurnMetrics } from "../../model/run/message.ts";
import type { RunScope } from "../loops/contract.ts";
import { namesOfModel } from "../model-call/model-adapter.ts";
import { namesInMetrics, toRequestFields } from "../model-call/usage.ts";

/** Records a request, and emits its events. @throws RunStopped */
export async function recordUsage(scope: RunScope, usage: SearchUsage): Promise<void> {
  const { purpose, input, output, duration } = usage;
  const model = namesOfModel(usage.model.providerId, usage.model.id);
  const price = await scope.prices.find(model);
  const cost = price?.({ input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
  const metrics: TurnMetrics = {
    ...{ input_tokens: input, output_tokens: output, total_tokens: input + output, duration },
    ...(cost !== undefined && { cost }),
  };
  // Searches may run at the same time: both events are emitted at once, so that those of two requests do not mix.
  const names = { model: model.id, model_provider: model.provider, purpose };
  scope.emit("ModelRequestStarted", names);
  const name = `search/${scope.requests.length}`;
  scope.recordRequest(name, { purpose, model: namesInMetrics(model), metrics, text: "" });
  scope.emit("ModelRequestCompleted", { ...names, ...toRequestFields(metrics) });
}
