import type { ModelProvider, Project } from "./choices.ts";

/** Sources of a project: TypeScript that Node runs without a build. */

export const app = `import { createPlatform } from "./agents.ts";
import { model } from "./model.ts";

export default createPlatform(model);
`;

export function agents({ name }: Project): string {
  return `import { defineAgent, definePlatform, defineWorkflow, type Model, type Platform, step } from "troupe";
import { getWeather } from "./tools.ts";

/** The platform with the given model, so that a test can use a scripted one. */
export function createPlatform(model: Model): Platform {
  const weather = defineAgent({
    id: "weather",
    name: "Weather",
    description: "Reports the weather of a city",
    model,
    instructions: "Look the weather up with get_weather, and answer in one or two sentences.",
    tools: [getWeather],
    history: { runs: 3 },
  });

  // The last step waits until a person agrees, also across restarts.
  const dayTrip = defineWorkflow({
    id: "day-trip",
    name: "Day Trip",
    description: "Checks the weather of a city, and books a day there after a confirmation",
    steps: [
      step({ name: "weather", agent: weather, input: ({ message }) => \`What is the weather in \${message}?\` }),
      step({ name: "book", confirm: "Book this day?", run: ({ output }) => \`Booked. \${output("weather")}\` }),
    ],
  });

  return definePlatform({
    id: "${name}",
    agents: [weather],
    workflows: [dayTrip],
    quickPrompts: { weather: ["What is the weather in Paris?"], "day-trip": ["Lisbon"] },
    example: "What is the weather in Paris?",
  });
}
`;
}

export const tools = `import { defineTool } from "troupe";
import { z } from "zod";

/** Replace this tool with a request to a weather service. */
export const getWeather = defineTool({
  name: "get_weather",
  description: "Current weather of a city",
  input: z.object({ city: z.string().min(1) }),
  execute: ({ city }) => \`It is sunny in \${city}, at 21 °C.\`,
});
`;

const scripted = `import { scriptedModel } from "troupe/testing";

/** A model that needs no key and no network. Replace it with a string such as "openai:gpt-5.2", and install @ai-sdk/openai. */
export const model = scriptedModel(({ message, results: [weather] }) => {
  if (weather) return weather.text;
  const city = /\\bin ([\\p{L} -]+)/u.exec(message)?.[1];
  if (!city) return "Which city do you mean? Ask, for instance: what is the weather in Paris?";
  return { toolCalls: [{ name: "get_weather", input: { city } }] };
});
`;

const names: Readonly<Record<Exclude<ModelProvider, "scripted">, string>> = {
  openai: "gpt-5.2",
  anthropic: "claude-sonnet-5",
  "openai-compatible": "gpt-5.2",
};

export function model(provider: ModelProvider): string {
  if (provider === "scripted") return scripted;
  return `import type { Model } from "troupe";

/** The variable MODEL selects another model of the provider. */
export const model: Model = \`${provider}:\${process.env.MODEL || "${names[provider]}"}\`;
`;
}

export const testOfAgents = `import assert from "node:assert/strict";
import { test } from "node:test";
import { createServer } from "troupe";
import { scriptedModel } from "troupe/testing";
import { createPlatform } from "../src/agents.ts";

test("the agent looks the weather up, and answers with it", async () => {
  const model = scriptedModel([{ toolCalls: [{ name: "get_weather", input: { city: "Paris" } }] }, "It is sunny in Paris."]);
  const server = await createServer(createPlatform(model), { dataDir: ":memory:", logLevel: "warn" });
  const response = await server.inject({
    method: "POST",
    url: "/agents/weather/runs",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    payload: new URLSearchParams({ message: "What is the weather in Paris?", stream: "false" }).toString(),
  });
  const run = response.json<{ status: string; content: string }>();
  await server.close({ shutdownTimeout: 0 });
  assert.equal(run.status, "COMPLETED");
  assert.equal(run.content, "It is sunny in Paris.");
  assert.match(JSON.stringify(model.calls[1]?.prompt), /It is sunny in Paris, at 21 °C/);
});
`;
