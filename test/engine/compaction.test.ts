/** Compaction of prompts that near the model's context window. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import type { EarlierMessage } from "../../src/define/context-options.ts";
import { defineTool } from "../../src/define/tool.ts";
import { entriesOf, viewOf } from "../../src/engine/context/prompt-view.ts";
import { tokensOf, tokensOfMessage } from "../../src/engine/context/tokens.ts";
import { sizeOf, truncate } from "../../src/engine/context/truncate.ts";
import { PriceBook } from "../../src/engine/model-call/prices.ts";
import { toPrompt } from "../../src/engine/model-call/prompt.ts";
import type { Message } from "../../src/model/run/message.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { fakeScope } from "../support/fake-scope.ts";
import { openServer } from "../support/open-server.ts";

/** Text of about so many estimated tokens. */
const text = (tokens: number, letter = "a"): string => letter.repeat(4 * tokens);

const look = defineTool({
  name: "look",
  description: "Looks",
  input: z.object({ place: z.number() }),
  execute: ({ place }) => `${place}:${text(1000)}`,
});

/** A model that calls `look` in each of its first turns, and records every prompt. */
function looker(turns: number, prompts: LanguageModelV4Prompt[]) {
  return scriptedModel(({ prompt }) => {
    prompts.push(prompt);
    const { length } = prompt.filter(({ role }) => role === "assistant");
    return prompts.length < turns ? { toolCalls: [{ name: "look", input: { place: length } }], usage: null } : "done";
  });
}

const results = (prompt: LanguageModelV4Prompt | undefined): string[] =>
  (prompt ?? []).flatMap((message) =>
    message.role === "tool"
      ? message.content.map((part) =>
          part.type === "tool-result" && "value" in part.output ? `${part.output.value}` : "",
        )
      : [],
  );

