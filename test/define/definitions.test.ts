/** The definitions in code as configs. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { configured } from "../../src/define/configuration/configured.ts";
import { definitionsOf, partNames } from "../../src/define/configuration/definitions.ts";
import { registeredParts } from "../../src/define/configuration/parts.ts";
import { definePlatform } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";

const search = defineTool({
  name: "search",
  description: "Finds pages",
  input: z.object({}),
  execute: async () => "nothing",
});
const writer = defineAgent({
  id: "writer",
  name: "Writer",
  model: "openai:gpt-5.2",
  instructions: "Write.",
  tools: [search],
  modelSettings: { temperature: 0.2, providerOptions: { openai: { user: "key-of-a-user" } } },
});
const guide = defineAgent({ id: "guide", model: "openai:gpt-5.2-mini", instructions: () => "Computed." });
const desk = defineTeam({ id: "desk", mode: "route", model: "openai:gpt-5.2", members: [writer, guide] });
const trip = defineWorkflow({ id: "trip", description: "Plans", steps: [step({ name: "write", agent: writer })] });
const platform = definePlatform({ id: "p", agents: [writer, guide], teams: [desk], workflows: [trip] });

test("definitions are the options of the code that JSON expresses, without functions and options of providers", () => {
  const found = definitionsOf(platform).map(({ kind, id, config }) => [`${kind}/${id}`, config]);
  expect(Object.fromEntries(found)).toMatchObject({
    "agent/writer": {
      ...{ name: "Writer", model: "openai:gpt-5.2", instructions: "Write.", tools: ["search"] },
      modelSettings: { temperature: 0.2 },
    },
    "agent/guide": { model: "openai:gpt-5.2-mini" },
    "team/desk": { mode: "route", members: ["writer", "guide"] },
    "workflow/trip": { description: "Plans" },
  });
  expect(JSON.stringify(found)).not.toMatch(/key-of-a-user|Computed/);
});

test("a definition is a valid config of its own component", () => {
  const find = (_title: string, _kinds: readonly string[], id: string) => (id === "writer" ? writer : guide);
  const build = { parts: registeredParts(platform), find };
  for (const { kind, id, config } of definitionsOf(platform)) {
    const base = [writer, guide, desk, trip].find((one) => one.id === id);
    expect(configured({ kind, id, base, config }, build)).toMatchObject({ kind, id });
  }
});

test("the parts that configs can name are listed by their names", () => {
  expect(partNames(platform)).toMatchObject({
    models: ["openai:gpt-5.2", "openai:gpt-5.2-mini"],
    tools: ["search"],
    schemas: [],
  });
});
