/** A platform whose agent answers with its instructions, after a tool call that waits for the file in `TEST_GATE`. */
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, definePlatform, defineTool } from "troupe";
import { scriptedModel } from "troupe/testing";
import { z } from "zod";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const look = defineTool({
  name: "look",
  description: "Waits",
  input: z.object({}),
  idempotent: true,
  timeout: 120_000,
  async execute(_, { signal }) {
    while (!existsSync(process.env.TEST_GATE ?? "")) await sleep(50, undefined, { signal });
    return "seen";
  },
});

const clerk = defineAgent({
  id: "clerk",
  model: scriptedModel(({ results, system }) =>
    results.length > 0 ? `I am told: ${system}` : { toolCalls: [{ name: "look" }] },
  ),
  instructions: "code",
  tools: [look],
  onDefinitionChange: "fail",
});

export default definePlatform({
  id: "versions",
  agents: [clerk],
  settings: JSON.parse(process.env.TEST_SETTINGS ?? "{}"),
});
