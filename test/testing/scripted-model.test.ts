import { APICallError, type LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { scriptedModel } from "../../src/testing/index.ts";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "hello" }] }];

async function partsOf(model: ReturnType<typeof scriptedModel>, signal?: AbortSignal) {
  const { stream } = await model.doStream({ prompt, ...(signal && { abortSignal: signal }) });
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

test("a turn is streamed in the parts of a provider", async () => {
  const model = scriptedModel([
    { reasoning: "Hm.", text: "Hello  there.", toolCalls: [{ name: "look", input: { at: 1 } }] },
  ]);
  expect(await partsOf(model)).toEqual([
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", id: "scripted-1" },
    { type: "reasoning-start", id: "reasoning" },
    { type: "reasoning-delta", id: "reasoning", delta: "Hm." },
    { type: "reasoning-end", id: "reasoning" },
    { type: "text-start", id: "text" },
    { type: "text-delta", id: "text", delta: "Hello" },
    { type: "text-delta", id: "text", delta: "  there." },
    { type: "text-end", id: "text" },
    { type: "tool-call", toolCallId: "call_1", toolName: "look", input: '{"at":1}' },
    {
      type: "finish",
      finishReason: { unified: "tool-calls", raw: "tool-calls" },
      usage: {
        inputTokens: { total: 2, noCache: 2, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 10, text: 10, reasoning: undefined },
      },
    },
  ]);
});

test("a list is answered turn by turn, and a call after its end is rejected", async () => {
  const model = scriptedModel(["one", "two"]);
  await partsOf(model);
  await partsOf(model);
  await expect(model.doStream({ prompt })).rejects.toThrow("The script has 2 turns, and this is call 3.");
});

test("a function receives the call's number, message, tools, results and system prompt, and returns the answer", async () => {
  const model = scriptedModel(({ number, message, tools, results, system }) =>
    JSON.stringify({ number, message, tools, results, system }),
  );
  const tool = { type: "function" as const, name: "look", inputSchema: {} };
  const result = await model.doGenerate({
    prompt: [
      { role: "system", content: "Be brief." },
      ...prompt,
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c", toolName: "look", output: { type: "error-text", value: "no" } },
        ],
      },
    ],
    tools: [tool],
  });
  expect(result.content).toEqual([
    {
      type: "text",
      text: '{"number":1,"message":"hello","tools":["look"],"results":[{"tool":"look","text":"no","isError":true}],"system":"Be brief."}',
    },
  ]);
});

test("the model keeps at most keepCalls calls", async () => {
  const model = scriptedModel(() => "yes", { keepCalls: 2 });
  for (let call = 0; call < 5; call++) await partsOf(model);
  expect(model.calls).toHaveLength(2);
});

test("the model waits with the given sleep before the first delta and between deltas", async () => {
  const slept: number[] = [];
  const sleep = async (milliseconds: number) => void slept.push(milliseconds);
  let pace = 10;
  const model = scriptedModel([{ text: "one two three", wait: 500, delay: () => pace++ }], { sleep });
  await partsOf(model);
  expect(slept).toEqual([500, 10, 11, 12]);
});

test("the model stops at the abort signal, before the call and during the stream", async () => {
  const model = scriptedModel(() => ({ text: "one two", wait: 60_000 }));
  await expect(model.doStream({ prompt, abortSignal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone");
  const controller = new AbortController();
  const reading = partsOf(model, controller.signal);
  controller.abort(new Error("gone meanwhile"));
  await expect(reading).rejects.toThrow("gone meanwhile");
});

test("the model fails with a provider's error or a plain one, and after some deltas if scripted", async () => {
  const headers = { "retry-after": "1" };
  const model = scriptedModel([
    { error: { message: "slow down", status: 429, headers } },
    { error: { message: "boom" } },
    { text: "one two", error: { message: "broken", status: 500, retryable: false, afterDeltas: 1 } },
  ]);
  const refused = await model.doStream({ prompt }).then(undefined, (error: unknown) => error);
  expect(
    APICallError.isInstance(refused) && [refused.statusCode, refused.responseHeaders, refused.isRetryable],
  ).toEqual([429, headers, true]);
  await expect(model.doStream({ prompt })).rejects.toThrow(new Error("boom"));
  const parts = await partsOf(model);
  expect(parts.slice(-2)).toMatchObject([
    { type: "text-delta", delta: "one" },
    { type: "error", error: { isRetryable: false } },
  ]);
});