describe("the prompt of a run", () => {
  test("old tool results become notes when the prompt would exceed 80 % of the window, and later turns keep the notes", async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const agent = defineAgent({ id: "a", model: looker(8, prompts), tools: [look], context: { window: 5000 } });
    const scope = fakeScope(agent);
    await scope.run();
    const notes = prompts.map(
      (prompt) => results(prompt).filter((one) => one.startsWith("[The result of look was removed")).length,
    );
    expect(notes).toEqual([0, 0, 0, 0, 2, 2, 4, 4]);
    expect(Math.max(...prompts.map((prompt) => tokensOf(JSON.stringify(prompt))))).toBeLessThan(5000);
    // The task and the newest result stay.
    for (const prompt of prompts) expect(prompt[0]?.content).toEqual([{ type: "text", text: "hello" }]);
    expect(results(prompts.at(-1)).at(-1)).toMatch(/^\d:a{4000}$/);
    const completed = scope.events.filter(({ name }) => name === "CompressionCompleted").map(({ fields }) => fields);
    expect(completed.map(({ tool_results_compressed }) => tool_results_compressed)).toEqual([2, 2]);
    for (const { original_size, compressed_size } of completed)
      expect(original_size - compressed_size).toBeGreaterThan(7000);
    // The compaction is durable before the request that it is made for.
    const at = scope.trace.indexOf("event CompressionCompleted");
    expect(scope.trace.slice(at - 2, at + 3)).toEqual([
      "event CompressionStarted",
      "settle context/1",
      "event CompressionCompleted",
      "commit",
      "event ModelRequestStarted",
    ]);
  });

  test("the estimate follows the usage that the provider reports", async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const model = scriptedModel(({ prompt }) => {
      prompts.push(prompt);
      const input = Math.round(3 * tokensOf(JSON.stringify(prompt)));
      return prompts.length < 3
        ? { toolCalls: [{ name: "look", input: { place: 1 } }], usage: { input, output: 1 } }
        : "done";
    });
    const scope = fakeScope(defineAgent({ id: "a", model, tools: [look], context: { window: 5000 } }));
    await scope.run();
    expect(scope.names).toContain("CompressionCompleted");
  });

  test("a component without a known window, or with compaction switched off, sends the prompt as it is", async () => {
    for (const context of [undefined, { window: 5000, compaction: false } as const]) {
      const prompts: LanguageModelV4Prompt[] = [];
      const scope = fakeScope(
        defineAgent({ id: "a", model: looker(8, prompts), tools: [look], ...(context && { context }) }),
      );
      await scope.run();
      expect(scope.names).not.toContain("CompressionStarted");
      expect(results(prompts.at(-1)).every((one) => one.length > 4000)).toBe(true);
    }
  });

  test("a function's text replaces the older messages", async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const asked: (readonly EarlierMessage[])[] = [];
    const compaction = (earlier: readonly EarlierMessage[]): string => `${asked.push(earlier)} seen`;
    const agent = defineAgent({
      id: "a",
      model: looker(6, prompts),
      tools: [look],
      context: { window: 5000, compaction },
    });
    const scope = fakeScope(agent, {
      history: [
        { role: "user", content: text(500) },
        { role: "assistant", content: "ok" },
      ],
    });
    await scope.run();
    expect(asked[0]?.slice(0, 4)).toEqual([
      { role: "user", content: "hello" },
      { role: "assistant", content: "", calls: [{ name: "look", input: '{"place":0}' }] },
      { role: "tool", content: `0:${text(1000)}`, tool: "look" },
      { role: "assistant", content: "", calls: [{ name: "look", input: '{"place":1}' }] },
    ]);
    const last = prompts.at(-1) ?? [];
    expect(last[0]?.content).toEqual([
      { type: "text", text: "<earlier_conversation>\n1 seen\n</earlier_conversation>" },
    ]);
    expect(last[1]?.content).toEqual([{ type: "text", text: "hello" }]);
  });

  test("`summarise` asks the model for a summary of the older messages, and its tokens count", async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const summaries: LanguageModelV4Prompt[] = [];
    const model = scriptedModel(({ prompt, system }) => {
      if (system.startsWith("Summarise the conversation")) {
        summaries.push(prompt);
        return { text: "Two places were seen.", usage: { input: 9, output: 3 } };
      }
      prompts.push(prompt);
      return prompts.length < 6 ? { toolCalls: [{ name: "look", input: { place: 1 } }], usage: null } : "done";
    });
    const agent = defineAgent({ id: "a", model, tools: [look], context: { window: 5000, compaction: "summarise" } });
    const scope = fakeScope(agent);
    await scope.run();
    expect(JSON.stringify(summaries[0])).toContain(`<result tool=\\"look\\">\\n1:aaaa`);
    const text = "<earlier_conversation>\nTwo places were seen.\n</earlier_conversation>";
    expect(prompts.at(-1)?.[0]?.content).toEqual([{ type: "text", text }]);
    const at = scope.names.indexOf("CompressionStarted");
    expect(scope.events.slice(at, at + 4).map(({ name, fields }) => [name, fields.purpose])).toEqual([
      ["CompressionStarted", undefined],
      ["ModelRequestStarted", "compression_model"],
      ["ModelRequestCompleted", "compression_model"],
      ["CompressionCompleted", undefined],
    ]);
  });

  test("a function that fails is logged, and the prompt is truncated", async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const compaction = (): string => {
      throw new Error("no");
    };
    const agent = defineAgent({
      id: "a",
      model: looker(6, prompts),
      tools: [look],
      context: { window: 5000, compaction },
    });
    const scope = fakeScope(agent);
    await scope.run();
    expect(results(prompts.at(-1))[0]).toMatch(/^\[The result of look was removed/);
    expect(scope.names.at(-1)).toBe("RunCompleted");
  });
});

