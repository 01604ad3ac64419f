/** Costs of model requests: the table of list prices, and the platform's own prices. */
import { expect, test } from "vitest";
import { PriceBook } from "../../src/engine/model-call/prices.ts";
import type { Prices } from "../../src/model/usage/prices.ts";

const none = { cacheRead: 0, cacheWrite: 0, reasoning: 0 };
/** Below the tiers of large prompts. */
const tokens = { input: 100_000, output: 100_000, ...none };
const million = { input: 1_000_000, output: 1_000_000, ...none };

function book(prices?: Prices, load?: ConstructorParameters<typeof PriceBook>[2]) {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, message: string) => void warnings.push(message) };
  return { book: new PriceBook(prices, { log }, load), warnings };
}

const openai = (id: string) => ({ id, providerId: "openai.responses" });

test("the table prices models of the AI SDK's providers, with cached tokens and dated names", async () => {
  const { book: prices } = book();
  for (const [id, providerId, dollars] of [
    ["gpt-5.2", "openai.responses", 1.575],
    ["gpt-5.2-2025-12-11", "openai.chat", 1.575],
    ["claude-sonnet-4-5", "anthropic.messages", 1.8],
    ["gemini-2.5-pro", "google.generative-ai", 1.125],
    ["gemini-2.5-pro", "google.vertex.chat", 1.125],
    ["anthropic.claude-sonnet-4-20250514-v1:0", "amazon-bedrock", 1.8],
    ["grok-4", "xai.chat", 1.8],
  ] as const) {
    const price = await prices.find({ id, providerId });
    expect([id, price?.(tokens)]).toEqual([id, dollars]);
  }
  const price = await prices.find(openai("gpt-5.2"));
  expect(price?.({ ...none, input: 1_000, output: 0, cacheRead: 1_000 })).toBe(0.000_175);
  // A provider may report cached tokens that its total does not include.
  expect(price?.({ ...none, input: 0, output: 0, cacheRead: 1_000 })).toBe(0.000_175);
});

test("the table is loaded with the first model of a listed provider, and only once", async () => {
  let loads = 0;
  const { book: prices } = book(undefined, () => {
    loads += 1;
    return import("@pydantic/genai-prices");
  });
  expect([prices.find({ id: "m", providerId: "lmstudio.chat" }), loads]).toEqual([undefined, 0]);
  await Promise.all([prices.find(openai("gpt-5.2")), prices.find(openai("gpt-4o"))]);
  expect(loads).toBe(1);
  expect(typeof prices.find(openai("gpt-5.2"))).toBe("function");
});

test("a model without a price is logged once", async () => {
  const { book: prices, warnings } = book();
  for (let n = 0; n < 3; n++) expect(await prices.find(openai("no-such-model"))).toBeUndefined();
  for (let n = 0; n < 3; n++) expect(prices.find({ id: "llama", providerId: "lmstudio.chat" })).toBeUndefined();
  expect(warnings.length).toBe(2);
});

test("a table that cannot be loaded leaves costs unknown", async () => {
  const { book: prices, warnings } = book(undefined, () => Promise.reject(new Error("gone")));
  expect(await prices.find(openai("gpt-5.2"))).toBeUndefined();
  expect(warnings[0]).toContain("could not be loaded");
});

test("the platform's own prices override the table, by model or by provider and model", async () => {
  const { book: prices } = book({
    "gpt-5.2": { input: 1, output: 2 },
    "openai:gpt-4o": { input: 3, output: 4, cacheRead: 1 },
  });
  expect((await prices.find(openai("gpt-5.2")))?.(million)).toBe(3);
  const price = await prices.find(openai("gpt-4o"));
  expect(price?.({ ...none, input: 1_000, output: 10, cacheRead: 400 })).toBe((600 * 3 + 400 * 1 + 10 * 4) / 1e6);
  expect((await prices.find({ id: "gpt-4o", providerId: "azure.chat" }))?.(tokens)).toBe(1.25);
});

test("a price function comes before the table, and its errors and unusable results leave the cost unknown", async () => {
  const { book: prices, warnings } = book(({ model, tokens }) => {
    if (model === "broken") throw new Error("no");
    if (model === "strange") return Number.NaN;
    return model === "mine" ? tokens.input / 1e6 : undefined;
  });
  const cost = async (id: string, providerId = "own.chat") => (await prices.find({ id, providerId }))?.(million);
  expect(await Promise.all([cost("mine"), cost("broken"), cost("strange"), cost("other")])).toEqual([
    ...[1, undefined, undefined, undefined],
  ]);
  expect(await cost("gpt-5.2", "openai.chat")).toBe(15.75);
  expect(warnings.length).toBe(1);
});

test("without prices, no model has a cost and nothing is logged", () => {
  const { book: prices, warnings } = book(false);
  expect([prices.find(openai("gpt-5.2")), warnings]).toEqual([undefined, []]);
});
