import type { LanguageModelV3 } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { toPrompt } from "../../src/engine/model-call/prompt.ts";
import type { Media, Message } from "../../src/model/run/message.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { fakeScope } from "../support/fake-scope.ts";

const media: readonly Media[] = [
  { kind: "image", mediaType: "image/png", filename: "cat.png", data: "AAAA" },
  { kind: "audio", mediaType: "audio/wav", data: "BBBB" },
  { kind: "file", mediaType: "application/pdf", url: "https://files.example/a.pdf" },
  {
    kind: "file",
    mediaType: "text/csv; charset=utf-8",
    filename: "a.csv",
    data: Buffer.from("a,b\n1,ü").toString("base64"),
  },
];

describe("toPrompt", () => {
  test("media become file parts, and text files become text parts", () => {
    const [message] = toPrompt({ system: "", history: [], messages: [{ role: "user", content: "look", media }] });
    expect(message?.content).toEqual([
      { type: "text", text: "look" },
      { type: "file", mediaType: "image/png", filename: "cat.png", data: { type: "data", data: "AAAA" } },
      { type: "file", mediaType: "audio/wav", data: { type: "data", data: "BBBB" } },
      {
        type: "file",
        mediaType: "application/pdf",
        data: { type: "url", url: new URL("https://files.example/a.pdf") },
      },
      { type: "text", text: '<file name="a.csv">\na,b\n1,ü\n</file>' },
    ]);
  });

  test("an invalid media URL throws an error that names it", () => {
    const bad: Media = { kind: "image", mediaType: "image/png", url: "not an address" };
    expect(() =>
      toPrompt({ system: "", history: [], messages: [{ role: "user", content: "", media: [bad] }] }),
    ).toThrow("The image of the input has neither data nor a valid address.");
  });

  test("a call without a result gets an error result, and unreadable arguments are wrapped in an object", () => {
    const said: Message[] = [
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "look", input: "{oops" }] },
    ];
    expect(toPrompt({ system: "", history: said, messages: [] })).toEqual([
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: "look", input: { unreadable_arguments: "{oops" } }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: "look",
            output: { type: "error-text", value: "No result was recorded." },
          },
        ],
      },
    ]);
  });
});

test("provider metadata of each part returns to the provider in the next turn, in the original order", async () => {
  const parts = [
    { type: "reasoning-start", id: "r1" },
    { type: "reasoning-delta", id: "r1", delta: "First " },
    { type: "reasoning-delta", id: "r1", delta: "thought" },
    { type: "reasoning-delta", id: "r1", delta: "", providerMetadata: { anthropic: { signature: "sig1" } } },
    { type: "reasoning-end", id: "r1" },
    { type: "reasoning-start", id: "r2", providerMetadata: { anthropic: { redactedData: "xyz" } } },
    { type: "reasoning-end", id: "r2" },
    { type: "reasoning-delta", id: "r3", delta: "Second" },
    { type: "text-start", id: "t1" },
    { type: "text-delta", id: "t1", delta: "Let me " },
    { type: "text-delta", id: "t1", delta: "look." },
    { type: "text-end", id: "t1", providerMetadata: { openai: { itemId: "msg_1" } } },
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "look",
      input: "{}",
      providerMetadata: { google: { thoughtSignature: "s" } },
    },
    { type: "tool-call", toolCallId: "theirs", toolName: "web_search", input: "{}", providerExecuted: true },
    { type: "text-delta", id: "t2", delta: "More." },
    {
      type: "finish",
      finishReason: { unified: "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 5, noCache: 3, cacheRead: 2, cacheWrite: undefined },
        outputTokens: { total: 4, text: 1, reasoning: 3 },
      },
    },
  ] as const;
  const model = scriptedModel(["Done"]);
  let calls = 0;
  const doStream: typeof model.doStream = async (options) =>
    ++calls > 1
      ? model.doStream(options)
      : {
          stream: new ReadableStream({
            start: (controller) => {
              for (const part of parts) controller.enqueue(part);
              controller.close();
            },
          }),
        };
  const look = defineTool({ name: "look", description: "Looks", input: z.object({}), execute: () => "seen" });
  const scope = fakeScope(defineAgent({ id: "a", model: { ...model, doStream }, tools: [look] }));
  const output = await scope.run();
  expect(JSON.parse(JSON.stringify(scope.messages[1]?.message))).toMatchObject({
    content: "Let me look.More.",
    reasoning: "First thought\n\nSecond",
    metrics: { input_tokens: 5, output_tokens: 4, total_tokens: 9, reasoning_tokens: 3, cache_read_tokens: 2 },
  });
  expect(model.calls[0]?.prompt[1]).toEqual({
    role: "assistant",
    content: [
      { type: "reasoning", text: "First thought", providerOptions: { anthropic: { signature: "sig1" } } },
      { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: "xyz" } } },
      { type: "reasoning", text: "Second" },
      { type: "text", text: "Let me look.", providerOptions: { openai: { itemId: "msg_1" } } },
      {
        type: "tool-call",
        toolCallId: "c1",
        toolName: "look",
        input: {},
        providerOptions: { google: { thoughtSignature: "s" } },
      },
      { type: "text", text: "More." },
    ],
  });
  expect(output.metrics).toMatchObject({ reasoning_tokens: 3, cache_read_tokens: 2 });
  const shown = scope.events.filter(({ name }) => name === "RunContent").map(({ fields }) => fields.reasoning_content);
  expect(shown.join("")).toBe("First thought\n\nSecond");
});

test("files that a model generates are kept as media, from base64, bytes and URLs", async () => {
  const files = [
    { mediaType: "image/png", data: { type: "data", data: "AAAA" } },
    { mediaType: "audio/wav", data: new Uint8Array([0, 0, 0]) },
    { mediaType: "application/pdf", data: { type: "url", url: new URL("https://files.example/a.pdf") } },
  ];
  const finish = {
    type: "finish",
    finishReason: { unified: "stop", raw: undefined },
    usage: { inputTokens: {}, outputTokens: {} },
  };
  const stream = ReadableStream.from([...files.map((file) => ({ type: "file", ...file })), finish]);
  const model = { ...scriptedModel([]), doStream: async () => ({ stream: stream as never }) };
  const output = await fakeScope(defineAgent({ id: "a", model })).run();
  expect(output.media).toEqual([
    { kind: "image", mediaType: "image/png", data: "AAAA" },
    { kind: "audio", mediaType: "audio/wav", data: "AAAA" },
    { kind: "file", mediaType: "application/pdf", url: "https://files.example/a.pdf" },
  ]);
  expect(output.metrics).toEqual({ duration: 0 });
});

test("a model of specification v3 receives files in the v3 form", async () => {
  const scripted = scriptedModel(["Seen"]);
  const given: unknown[] = [];
  const model = {
    ...scripted,
    specificationVersion: "v3",
    doStream: async (options: Parameters<LanguageModelV3["doStream"]>[0]) => {
      given.push(options.prompt[0]?.content);
      return scripted.doStream(options as never);
    },
  } as unknown as LanguageModelV3;
  const scope = fakeScope(defineAgent({ id: "a", model }), { input: { message: "look", media: media.slice(0, 3) } });
  expect((await scope.run()).content).toBe("Seen");
  expect(given[0]).toEqual([
    { type: "text", text: "look" },
    { type: "file", mediaType: "image/png", filename: "cat.png", data: "AAAA" },
    { type: "file", mediaType: "audio/wav", data: "BBBB" },
    { type: "file", mediaType: "application/pdf", data: new URL("https://files.example/a.pdf") },
  ]);
});
