import type { LanguageModelV4 } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { modelId, modelOf, providerName, resolveModels } from "../../src/engine/model-call/models.ts";
import { ConfigurationError } from "../../src/errors.ts";
import { scriptedModel } from "../../src/testing/index.ts";

const sources = { environment: {}, folder: import.meta.dirname };

function resolving(model: string | LanguageModelV4, given: Partial<Parameters<typeof resolveModels>[1]> = {}) {
  const member = defineAgent({ id: "researcher", model });
  const desk = defineTeam({ id: "desk", model: scriptedModel([]), members: [member] });
  const done = resolveModels(definePlatform({ id: "p", teams: [desk] }), { ...sources, ...given });
  return { member, done };
}

test.each([
  ["openai:gpt-5.2", "gpt-5.2", "OpenAI"],
  ["anthropic:claude-sonnet-5", "claude-sonnet-5", "Anthropic"],
  ["openai-compatible:qwen3:8b", "qwen3:8b", "OpenAI-compatible"],
  ["google-vertex:gemini", "gemini", "Google Vertex"],
])("modelId and providerName return both parts of %s", (text, id, provider) => {
  expect([modelId(text), providerName(text)]).toEqual([id, provider]);
});

test("modelId and providerName read a model object", () => {
  const model = scriptedModel([], { provider: "openai.chat", modelId: "fake-model" });
  expect([modelId(model), providerName(model)]).toEqual(["fake-model", "OpenAI"]);
  const agent = defineAgent({ id: "a", model });
  expect(modelOf(agent)).toMatchObject({ id: "fake-model", provider: "OpenAI", providerLabel: "OpenAI Chat" });
});

describe("a model named by text is loaded from an installed package", () => {
  test.each([
    ["openai:gpt-5.2", "gpt-5.2", "OpenAI Responses"],
    ["anthropic:claude-sonnet-5", "claude-sonnet-5", "Anthropic Messages"],
  ])("%s", async (text, id, providerLabel) => {
    const { member, done } = resolving(text);
    await done;
    expect(modelOf(member)).toMatchObject({ id, providerLabel });
  });

  test("openai-compatible takes its server's address from OPENAI_BASE_URL", async () => {
    const { member, done } = resolving("openai-compatible:qwen3:8b", {
      environment: { OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" },
    });
    await done;
    expect(modelOf(member)).toMatchObject({ id: "qwen3:8b", providerLabel: "OpenAI-compatible Chat" });
  });

  test("a package whose export has another name is found", async () => {
    const model = scriptedModel([], { modelId: "x", provider: "other" });
    const provider = Object.assign(() => model, { languageModel: () => model });
    const { member, done } = resolving("odd-one:x", {
      load: async () => ({ another: provider, alias: provider, createAnother: () => 1 }),
    });
    await done;
    expect(modelOf(member).id).toBe("x");
  });
});

describe("a model that cannot be loaded throws a ConfigurationError with the component and the fix", () => {
  test.each([
    [
      "a missing package",
      "nosuch:model",
      {},
      /^Agent "researcher": model "nosuch:model" needs the package @ai-sdk\/nosuch, which is not installed: run npm install @ai-sdk\/nosuch/,
    ],
    [
      "a misspelt provider",
      "opnai:gpt-5.2",
      {},
      /^Agent "researcher": model "opnai:gpt-5.2" names the unknown provider "opnai": did you mean "openai:gpt-5.2"\?/,
    ],
    [
      "a missing address",
      "openai-compatible:m",
      {},
      /^Agent "researcher": model "openai-compatible:m" needs the address of its server: set OPENAI_BASE_URL/,
    ],
    [
      "a package without a ready provider",
      "odd:m",
      { load: async () => ({ createOdd: () => 1 }) },
      /^Agent "researcher": the package @ai-sdk\/odd has no ready provider/,
    ],
    [
      "a package that throws while it loads",
      "odd:m",
      { load: async () => Promise.reject(new Error("boom")) },
      /^Agent "researcher": the package @ai-sdk\/odd .* cannot be loaded: boom/,
    ],
    [
      "a model of an old specification",
      { specificationVersion: "v2" } as unknown as LanguageModelV4,
      {},
      /^Agent "researcher": its model is not .* v3 or v4 \(it declares "v2"\): update its provider package/,
    ],
    [
      "an object that is not a model",
      { some: "thing" } as unknown as LanguageModelV4,
      {},
      /^Agent "researcher": its model is not .* \(it declares nothing\)/,
    ],
  ])("%s", async (_, model, given, text) => {
    const { done } = resolving(model, given);
    await expect(done).rejects.toThrow(text);
    await expect(done).rejects.toBeInstanceOf(ConfigurationError);
  });
});
