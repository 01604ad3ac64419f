/** The platform of the upgrade tests. The previous release and this one host the same file, so it uses only what both have. */
import { defineAgent, definePlatform, defineTeam, defineTool, defineWorkflow, step } from "troupe";
import { type ScriptedCall, type ScriptedToolCall, type ScriptedTurn, scriptedModel } from "troupe/testing";
import { z } from "zod";

// A server does not outlive the process that started it.
process.on("disconnect", () => process.exit(1));

const calls: Readonly<Record<string, ScriptedToolCall>> = {
  weather: { name: "get_weather", input: { city: "Paris" } },
  email: { name: "send_email", input: { to: "a@example.com" } },
  money: { name: "wire_money", input: { amount: 5 } },
};

/** The word in the message selects the answer. */
function answer({ message, results }: ScriptedCall): ScriptedTurn | string {
  if (results.length > 0) return `Tool said: ${results.map(({ text }) => text).join(", ")}`;
  const call = Object.entries(calls).find(([word]) => message.includes(word))?.[1];
  if (call) return { text: "One moment.", toolCalls: [call] };
  if (message.includes("explode")) return { error: { message: "model exploded", status: 400 } };
  if (message.includes("slow")) return { text: Array.from({ length: 60 }, (_, n) => `word${n} `), delay: 40 };
  if (message.includes("torrent")) return { text: Array.from({ length: 8 }, (_, n) => `${n}`.repeat(100_000)) };
  return `You said: ${message} — \u2028 \u{1f600}`;
}

const tool = { description: "Does what its name says" };
const weather = defineTool({
  ...tool,
  name: "get_weather",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
});
const sendEmail = defineTool({
  ...tool,
  name: "send_email",
  input: z.object({ to: z.string() }),
  confirm: true,
  execute: ({ to }) => `sent to ${to}`,
});
const wireMoney = defineTool({
  ...tool,
  name: "wire_money",
  input: z.object({ amount: z.number() }),
  approval: "required",
  execute: ({ amount }) => `wired ${amount}`,
});

const model = scriptedModel(answer, { modelId: "gpt-5", provider: "openai.chat" });
const talker = defineAgent({
  id: "talker",
  model,
  tools: [weather, sendEmail, wireMoney],
  history: { runs: 3 },
});
const desk = defineTeam({
  id: "desk",
  members: [talker],
  model: scriptedModel(({ message, results }) =>
    results.length > 0
      ? "The desk is done."
      : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "talker", task: message } }] },
  ),
});
const flow = defineWorkflow({
  id: "flow",
  steps: [
    step({ name: "draft", agent: talker }),
    // The deadline of a stored question must not pass while this fixture is in use.
    step({
      name: "ask",
      run: ({ previous }) => `UP:${String(previous)}`,
      confirm: "Go on?",
      answerTimeout: 100 * 365 * 86_400_000,
    }),
  ],
});

/** What the app hosts. */
export const hosted = { agents: [talker], teams: [desk], workflows: [flow] } as const;

const settings = JSON.parse(process.env.TEST_SETTINGS ?? "{}");

export default definePlatform({
  id: "upgrade",
  settings,
  ...hosted,
  a2a: { pushNotifications: { allowHttp: true, allowPrivate: true } },
});
