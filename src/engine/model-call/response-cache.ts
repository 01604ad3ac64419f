/** Answers of models that equal requests receive again. A cache that cannot be read or written never fails a run. */
import { createHash } from "node:crypto";
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { cacheDuration } from "../../define/component.ts";
import { canonicalJson } from "../../model/canonical-json.ts";
import type { RunScope } from "../loops/contract.ts";
import type { CallableModel, CallOptions, StreamPart } from "./model-adapter.ts";

/** Maximum characters of a stored answer. */
const maxBody = 1_000_000;

/** An answer that was made before, or the place where the next one is stored. */
export interface CachedAnswer {
  readonly digest: string;
  /** Undefined if there is no answer. */
  readonly parts: readonly StreamPart[] | undefined;
}

/** Looks a request up. Undefined for a component without a cache, and for one whose answers are checked: the cache would store unchecked answers. */
export function cachedAnswer(
  scope: RunScope,
  model: CallableModel,
  options: CallOptions,
): Promise<CachedAnswer | undefined> | undefined {
  const { cache, guardrails = [] } = scope.component;
  const isChecked = guardrails.some(({ on }) => on.includes("output"));
  return cache && scope.responses && !isChecked ? find(scope, model, options) : undefined;
}

async function find(scope: RunScope, model: CallableModel, options: CallOptions): Promise<CachedAnswer | undefined> {
  const digest = digestOf(scope, model, options);
  try {
    const body = await scope.responses?.find(digest);
    return { digest, parts: body === undefined ? undefined : (JSON.parse(body) as StreamPart[]) };
  } catch (error) {
    warn(scope, error, "A stored answer could not be read, and the model is asked.");
    return undefined;
  }
}

/** The whole request except its headers, which differ by trace. The owner is part of it unless the definition shares answers. */
function digestOf({ component, context }: RunScope, model: CallableModel, options: CallOptions): string {
  const { abortSignal: _, headers: __, ...request } = options;
  const owner = component.cache?.shared ? null : [context.userId];
  const key = canonicalJson({ owner, provider: model.providerId, model: model.id, request });
  return createHash("sha256").update(key).digest("hex");
}

/** Stores the parts of a complete answer. Answers with files are not stored. */
export async function storeAnswer(scope: RunScope, digest: string, parts: readonly StreamPart[]): Promise<void> {
  const { component, context, responses } = scope;
  if (!component.cache || !responses || parts.some(({ type }) => type === "file")) return;
  const body = JSON.stringify(parts);
  if (body.length > maxBody) return;
  try {
    await responses.put({ digest, userId: context.userId, body }, cacheDuration(component.cache));
  } catch (error) {
    warn(scope, error, "An answer could not be stored for equal requests.");
  }
}

/** The stored parts as a model streams them, without usage: the answer costs nothing. */
export function replayed(parts: readonly StreamPart[]): ReadableStream<StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part.type === "finish" ? { ...part, usage: noUsage } : part);
      controller.close();
    },
  });
}

const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

function warn(scope: RunScope, error: unknown, text: string): void {
  scope.runtime.log.warn({ error, runId: scope.context.runId }, text);
}
