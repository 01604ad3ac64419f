/** What the conformance tests host. What a component says follows from the message, so every test chooses by its words. */
import { z } from "zod";
import type { Platform } from "../../../src/define/platform.ts";
import { defineAgent, definePlatform, defineTeam, defineTool } from "../../../src/index.ts";
import type { Settings } from "../../../src/model/settings.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../../src/testing/index.ts";

/** Words of a slow answer: 30 of them, 25 ms apart. */
export const slowWords: readonly string[] = Array.from({ length: 30 }, (_, place) => `word${place} `);

function answer({ message, results }: ScriptedCall): ScriptedTurn | string {
  const [result] = results;
  if (result) return `Tool said: ${result.text}`;
  if (message.includes("explode")) return { error: { message: "model exploded", status: 400 } };
  if (message.includes("weather")) return { toolCalls: [{ name: "get_weather", input: { city: "Paris" } }] };
  if (message.includes("silent")) return { text: "at last", wait: 1500 };
  if (message.includes("endless")) return { text: Array.from({ length: 20_000 }, () => "on "), delay: 10 };
  if (message.includes("slow")) return { text: [...slowWords], delay: 25 };
  return `Hello there, you said: ${message}`;
}

function lead(call: ScriptedCall): ScriptedTurn | string {
  const { message, results, tools } = call;
  const delegates = /delegate|slow|endless/.test(message) && results.length === 0;
  if (!delegates || !tools.includes("delegate_task_to_member")) return answer(call);
  return { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "agent-a", task: message } }] };
}

const weather = defineTool({
  name: "get_weather",
  description: "Get the weather.",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
});

const model = scriptedModel(answer, { modelId: "fake-model", provider: "openai.chat" });
const leader = scriptedModel(lead, { modelId: "fake-model", provider: "openai.chat" });

/** A platform with the components of the recordings. */
export function conformancePlatform(settings: Partial<Settings> = {}, corsOrigins: readonly string[] = []): Platform {
  const parallel = { sessionPolicy: "parallel" } as const;
  const agentA = defineAgent({ id: "agent-a", name: "Agent A", role: "First", model });
  const agentB = defineAgent({ id: "agent-b", name: "Agent B", role: "Second", model });
  return definePlatform({
    id: "test-os",
    name: "Test OS",
    description: "A platform for tests",
    corsOrigins,
    settings,
    agents: [
      defineAgent({
        id: "plain-agent",
        name: "Plain Agent",
        description: "A plain agent",
        role: "Answers",
        model,
        instructions: "Be brief: secret instructions",
        history: { runs: 3 },
        ...parallel,
      }),
      defineAgent({ id: "tool-agent", name: "Tool Agent", model, tools: [weather], ...parallel }),
    ],
    teams: [
      defineTeam({
        id: "duo-team",
        name: "Duo Team",
        model: leader,
        members: [agentA, agentB],
        instructions: "Delegate",
        ...parallel,
      }),
      defineTeam({ id: "quiet-team", name: "Quiet Team", model: leader, members: [agentA] }),
    ],
  });
}
