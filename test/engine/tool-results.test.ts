/** Long tool results: the model gets their beginning and reads the rest with a tool. */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

/** 100,000 characters: the number of each line, then signs. */
const report = Array.from({ length: 2_000 }, (_, line) => `${line} needle ${"-".repeat(60)}`.slice(0, 49)).join("\n");
const idIn = (text: string | undefined): string => /"id":"([^"]+)"/.exec(text ?? "")?.[1] ?? "";
const make = defineTool({ name: "make_report", description: "Makes", input: z.object({}), execute: () => report });

eachDatabase("a tool result above `maxToolResult`", (openDatabase) => {
  test("is stored: the model, the log and the record have its beginning, and the model reads ranges and finds places", async () => {
    const seen: string[] = [];
    const inputs = (id: string): readonly unknown[] => [
      { id, offset: 2_000 },
      { id, offset: 32_000, length: 1_500 },
      { id, offset: 99_990 },
      { id, offset: 100_000 },
      { id, find: "1999 NEEDLE" },
      { id, find: "needle" },
      { id: id.replace(/^\d+/, "7") },
      { id: "../../1" },
      undefined,
    ];
    const prompts: LanguageModelV4Prompt[] = [];
    const model = scriptedModel(({ results, prompt }) => {
      prompts.push(prompt);
      if (results.length === 0) return { toolCalls: [{ name: "make_report" }] };
      seen.push(results.at(-1)?.text ?? "");
      const input = inputs(idIn(seen[0]))[seen.length - 1];
      return input === undefined ? "done" : { toolCalls: [{ name: "read_tool_result", input }] };
    });
    const context = { maxToolResult: 2_000 };
    const agent = defineAgent({ id: "reader", model, tools: [make], history: { runs: 3 }, context });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const stream = await server.client.start("agents/reader", "go", { session_id: "s" });
    await stream.closed;
    const [head = "", ...reads] = seen;
    expect(head.startsWith(report.slice(0, 2_000))).toBe(true);
    expect(head.length).toBeLessThan(2_200);
    expect(head).toContain("[These are the first 2000 of 99999 characters. Read the others with read_tool_result(");
    expect(reads[0]).toBe(
      `${report.slice(2_000, 4_000)}\n[Characters 2000 to 4000 of 99999. The next offset is 4000.]`,
    );
    // A range across two stored parts.
    expect(reads[1]).toBe(
      `${report.slice(32_000, 33_500)}\n[Characters 32000 to 33500 of 99999. The next offset is 33500.]`,
    );
    expect(reads[2]).toBe(`${report.slice(99_990)}\n[Characters 99990 to 99999 of 99999. There are no more.]`);
    expect(reads[3]).toContain("There are no more.");
    expect(reads[4]).toMatch(/^offset 99950: .*1999 needle.*\[Places: 1\.]$/s);
    expect(reads[5]?.match(/^offset /gm)).toHaveLength(20);
    expect(reads[6]).toContain("This session has no stored result with the id");
    expect(reads[7]).toContain("This session has no stored result with the id");
    const completed = stream.events.filter(({ event }) => event === "ToolCallCompleted");
    expect(completed[0]?.data.tool.result).toBe(head);
    expect(JSON.stringify(prompts).length).toBeLessThan(200_000);
  });

  test("is readable by a later run of the session and by a copy of the session, and by no other session", async () => {
    const answers: string[] = [];
    let id = "";
    const model = scriptedModel(({ message, results }) => {
      if (message === '"make"' && results.length === 0) return { toolCalls: [{ name: "make_report" }] };
      id ||= idIn(results[0]?.text);
      if (message === '"make"') return "made";
      if (results.length === 0)
        return { toolCalls: [{ name: "read_tool_result", input: { id, offset: 50_000, length: 5 } }] };
      answers.push(results[0]?.text.split("\n")[0] ?? "");
      return "read";
    });
    const context = { maxToolResult: 2_000 };
    const agent = defineAgent({ id: "reader", model, tools: [make], history: { runs: 3 }, context });
    await using server = await openServer(await openDatabase(), { agents: [agent] });
    const say = async (message: string, session: string): Promise<void> => {
      await (await server.client.start("agents/reader", message, { session_id: session })).closed;
    };
    await say("make", "one");
    await say("read", "one");
    await say("read", "two");
    expect(answers[0]).toBe(report.slice(50_000, 50_005));
    expect(answers[1]).toContain("This session has no stored result");
    const forked = await server.client.post("/agents/reader/sessions/one/fork", {});
    await say("read", forked.body.session_id);
    expect(answers[2]).toBe(report.slice(50_000, 50_005));
  });
});

test("a tool with the name of the built-in tool is rejected", () => {
  const read = defineTool({ name: "read_tool_result", description: "Reads", input: z.object({}), execute: () => "" });
  const options = { id: "a", model: scriptedModel([]), tools: [read] };
  expect(() => defineAgent({ ...options, context: { maxToolResult: 2_000 } })).toThrow(
    'Agent "a" has a tool named "read_tool_result", and context.maxToolResult brings its own: rename the tool.',
  );
  expect(() => defineAgent(options)).not.toThrow();
});
