/** The components of the conformance tests. A component's answer depends on the words of the message, so every test selects its behaviour. */
import { z } from "zod";
import type { Platform } from "../../../src/define/platform.ts";
import {
  parallel as atOnce,
  condition,
  defineAgent,
  definePlatform,
  defineTeam,
  defineTool,
  defineWorkflow,
  loop,
  router,
  type StepContext,
  step,
} from "../../../src/index.ts";
import type { Settings } from "../../../src/model/settings.ts";
import {
  type ScriptedCall,
  type ScriptedToolCall,
  type ScriptedTurn,
  scriptedModel,
} from "../../../src/testing/index.ts";

/** Words of a slow answer: 30 of them, 25 ms apart. */
export const slowWords: readonly string[] = Array.from({ length: 30 }, (_, place) => `word${place} `);

function answer({ message, results }: ScriptedCall): ScriptedTurn | string {
  const [result] = results;
  if (result) return `Tool said: ${results.map(({ text }) => text).join(", ")}`;
  const asked = Object.entries(waitingCalls).filter(([word]) => message.includes(word));
  if (asked.length > 0) return { toolCalls: asked.map(([, call]) => call) };
  if (message.includes("explode")) return { error: { message: "model exploded", status: 400 } };
  if (message.includes("weather")) return { toolCalls: [{ name: "get_weather", input: { city: "Paris" } }] };
  if (message.includes("silent")) return { text: "at last", wait: 1500 };
  if (message.includes("endless")) return { text: Array.from({ length: 20_000 }, () => "on "), delay: 10 };
  if (message.includes("torrent")) return { text: Array.from({ length: 10 }, () => "z".repeat(100_000)) };
  if (message.includes("slow")) return { text: [...slowWords], delay: 25 };
  return `Hello there, you said: ${message}`;
}

function lead(call: ScriptedCall): ScriptedTurn | string {
  const { message, results, tools } = call;
  const delegates = /delegate|slow|endless|email/.test(message) && results.length === 0;
  if (!delegates || !tools.includes("delegate_task_to_member")) return answer(call);
  return {
    toolCalls: [
      {
        name: "delegate_task_to_member",
        input: { member_id: message.includes("email") ? "hitl-agent" : "agent-a", task: message },
      },
    ],
  };
}

/** Tool calls that pause a run, by the word in the message that causes them. */
const waitingCalls: Record<string, ScriptedToolCall> = {
  email: { name: "send_email", input: { to: "a@example.com", subject: "hi" } },
  name: { name: "ask_name", input: { greeting: "hello" } },
  browser: { name: "run_in_browser", input: { script: "1+1" } },
  vault: { name: "open_vault", input: { door: 3 } },
  money: { name: "wire_money", input: { amount: 5 } },
  plainly: { name: "get_weather", input: { city: "Rome" } },
};

const sendEmail = defineTool({
  name: "send_email",
  description: "Send an email.",
  input: z.object({ to: z.string(), subject: z.string() }),
  confirm: true,
  execute: ({ to }) => `sent to ${to}`,
});
const askName = defineTool({
  name: "ask_name",
  description: "Greet somebody.",
  input: z.object({ greeting: z.string(), name: z.string() }),
  userInput: ["name"],
  execute: ({ greeting, name }) => `${greeting} ${name}`,
});
const runInBrowser = defineTool({
  name: "run_in_browser",
  description: "Run a script in the browser.",
  input: z.object({ script: z.string() }),
  external: true,
});

const openVault = defineTool({
  name: "open_vault",
  description: "Open a door of the vault.",
  input: z
    .object({ door: z.number(), pin: z.number().min(1000), again: z.number() })
    .refine(({ pin, again }) => pin === again, "the two differ"),
  userInput: ["pin", "again"],
  execute: ({ door }) => `door ${door} is open`,
});

const wireMoney = defineTool({
  name: "wire_money",
  description: "Wire money.",
  input: z.object({ amount: z.number() }),
  approval: "required",
  execute: ({ amount }) => `wired ${amount}`,
});

