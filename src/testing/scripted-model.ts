/** A language model that needs no network: it follows a script. */
import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { type Script, type ScriptedError, type ScriptedTurn, toDeltas, toScriptedCall } from "./script.ts";

/** Options of a scripted model. */
export interface ScriptedModelOptions {
  /** Default `scripted-model`. */
  readonly modelId?: string;
  /** Provider name in the AI SDK. Default `scripted`. */
  readonly provider?: string;
  /** Number of recent calls to keep in `calls`. Default 100. */
  readonly keepCalls?: number;
  /** Waits for the given time; must reject or resolve early when the signal aborts. Default: real time. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** A scripted model, with the options of its recent calls. */
export interface ScriptedModel extends LanguageModelV4 {
  readonly calls: readonly LanguageModelV4CallOptions[];
}

/**
 * Creates a model that follows a script.
 *
 * @example
 * ```ts
 * const model = scriptedModel([{ toolCalls: [{ name: "get_weather", input: { city: "Paris" } }] }, "It is sunny in Paris."]);
 * const agent = defineAgent({ id: "weather", model, tools: [weather] });
 * ```
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  const calls: LanguageModelV4CallOptions[] = [];
  const sleep = options.sleep ?? realSleep;
  let count = 0;
  let toolCalls = 0;

  async function nextTurn(call: LanguageModelV4CallOptions): Promise<{ turn: ScriptedTurn; number: number }> {
    const number = ++count;
    calls.push(call);
    if (calls.length > (options.keepCalls ?? 100)) calls.shift();
    let said: ScriptedTurn | string | undefined;
    if (typeof script === "function") {
      said = await script(toScriptedCall(number, call.prompt, call.tools?.map(({ name }) => name) ?? []));
    } else {
      said = script[number - 1];
      if (said === undefined) throw new Error(`The script has ${script.length} turns, and this is call ${number}.`);
    }
    const turn = typeof said === "string" ? { text: said } : said;
    if (turn.error && !turn.error.afterDeltas) {
      if (turn.wait) await sleep(turn.wait, call.abortSignal);
      throw toError(turn.error);
    }
    return { turn, number };
  }

  function partsOf(turn: ScriptedTurn, number: number, call: LanguageModelV4CallOptions): LanguageModelV4StreamPart[] {
    const parts: LanguageModelV4StreamPart[] = [
      { type: "stream-start", warnings: [] },
      { type: "response-metadata", id: turn.id ?? `scripted-${number}` },
    ];
    for (const kind of ["reasoning", "text"] as const) {
      const deltas = toDeltas(turn[kind]);
      if (deltas.length === 0) continue;
      parts.push({ type: `${kind}-start`, id: kind });
      for (const delta of deltas) parts.push({ type: `${kind}-delta`, id: kind, delta });
      parts.push({ type: `${kind}-end`, id: kind });
    }
    for (const [place, source] of (turn.sources ?? []).entries()) {
      const id = `source-${place + 1}`;
      if ("url" in source) parts.push({ type: "source", sourceType: "url", id, ...source });
      else parts.push({ type: "source", sourceType: "document", id, ...source });
    }
    for (const { id, name, input = {} } of turn.toolCalls ?? []) {
      const text = typeof input === "string" ? input : JSON.stringify(input);
      parts.push({ type: "tool-call", toolCallId: id ?? `call_${++toolCalls}`, toolName: name, input: text });
    }
    const unified = turn.finish ?? (turn.toolCalls?.length ? "tool-calls" : "stop");
    parts.push({ type: "finish", finishReason: { unified, raw: unified }, usage: usageOf(turn, call) });
    return turn.error ? cutOff(parts, turn.error) : parts;
  }

  return {
    specificationVersion: "v4",
    provider: options.provider ?? "scripted",
    modelId: options.modelId ?? "scripted-model",
    supportedUrls: {},
    calls,
    async doStream(call) {
      call.abortSignal?.throwIfAborted();
      const { turn, number } = await nextTurn(call);
      const parts = partsOf(turn, number, call);
      const stream = turn.wait || turn.delay ? paced(parts, turn, call.abortSignal, sleep) : atOnce(parts);
      return { stream };
    },
    async doGenerate(call) {
      call.abortSignal?.throwIfAborted();
      const { turn, number } = await nextTurn(call);
      if (turn.wait) await sleep(turn.wait, call.abortSignal);
      return toResult(partsOf(turn, number, call));
    },
  };
}

function atOnce(parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

function paced(
  parts: readonly LanguageModelV4StreamPart[],
  turn: ScriptedTurn,
  signal: AbortSignal | undefined,
  sleep: NonNullable<ScriptedModelOptions["sleep"]>,
): ReadableStream<LanguageModelV4StreamPart> {
  let next = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const part = parts[next++];
        if (!part) return controller.close();
        if (next === 1 && turn.wait) await sleep(turn.wait, signal);
        if (part.type.endsWith("-delta") && turn.delay) {
          await sleep(typeof turn.delay === "function" ? turn.delay() : turn.delay, signal);
        }
        if (signal?.aborted) return controller.error(signal.reason);
        controller.enqueue(part);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Returns the parts before the error, followed by the error. */
function cutOff(parts: readonly LanguageModelV4StreamPart[], error: ScriptedError): LanguageModelV4StreamPart[] {
  let deltas = 0;
  const place = parts.findIndex((part) => part.type.endsWith("-delta") && ++deltas > (error.afterDeltas ?? 0));
  return [...parts.slice(0, place < 0 ? -1 : place), { type: "error", error: toError(error) }];
}

function toError({ message, status, headers, retryable }: ScriptedError): Error {
  if (status === undefined) return new Error(message);
  return new APICallError({
    message,
    url: "scripted:",
    requestBodyValues: {},
    statusCode: status,
    ...(headers && { responseHeaders: { ...headers } }),
    ...(retryable !== undefined && { isRetryable: retryable }),
  });
}

function usageOf(
  turn: ScriptedTurn,
  call: LanguageModelV4CallOptions,
): Extract<LanguageModelV4StreamPart, { type: "finish" }>["usage"] {
  const counted = { input: roughTokens(call), output: toDeltas(turn.text).length + (turn.toolCalls?.length ?? 0) * 8 };
  const usage = turn.usage === undefined ? counted : (turn.usage ?? undefined);
  const reasoning = turn.usage?.reasoning;
  return {
    inputTokens: { total: usage?.input, noCache: usage?.input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: usage?.output, text: usage?.output, reasoning },
  };
}

function roughTokens({ prompt }: LanguageModelV4CallOptions): number {
  let characters = 0;
  for (const message of prompt) {
    if (message.role === "system") characters += message.content.length;
    else for (const part of message.content) characters += part.type === "text" ? part.text.length : 40;
  }
  return Math.ceil(characters / 4);
}

function toResult(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4GenerateResult {
  const content: LanguageModelV4Content[] = [];
  const said = { reasoning: "", text: "" };
  for (const part of parts) {
    if (part.type === "error") throw part.error;
    if (part.type === "text-delta") said.text += part.delta;
    if (part.type === "reasoning-delta") said.reasoning += part.delta;
    if (part.type === "tool-call") content.push(part);
  }
  for (const type of ["text", "reasoning"] as const) if (said[type]) content.unshift({ type, text: said[type] });
  const finish = parts.findLast((part) => part.type === "finish");
  if (!finish) throw new Error("The script ends without an answer.");
  return { content, finishReason: finish.finishReason, usage: finish.usage, warnings: [] };
}

function realSleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done, { once: true });
  });
}
