/** The AI SDK's own provider packages, against a local server that answers as the providers do. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform } from "../../src/define/platform.ts";
import { defineTool } from "../../src/define/tool.ts";
import { RunStopped } from "../../src/engine/loops/contract.ts";
import { resolveModels } from "../../src/engine/model-call/models.ts";
import { fakeScope } from "../support/fake-scope.ts";
import { type ProviderAnswer, ProviderServer } from "../support/provider-server.ts";

const weather = defineTool({
  name: "get_weather",
  description: "Weather of a city",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
});

function chat(id: string, deltas: readonly object[], reason: string): ProviderAnswer {
  const chunk = (rest: object) => ({ id, object: "chat.completion.chunk", created: 1, model: "gpt-test", ...rest });
  return {
    events: [
      ...deltas.map((delta) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] })),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }),
      chunk({ choices: [], usage: { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 } }),
      "[DONE]",
    ],
  };
}

const chatCall = chat(
  "chatcmpl-1",
  [
    {
      role: "assistant",
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "get_weather", arguments: "" } }],
    },
    { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] },
  ],
  "tool_calls",
);
const chatText = chat("chatcmpl-2", [{ role: "assistant", content: "Sunny" }, { content: " there." }], "stop");
const slowDown: ProviderAnswer = {
  status: 429,
  headers: { "retry-after": "3" },
  json: { error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" } },
};

describe("OpenAI", () => {
  test("chat completions: a 429 is retried, then a tool call and a text complete the run", async () => {
    await using server = await ProviderServer.answering([slowDown, chatCall, chatText]);
    const model = createOpenAI({ baseURL: server.url, apiKey: "sk-test" }).chat("gpt-test");
    const scope = fakeScope(defineAgent({ id: "a", model, tools: [weather], instructions: "Be brief." }));
    const output = await scope.run();
    expect(scope.clock.slept).toEqual([3_000]);
    expect(output).toMatchObject({
      content: "Sunny there.",
      providerData: { id: "chatcmpl-2" },
      metrics: {
        input_tokens: 42,
        output_tokens: 18,
        total_tokens: 60,
        details: { model: [{ id: "gpt-test", provider: "OpenAI Chat" }] },
      },
    });
    expect(scope.names).toEqual([
      "RunStarted",
      "ModelRequestStarted",
      "ModelRequestCompleted",
      "ToolCallStarted",
      "ToolCallCompleted",
      "ModelRequestStarted",
      "RunContent",
      "RunContent",
      "ModelRequestCompleted",
      "RunContentCompleted",
      "RunCompleted",
    ]);
    expect(scope.events[6]?.fields).toMatchObject({ content: "Sunny", model_provider_data: { id: "chatcmpl-2" } });
    expect(server.requests[2]?.body.messages.map(({ role }: { role: string }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
    ]);
    expect(server.requests[2]?.body.messages.at(-1)).toEqual({
      role: "tool",
      tool_call_id: "call_1",
      content: "Sunny in Paris",
    });
  });

  test("the responses API returns content and usage", async () => {
    const item = { type: "message", id: "msg_1", role: "assistant", content: [] };
    const response = { id: "resp_1", created_at: 1, model: "gpt-test", service_tier: null };
    const usage = {
      input_tokens: 21,
      input_tokens_details: { cached_tokens: 5 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 2 },
    };
    const delta = (text: string) => ({
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      delta: text,
    });
    const events = [
      { type: "response.created", response },
      { type: "response.output_item.added", output_index: 0, item },
      delta("Hello"),
      delta(" there"),
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { ...item, content: [{ type: "output_text", text: "Hello there", annotations: [] }] },
      },
      { type: "response.completed", response: { ...response, incomplete_details: null, usage } },
    ];
    await using server = await ProviderServer.answering([{ events, named: true }]);
    const scope = fakeScope(
      defineAgent({ id: "a", model: createOpenAI({ baseURL: server.url, apiKey: "sk-test" })("gpt-test") }),
    );
    const output = await scope.run();
    expect(output).toMatchObject({
      content: "Hello there",
      providerData: { id: "resp_1" },
      metrics: {
        input_tokens: 21,
        output_tokens: 9,
        reasoning_tokens: 2,
        cache_read_tokens: 5,
        details: { model: [{ provider: "OpenAI Responses" }] },
      },
    });
    expect(server.requests[0]?.path).toBe("/v1/responses");
  });

  test("an agent with an output schema sends the schema in response_format", async () => {
    const json = chat("chatcmpl-3", [{ role: "assistant", content: '{"sky":' }, { content: '"blue"}' }], "stop");
    await using server = await ProviderServer.answering([json]);
    const model = createOpenAI({ baseURL: server.url, apiKey: "sk-test" }).chat("gpt-test");
    const scope = fakeScope(
      defineAgent({ id: "a", model, output: z.object({ sky: z.string() }).meta({ title: "Report" }) }),
    );
    expect((await scope.run()).content).toEqual({ sky: "blue" });
    expect(server.requests[0]?.body.response_format).toMatchObject({
      type: "json_schema",
      json_schema: { name: "Report", strict: true, schema: { additionalProperties: false, required: ["sky"] } },
    });
  });

  test("a rejected API key fails the run with an error that hides the key", async () => {
    const message = "Incorrect API key provided: sk-test-1234. You can find your API key at https://platform.example.";
    await using server = await ProviderServer.answering([
      { status: 401, json: { error: { message, type: "invalid_request_error", code: "invalid_api_key" } } },
    ]);
    const model = createOpenAI({ baseURL: server.url, apiKey: "sk-test-1234" }).chat("gpt-test");
    await expect(fakeScope(defineAgent({ id: "a", model })).run()).rejects.toMatchObject({
      type: "model_provider_error",
      message: expect.stringMatching(
        /^Incorrect API key provided: \[hidden\] .* \(OpenAI refused the credentials for the model gpt-test: check its API key\)$/,
      ),
    });
  });

  test("a cancelled run aborts the request", async () => {
    await using server = await ProviderServer.answering([{ events: [] }]);
    const stuck = {
      baseURL: server.url,
      apiKey: "sk-test",
      fetch: (_: unknown, options?: RequestInit) =>
        new Promise<Response>((_resolve, reject) =>
          options?.signal?.addEventListener("abort", () => reject(options.signal?.reason)),
        ),
    };
    const scope = fakeScope(defineAgent({ id: "a", model: createOpenAI(stuck).chat("gpt-test") }));
    const running = scope.run();
    await expect.poll(() => scope.names.length).toBe(2);
    scope.stop({ kind: "cancelled" });
    await expect(running).rejects.toBeInstanceOf(RunStopped);
  });

  test("an unreachable server is retried, and the error has the connection error and the number of tries", async () => {
    const server = await ProviderServer.answering([]);
    const model = createOpenAI({ baseURL: server.url, apiKey: "sk-test" }).chat("gpt-test");
    await server[Symbol.asyncDispose]();
    const scope = fakeScope(defineAgent({ id: "a", model, maxModelAttempts: 2 }));
    await expect(scope.run()).rejects.toThrow(/^Cannot connect to API: .*ECONNREFUSED.* \(tried 2 times\)$/);
    expect(scope.clock.slept).toHaveLength(1);
  });
});

test("an openai-compatible model named by text completes a run with a tool call", async () => {
  await using server = await ProviderServer.answering([chatCall, chatText]);
  const agent = defineAgent({ id: "a", model: "openai-compatible:qwen3:8b", tools: [weather] });
  await resolveModels(definePlatform({ id: "p", agents: [agent] }), {
    environment: { OPENAI_BASE_URL: server.url },
    folder: ".",
  });
  const output = await fakeScope(agent).run();
  expect(output).toMatchObject({ content: "Sunny there.", metrics: { total_tokens: 60 } });
  expect(server.requests[0]).toMatchObject({ path: "/v1/chat/completions", body: { model: "qwen3:8b" } });
});

test("an openai-compatible model made in code returns the server's reasoning_content", async () => {
  const thinking = chat("chatcmpl-4", [{ role: "assistant", reasoning_content: "Hm." }, { content: "Yes." }], "stop");
  await using server = await ProviderServer.answering([thinking]);
  const model = createOpenAICompatible({ name: "local", baseURL: server.url }).chatModel("qwen3:8b");
  const output = await fakeScope(defineAgent({ id: "a", model })).run();
  expect(output).toMatchObject({ content: "Yes.", reasoningContent: "Hm." });
});

test("Anthropic: an overloaded error is retried, and the signed thinking returns with the tool's result", async () => {
  const start = (id: string) => ({
    type: "message_start",
    message: {
      id,
      type: "message",
      role: "assistant",
      model: "claude-test",
      content: [],
      usage: { input_tokens: 21, output_tokens: 1 },
    },
  });
  const block = (index: number, content_block: object, ...deltas: object[]) => [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
  const end = (stop_reason: string) => [
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  const overloaded = [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }];
  const thinking = [
    start("msg_1"),
    ...block(
      0,
      { type: "thinking", thinking: "" },
      { type: "thinking_delta", thinking: "Which city?" },
      { type: "signature_delta", signature: "sig" },
    ),
    ...block(
      1,
      { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
      { type: "input_json_delta", partial_json: '{"city":"Paris"}' },
    ),
    ...end("tool_use"),
  ];
  const text = [
    start("msg_2"),
    ...block(0, { type: "text", text: "" }, { type: "text_delta", text: "Sunny there." }),
    ...end("end_turn"),
  ];
  await using server = await ProviderServer.answering(
    [overloaded, thinking, text].map((events) => ({ events, named: true })),
  );
  const model = createAnthropic({ baseURL: server.url, apiKey: "sk-ant-test" })("claude-test");
  const scope = fakeScope(defineAgent({ id: "a", model, tools: [weather] }));
  const output = await scope.run();
  expect(output).toMatchObject({
    content: "Sunny there.",
    reasoningContent: "Which city?",
    metrics: { input_tokens: 42, output_tokens: 18 },
  });
  expect(scope.clock.slept).toHaveLength(1);
  expect(server.requests[2]?.body.messages[1]).toEqual({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Which city?", signature: "sig" },
      expect.objectContaining({ type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } }),
    ],
  });
});
