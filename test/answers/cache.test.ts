import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { fakeScope } from "../support/fake-scope.ts";
import { openServer } from "../support/open-server.ts";

const usage = { input: 10, output: 5 };

eachDatabase("stored answers", (openDatabase) => {
  async function open() {
    const database = await openDatabase();
    const model = scriptedModel(({ number }) => ({ reasoning: "I think", text: `Answer ${number}`, usage }));
    const agents = [
      defineAgent({ id: "own", model, cache: { ttl: "1h" } }),
      defineAgent({ id: "shared", model, instructions: "Share.", cache: { ttl: "1h", shared: true } }),
    ];
    const { client, end } = await openServer(database, {
      agents,
      prices: { "scripted-model": { input: 1, output: 1 } },
    });
    onTestFinished(() => end(0));
    const ask = async (id: string, user: string, message = "Hi") => {
      const stream = await client.stream(`/agents/${id}/runs`, { message, user_id: user });
      await stream.closed;
      return stream.events.map(({ data }) => data);
    };
    return { database, model, ask };
  }

  test("an equal request of the same user gets the stored answer: the same events, no tokens, no cost", async () => {
    const { database, model, ask } = await open();
    const first = await ask("own", "alice");
    const again = await ask("own", "alice");
    expect(model.calls).toHaveLength(1);
    const shown = (events: typeof first) =>
      events.map(({ event, content, reasoning_content }) => ({ event, content, reasoning_content }));
    expect(shown(again)).toEqual(shown(first));
    const completed = again.find(({ event }) => event === "ModelRequestCompleted");
    expect(completed).toMatchObject({ cached: true, total_tokens: 0, cost: 0 });
    expect(first.find(({ event }) => event === "ModelRequestCompleted")).not.toHaveProperty("cached");
    expect(again.at(-1)).toMatchObject({ content: "Answer 1", metrics: { total_tokens: 0, cost: 0 } });

    await ask("own", "bob");
    await ask("own", "alice", "Another question");
    expect(model.calls).toHaveLength(3);
    await executeSql(database, "update cached_responses set expires_at = 1");
    await ask("own", "alice");
    expect(model.calls).toHaveLength(4);
  });

  test("all users get the same stored answers if the definition shares them", async () => {
    const { model, ask } = await open();
    await ask("shared", "alice");
    expect((await ask("shared", "bob")).at(-1)).toMatchObject({ content: "Answer 1" });
    expect(model.calls).toHaveLength(1);
  });
});

/** Stored answers in memory. */
function memory() {
  const bodies = new Map<string, string>();
  return {
    bodies,
    find: async (digest: string) => bodies.get(digest),
    put: async ({ digest, body }: { digest: string; body: string }) => void bodies.set(digest, body),
  };
}

test("each part of a request makes another request: settings, instructions, tools, model", async () => {
  const responses = memory();
  const calls: string[] = [];
  const model = (modelId = "m") =>
    scriptedModel(
      () => {
        calls.push(modelId);
        return "Yes";
      },
      { modelId },
    );
  const tool = defineTool({ name: "t", description: "T", input: z.object({}), execute: () => "" });
  const definitions = [
    {},
    { modelSettings: { temperature: 1 } },
    { instructions: "Other" },
    { tools: [tool] },
    { model: model("other") },
  ];
  for (const definition of [...definitions, ...definitions]) {
    const scope = fakeScope(defineAgent({ id: "a", model: model(), cache: { ttl: "1h" }, ...definition }));
    scope.responses = responses;
    expect((await scope.run()).content).toBe("Yes");
  }
  expect(calls).toHaveLength(definitions.length);
  expect(responses.bodies.size).toBe(definitions.length);
});

test("a call of a tool is stored, too, and the tool is called each time", async () => {
  const responses = memory();
  let effects = 0;
  const tool = defineTool({ name: "t", description: "T", input: z.object({}), execute: () => `${++effects > 0}` });
  const model = scriptedModel([{ toolCalls: [{ name: "t" }] }, "Done"]);
  for (let run = 0; run < 2; run++) {
    const scope = fakeScope(defineAgent({ id: "a", model, tools: [tool], cache: { ttl: "1h" } }));
    scope.responses = responses;
    expect((await scope.run()).content).toBe("Done");
  }
  expect([model.calls.length, effects]).toEqual([2, 2]);
});

test("a failed or broken answer is not stored, and a cache that fails does not fail the run", async () => {
  const responses = memory();
  const broken = scriptedModel([{ text: "Half an answer", error: { message: "gone", status: 500, afterDeltas: 1 } }]);
  const scope = fakeScope(defineAgent({ id: "a", model: broken, cache: { ttl: "1h" } }));
  scope.responses = responses;
  await expect(scope.run()).rejects.toMatchObject({ name: "RunFailure" });
  expect(responses.bodies.size).toBe(0);

  const failing = fakeScope(defineAgent({ id: "a", model: scriptedModel(["Yes"]), cache: { ttl: "1h" } }));
  const fail = () => Promise.reject(new Error("The database is away."));
  failing.responses = { find: fail, put: fail };
  expect((await failing.run()).content).toBe("Yes");
});

test.each([[{ ttl: 5 }], [{ ttl: "1y" }], [{ ttl: "1h", shared: "yes" }], [true]])(
  "cache %j is refused at definition",
  (cache) => {
    expect(() => defineAgent({ id: "a", model: scriptedModel([]), cache: cache as never })).toThrow(/Agent "a": cache/);
  },
);