describe("truncate", () => {
  const message = fc.oneof(
    fc.record({ role: fc.constant("user" as const), content: fc.string({ maxLength: 400 }) }),
    fc
      .record({ calls: fc.integer({ min: 0, max: 3 }), size: fc.integer({ min: 0, max: 3000 }), id: fc.nat() })
      .map(({ calls, size, id }) => ({ calls, size, id })),
  );
  const conversation = fc.array(message, { maxLength: 12 }).map((parts) =>
    parts.flatMap((part, place): Message[] => {
      if ("role" in part) return [part];
      const ids = Array.from({ length: part.calls }, (_, call) => `${place}-${call}`);
      const toolCalls = ids.map((id) => ({ id, name: "look", input: { a: part.id } }));
      const answers = ids.map((id): Message => {
        return {
          role: "tool",
          toolCallId: id,
          toolName: "look",
          toolArgs: {},
          content: "x".repeat(part.size),
          isError: false,
        };
      });
      return [{ role: "assistant", content: "t", ...(toolCalls.length > 0 && { toolCalls }) }, ...answers];
    }),
  );

  test("every call keeps its results, the task and the last turn stay, and the result is never larger", () => {
    fc.assert(
      fc.property(conversation, conversation, fc.integer({ min: 50, max: 3000 }), (history, rest, limit) => {
        const messages: readonly Message[] = [{ role: "user", content: "the task" }, ...rest];
        const entries = entriesOf(undefined, { history, messages }, tokensOfMessage);
        const shorter = truncate(entries, { limit, target: limit / 2 });
        expect(sizeOf(shorter)).toBeLessThanOrEqual(Math.max(sizeOf(entries), limit));
        const view = viewOf(shorter, messages.length, 1);
        const again = entriesOf(view, { history: [], messages }, tokensOfMessage).map((entry) => entry.message);
        // What is stored shows the same messages again.
        expect(again).toEqual(shorter.map((entry) => entry.message));
        const prompt = toPrompt({ system: "", history: again, messages: [] });
        expect(JSON.stringify(prompt)).not.toContain("No result was recorded");
        expect(again.at(-1)?.role).toBe(messages.at(-1)?.role);
        const task = messages.findLast(({ role }) => role === "user");
        expect(again.some((one) => one.role === "user" && one.content === task?.content)).toBe(true);
      }),
    );
  });
});

describe("context windows", () => {
  const { log } = fakeScope(defineAgent({ id: "a", model: scriptedModel([]) })).runtime;

  test("the table's window of a model is found, and a model without one has none", async () => {
    const book = new PriceBook(undefined, { log });
    expect(await book.contextWindow({ id: "gpt-4o", providerId: "openai.responses" })).toBe(128_000);
    // Known without a promise from then on.
    expect(book.contextWindow({ id: "gpt-4o", providerId: "openai.chat" })).toBe(128_000);
    expect(await book.contextWindow({ id: "no-such-model", providerId: "openai" })).toBeUndefined();
    expect(book.contextWindow({ id: "gpt-4o", providerId: "my-server" })).toBeUndefined();
  });
});

eachDatabase("a session with long runs", (openDatabase) => {
  test("a run compacts its session's history, and its log and its record contain the events and the whole messages", async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const model = scriptedModel(({ prompt }) => {
      prompts.push(prompt);
      return text(600, "b");
    });
    const agent = defineAgent({ id: "a", model, history: { runs: 10 }, context: { window: 4000 } });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    for (let run = 0; run < 8; run++) {
      const stream = await server.client.start("agents/a", `${run} ${text(200)}`, { session_id: "s" });
      await stream.closed;
      const names = stream.events.map(({ event }) => event);
      expect(names.includes("CompressionCompleted")).toBe(run >= 4);
    }
    for (const prompt of prompts) expect(tokensOf(JSON.stringify(prompt))).toBeLessThan(4000);
    expect(JSON.stringify(prompts.at(-1)?.[0])).toContain("Earlier messages of this conversation were removed");
    expect(JSON.stringify(prompts.at(-1)?.at(-1))).toContain(`7 ${text(200)}`);
  });
});
