/**
 * Agents with knowledge: one searches always, one by the tool. A file notes each prompt and each search. With `HANG` the request with the documents never
 * ends, so that the process can be killed during it.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, defineKnowledge, definePlatform, lexicalEmbedder } from "troupe";
import { scriptedModel } from "troupe/testing";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const { NOTES = "", HANG = "", TEST_SETTINGS = "{}" } = process.env;

const note = (kind: string, value: unknown): void => appendFileSync(NOTES, `${JSON.stringify([kind, value])}\n`);

const embedder = lexicalEmbedder();
const manual = defineKnowledge({
  id: "manual",
  embedder: {
    ...embedder,
    async doEmbed(call: Parameters<typeof embedder.doEmbed>[0]) {
      if (call.values.some((text) => text.endsWith("?"))) note("search", call.values);
      return await embedder.doEmbed(call);
    },
  },
});

const model = scriptedModel(async ({ system, results, message, prompt, tools }) => {
  if (tools.length > 0 && results.length === 0)
    return { toolCalls: [{ name: "search_knowledge_base", input: { query: message } }] };
  note("prompt", prompt);
  if (HANG) await sleep(2 ** 30);
  return `${system.includes("by its cursor") || results[0]?.text.includes("by its cursor")} [1]`;
});

export default definePlatform({
  id: "knowledge",
  agents: [
    defineAgent({ id: "always", model, knowledge: { bases: [manual], mode: "always" } }),
    defineAgent({ id: "tool", model, knowledge: [manual] }),
  ],
  settings: JSON.parse(TEST_SETTINGS),
});
