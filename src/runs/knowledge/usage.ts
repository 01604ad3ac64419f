/** Usage of searches that callers make outside of runs. */
import { namesOfModel } from "../../engine/model-call/model-adapter.ts";
import type { SearchUsage } from "../../knowledge/reranker.ts";
import { ownSpace, type Principal } from "../../model/principal.ts";
import { toNanos } from "../../model/usage/cost.ts";
import type { BackgroundUsage } from "../../store/contract/usage-days.ts";
import type { RunParts } from "../parts.ts";

/** Returns the usage of a model request as it counts to the caller's day. @throws TroupeError `forbidden` for an isolated caller without a user id */
export async function usageOfSearch(
  { prices, runtime }: RunParts["memories"]["requests"],
  caller: Principal,
  { model, input, output }: SearchUsage,
): Promise<BackgroundUsage> {
  const { id, provider, providerId } = namesOfModel(model.providerId, model.id);
  const price = await prices.find({ id, providerId });
  const cost = price?.({ input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0 });
  const nanos = cost === undefined ? null : toNanos(cost);
  const tokens = { input, output, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    ...{ at: runtime.clock.now(), owner: ownSpace(caller), counted: [] },
    models: [{ model: id, provider, requests: 1, ...tokens, nanos }],
  };
}
