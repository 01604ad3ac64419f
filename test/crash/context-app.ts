/** An agent that compacts its prompt and extends its session's summary. Its model can hang at one stage, so that a test kills the process there. */
import { appendFileSync } from "node:fs";
import { defineAgent, definePlatform, defineTool } from "troupe";
import { type ScriptedCall, scriptedModel } from "troupe/testing";
import { z } from "zod";

// A server does not outlive the test that started it.
process.on("disconnect", () => process.exit(1));

const look = defineTool({
  name: "look",
  description: "Looks",
  input: z.object({ place: z.number() }),
  idempotent: true,
  execute: ({ place }) => `${place}:${"x".repeat(3_000)}`,
});

/** The purpose of a model request. */
function stageOf({ system, prompt }: ScriptedCall): string {
  if (system.startsWith("Summarise the conversation")) return "compression";
  if (system.startsWith("You keep the summary")) return "summary";
  if (system.startsWith("Suggest")) return "followups";
  return JSON.stringify(prompt).includes("<earlier_conversation>") ? "compacted" : "turn";
}

const turns = 6;

const model = scriptedModel((call) => {
  const stage = stageOf(call);
  appendFileSync(process.env.TEST_PROMPTS as string, `${JSON.stringify({ stage, prompt: call.prompt })}\n`);
  // The first run of the session is short, and passes.
  const isChosen = stage === process.env.TEST_HANG && (stage !== "followups" || call.message.includes("long"));
  if (isChosen) return { text: "never", wait: 3_600_000 };
  if (stage === "followups") return JSON.stringify({ followups: ["And now?"] });
  if (stage === "compression") return `places seen ${Math.random()}`;
  if (stage === "summary") return `summary ${Math.random()}`;
  const seen = Number(/(\d):x+$/.exec(call.results.at(-1)?.text ?? "")?.[1] ?? -1);
  if (!call.message.includes("long") || seen === turns - 1) return "done";
  return { toolCalls: [{ name: "look", id: `look-${seen + 1}`, input: { place: seen + 1 } }], usage: null };
});

export default definePlatform({
  id: "context",
  settings: JSON.parse(process.env.TEST_SETTINGS ?? "{}"),
  agents: [
    defineAgent({
      ...{ id: "keeper", model, tools: [look], followups: true },
      history: { runs: 1, summary: { runs: 1 } },
      context: { window: 3_000, compaction: "summarise" },
    }),
  ],
});
