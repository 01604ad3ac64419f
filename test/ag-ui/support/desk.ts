/** The platform that the tests of AG-UI host. */
import { z } from "zod";
import type { PlatformOptions } from "../../../src/define/platform.ts";
import { defineAgent, defineTeam, defineTool, defineWorkflow, parallel, step } from "../../../src/index.ts";
import { type ScriptedCall, type ScriptedTurn, scriptedModel } from "../../../src/testing/index.ts";
import { sendLetter } from "../../support/waiting-tools.ts";

const getWeather = defineTool({
  name: "get_weather",
  description: "Weather of a city.",
  input: z.object({ city: z.string() }),
  execute: ({ city }, { session }) => {
    session.state.asked = [...((session.state.asked as string[] | undefined) ?? []), city];
    return `Sunny in ${city}`;
  },
});

const askName = defineTool({
  name: "ask_name",
  description: "Asks the user for a name.",
  input: z.object({ name: z.string() }),
  userInput: ["name"],
  execute: ({ name }) => `the name is ${name}`,
});

const showMap = defineTool({
  name: "show_map",
  description: "Shows a map on the user's page.",
  input: z.object({ city: z.string() }),
  external: true,
});

/** The words of a slow answer, 40 ms apart. */
export const slowWords: readonly string[] = Array.from({ length: 12 }, (_, place) => `word${place} `);

function answer({ message, results, tools }: ScriptedCall): ScriptedTurn | string {
  const [result] = results;
  if (result) return `The tool said ${result.text}`;
  if (message.includes("weather")) {
    return { text: "Let me look. ", toolCalls: [{ name: "get_weather", input: { city: "Paris" } }] };
  }
  if (message.includes("think")) return { reasoning: "First I think", text: "Then I speak" };
  if (message.includes("letter")) return { toolCalls: [{ name: "send_letter", input: { to: "Ada" } }] };
  if (message.includes("name")) return { toolCalls: [{ name: "ask_name", input: {} }] };
  if (message.includes("map")) return { toolCalls: [{ name: "show_map", input: { city: "Rome" } }] };
  if (message.includes("alert")) return { toolCalls: [{ name: "show_alert", input: { text: "Hi" } }] };
  if (message.includes("half"))
    return { text: ["So ", "far, "], error: { message: "secret", status: 400, afterDeltas: 2 } };
  if (message.includes("explode")) return { error: { message: "secret: the model exploded", status: 400 } };
  if (message.includes("endless")) return { text: Array.from({ length: 10_000 }, () => "on "), delay: 20 };
  if (message.includes("slow")) return { text: [...slowWords], delay: 40 };
  if (message.includes("tools?")) return tools.join(" ");
  return `You said: ${message}`;
}

function leader({ results: [result] }: ScriptedCall): ScriptedTurn | string {
  if (result) return `The desk says: ${result.text}`;
  return { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "clerk", task: "weather, please" } }] };
}

/** The platform's options. */
export function desk(more: Partial<PlatformOptions> = {}): Omit<PlatformOptions, "id"> {
  const clerk = defineAgent({
    id: "clerk",
    name: "Clerk",
    model: scriptedModel(answer),
    tools: [getWeather, sendLetter, askName, showMap],
  });
  const counter = defineAgent({
    id: "counter",
    name: "Counter",
    model: scriptedModel(() => '{"letters":3}'),
    output: z.object({ letters: z.number() }),
  });
  const team = defineTeam({ id: "desk", name: "Desk", model: scriptedModel(leader), members: [clerk] });
  const round = defineWorkflow({
    id: "round",
    name: "Round",
    steps: [
      step({ name: "answer", agent: clerk }),
      parallel({
        name: "both",
        steps: [step({ name: "left", run: () => "L" }), step({ name: "right", run: () => "R" })],
      }),
      step({ name: "end", run: ({ previous }) => `ended after ${String(previous).length}` }),
    ],
  });
  const asking = defineWorkflow({
    id: "asking",
    name: "Asking",
    steps: [step({ name: "publish", confirm: "Publish?", run: () => "published" })],
  });
  return {
    agents: [clerk, counter],
    teams: [team],
    workflows: [round, asking],
    agUi: { component: "agent:clerk" },
    ...more,
  };
}
