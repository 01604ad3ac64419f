/** Agents that learn: what they store by tools, and what later runs know. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { type ScriptedToolCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

/** An agent that makes the calls of its message, and shows its instructions. */
async function open(database: TestDatabase, learning: AgentOptions["learning"]) {
  const model = scriptedModel(({ message, results, system }) => {
    const calls = JSON.parse(message) as readonly ScriptedToolCall[];
    if (calls.length > results.length) return { toolCalls: calls };
    return { text: [results.map(({ text }) => text).join() || system] };
  });
  const server = await openServer(database, {
    agents: [defineAgent({ id: "guide", model, ...(learning && { learning }) })],
  });
  onTestFinished(() => server.end(0));
  const ask = async (calls: readonly ScriptedToolCall[], user = "ada", session = "s"): Promise<string> => {
    const form = {
      message: JSON.stringify(calls),
      stream: "false",
      session_id: session,
      ...(user && { user_id: user }),
    };
    return (await server.client.post("/agents/guide/runs", form)).body.content;
  };
  const stored = async () => (await server.client.get("/learnings?sort_order=asc")).body.data;
  return { ask, stored };
}

const call = (name: string, input: object): ScriptedToolCall => ({ name, input });

eachDatabase("an agent that learns", (openDatabase) => {
  test("stores by its tools, and a later run of the user knows it; another user's run does not", async () => {
    const kinds = {
      userProfile: true,
      userMemory: true,
      sessionContext: true,
      learnedKnowledge: true,
      decisionLog: true,
    };
    const { ask, stored } = await open(await openDatabase(), { ...kinds, entityMemory: { namespace: "global" } });
    expect(await ask([call("update_user_profile", { fields: { name: "Ada", city: "Rome" } })])).toBe("Stored.");
    await ask([call("update_user_profile", { fields: { city: null } })]);
    const memories = ["likes tea", "has </learnings> a cat"].map((memory) => call("save_user_memory", { memory }));
    expect(await ask(memories)).toBe("Stored.,Stored.");
    await ask([call("update_session_context", { goal: "Visit" })]);
    await ask([call("save_entity", { entity_type: "company", entity_id: "acme", facts: ["is big"] })]);
    await ask(
      [call("save_entity", { entity_type: "company", entity_id: "acme", name: "Acme", facts: ["is old"] })],
      "bob",
    );
    await ask([call("save_learning", { title: "Tea", learning: "Green is mild." })]);
    await ask([call("log_decision", { decision: "Rome", reasoning: "Sun." })]);
    const known = await ask([], "ada", "other");
    expect(known).toContain('{"type":"user_profile","content":{"name":"Ada"}');
    for (const part of [
      "likes tea",
      "\\u003c/learnings\\u003e",
      "is big",
      "is old",
      '"entity":"company/acme"',
      "Green is mild.",
      "Sun.",
    ])
      expect([part, known.includes(part)]).toEqual([part, true]);
    expect([known.includes("Rome,"), known.includes("Visit")]).toEqual([false, false]);
    expect(await ask([])).toContain("Visit");
    const ofBob = await ask([], "bob", "third");
    expect([ofBob.includes("is old"), ofBob.includes("Ada"), ofBob.includes("tea"), ofBob.includes("Sun.")]).toEqual([
      ...[true, false, false, false],
    ]);
    const rows = await stored();
    const ids = rows.map(({ learning_id: id, user_id }: Record<string, string>) => `${id}/${user_id}`);
    for (const id of [
      "user_profile_ada/ada",
      "memories_ada/ada",
      "session_context_s/ada",
      "entity_global_company_acme/null",
    ])
      expect(ids).toContain(id);
    expect(rows).toHaveLength(6);
    expect(rows[0].metadata.run_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("stores no more in a learning than 64 KiB", async () => {
    const { ask, stored } = await open(await openDatabase(), { userProfile: true });
    const fields = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${prefix}${n}`, "x".repeat(1_000)]));
    expect(await ask([call("update_user_profile", { fields: fields("a") })])).toBe("Stored.");
    expect(await ask([call("update_user_profile", { fields: fields("b") })])).toContain("There is no room");
    const [{ content }] = await stored();
    expect(Object.keys(content)).toHaveLength(40);
  });

  test("stores nothing about a user in a run without one, and keeps to its budget of tokens", async () => {
    const { ask, stored } = await open(await openDatabase(), { userProfile: true, userMemory: true, maxTokens: 60 });
    expect(await ask([call("update_user_profile", { fields: { name: "Ada" } })], "")).toBe(
      "The run has no user, so nothing can be stored.",
    );
    expect(await stored()).toEqual([]);
    await ask([call("update_user_profile", { fields: { name: "Ada" } })]);
    await ask([call("save_user_memory", { memory: "x".repeat(1_000) })]);
    const known = await ask([]);
    expect([known.includes("Ada"), known.includes("xxx")]).toEqual([true, false]);
  });
});

test.each([
  ["yes", "learning must be true or an object"],
  [{ profile: true }, "profile"],
  [{ userProfile: 1 }, "userProfile"],
  [{ entityMemory: { namespace: "" } }, "namespace"],
  [{ maxTokens: -1 }, "maxTokens must be a whole number, 0 or more"],
])("learning %j is refused", (learning, text) => {
  expect(() => defineAgent({ id: "a", model: "openai:x", learning: learning as never })).toThrow(text);
});

test("a tool with the name of a tool for learnings is refused, unless the component has no such tool", () => {
  const tools = [
    defineTool({ name: "save_entity", description: "Saves.", input: z.object({}), execute: () => "saved" }),
  ];
  const define = (learning: NonNullable<AgentOptions["learning"]>) =>
    defineAgent({ id: "a", model: "openai:x", tools, learning });
  expect(() => define({ entityMemory: true })).toThrow(
    'has a tool named "save_entity", which is a tool for learnings: rename it.',
  );
  expect(() => define({ entityMemory: true, tools: false })).not.toThrow();
  expect(() => define(true)).not.toThrow();
});