const weather = defineTool({
  name: "get_weather",
  description: "Get the weather.",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
});

const model = scriptedModel(answer, { modelId: "fake-model", provider: "openai.chat" });
const leader = scriptedModel(lead, { modelId: "fake-model", provider: "openai.chat" });

const up = ({ previous }: StepContext): string => `UP:${String(previous)}`;
const upStep = (name: string) => step({ name, run: up });

/** Fails its step. */
function boom({ message }: StepContext): never {
  throw new Error(`step blew up at ${message}`);
}

/** A platform with the components of the recordings. */
export function conformancePlatform(settings: Partial<Settings> = {}, corsOrigins: readonly string[] = []): Platform {
  const parallel = { sessionPolicy: "parallel" } as const;
  const agentA = defineAgent({ id: "agent-a", name: "Agent A", role: "First", model });
  const agentB = defineAgent({ id: "agent-b", name: "Agent B", role: "Second", model });
  const plain = defineAgent({
    id: "plain-agent",
    name: "Plain Agent",
    description: "A plain agent",
    role: "Answers",
    model,
    instructions: "Be brief: secret instructions",
    history: { runs: 3 },
    ...parallel,
  });
  const duo = defineTeam({
    id: "duo-team",
    name: "Duo Team",
    model: leader,
    members: [agentA, agentB],
    instructions: "Delegate",
    ...parallel,
  });
  const hitlAgent = defineAgent({
    ...{ id: "hitl-agent", name: "HITL Agent", model, ...parallel },
    tools: [sendEmail, askName, runInBrowser, openVault, wireMoney, weather],
  });
  const hitlTeam = defineTeam({
    ...{ id: "hitl-team", name: "HITL Team", model: leader, members: [agentA, hitlAgent], ...parallel },
  });
  const simple = defineWorkflow({
    ...{ id: "simple-flow", name: "Simple Flow", description: "two steps", ...parallel },
    steps: [step({ name: "draft", agent: plain }), upStep("upper")],
  });
  const rich = defineWorkflow({
    ...{ id: "rich-flow", name: "Rich Flow", ...parallel },
    steps: [
      atOnce({ name: "par", steps: [step({ name: "p1", agent: plain }), upStep("p2")] }),
      condition({ name: "cond", if: () => true, steps: [upStep("c1")] }),
      loop({ name: "loop", max: 2, steps: [upStep("l1")] }),
      router({ name: "route", choose: () => "r1", choices: [upStep("r1"), upStep("r2")] }),
      step({ name: "teamstep", team: duo, input: ({ message }) => `delegate ${message}` }),
    ],
  });
  const bad = defineWorkflow({
    ...{ id: "bad-flow", name: "Bad Flow", ...parallel },
    steps: [step({ name: "boom", run: boom }), upStep("never")],
  });
  const hitl = defineWorkflow({
    ...{ id: "hitl-flow", name: "HITL Flow", ...parallel },
    steps: [step({ name: "ask", run: up, confirm: "ok?" }), upStep("after")],
  });
  const executor = defineWorkflow({
    ...{ id: "executor-flow", name: "Executor Flow", ...parallel },
    steps: [step({ name: "mail", agent: hitlAgent }), upStep("after")],
  });
  const queue = defineWorkflow({
    id: "queue-flow",
    name: "Queue Flow",
    steps: [step({ name: "draft", agent: plain })],
  });
  return definePlatform({
    id: "test-os",
    name: "Test OS",
    description: "A platform for tests",
    corsOrigins,
    settings,
    agents: [
      plain,
      defineAgent({ id: "tool-agent", name: "Tool Agent", model, tools: [weather], ...parallel }),
      hitlAgent,
    ],
    teams: [duo, defineTeam({ id: "quiet-team", name: "Quiet Team", model: leader, members: [agentA] }), hitlTeam],
    workflows: [simple, rich, bad, hitl, executor, queue],
  });
}
