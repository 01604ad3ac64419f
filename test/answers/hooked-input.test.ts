/** Requests beside the turns receive the caller's message as hooks changed it, and a prompt as compactions left it. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool } from "../../src/define/tool.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { fakeScope } from "../support/fake-scope.ts";

const look = defineTool({
  name: "look",
  description: "Looks",
  input: z.object({}),
  execute: () => "x".repeat(3_000),
});

const promptOf = (call: { readonly prompt: unknown } | undefined): string => JSON.stringify(call?.prompt);

test("a message that a hook changed is what the reasoning, the output and the follow-up models receive", async () => {
  const model = scriptedModel(["A draft"]);
  const reasoningModel = scriptedModel(["I think"], { modelId: "thinker" });
  const outputModel = scriptedModel(["The answer"], { modelId: "writer" });
  const followups = scriptedModel([JSON.stringify({ followups: ["More?"] })], { modelId: "suggester" });
  const agent = defineAgent({
    ...{ id: "a", model, reasoningModel, outputModel, followups: { model: followups } },
    hooks: { beforeRun: ({ input }) => ({ input: input.replace("4711", "[PIN]") }) },
  });
  await fakeScope(agent, { message: "My code is 4711." }).run();
  for (const one of [model, reasoningModel, outputModel, followups]) {
    expect(one.calls).toHaveLength(1);
    expect(promptOf(one.calls[0])).toContain("[PIN]");
    expect(promptOf(one.calls[0])).not.toContain("4711");
  }
});

test("the output model receives the prompt of the last turn, also after a compaction", async () => {
  const model = scriptedModel((call) =>
    call.results.length < 6 ? { toolCalls: [{ name: "look", input: {} }], usage: null } : "A draft",
  );
  const outputModel = scriptedModel(["The answer"], { modelId: "writer" });
  const agent = defineAgent({ ...{ id: "a", model, outputModel, tools: [look] }, context: { window: 3_000 } });
  const scope = fakeScope(agent, { message: "Look." });
  expect((await scope.run()).content).toBe("The answer");
  expect(scope.names).toContain("CompressionCompleted");
  const size = promptOf(outputModel.calls[0]).length;
  expect(size).toBeLessThan(promptOf(model.calls.at(-1)).length + 1_000);
  expect(size).toBeLessThan(6 * 3_000);
});
