import { expect, test } from "vitest";
import { z } from "zod";
import { type AgentOptions, defineAgent } from "../../src/define/agent.ts";
import { definitionHash } from "../../src/define/hash.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";

const tool = defineTool({ name: "look", description: "Looks", input: z.object({ at: z.string() }), execute: () => "" });
const base: AgentOptions = { id: "a", model: "openai:gpt-5.2", instructions: "Be brief.", tools: [tool] };

test("definitionHash returns a fixed hash, which name and maxSteps do not change", () => {
  expect(definitionHash(defineAgent(base))).toBe("bc06de83cf0be7c66269d4e42383ce56c061a3c85fe0c0f3209a93a7df4a53b1");
  expect(definitionHash(defineAgent({ ...base, name: "Another name", maxSteps: 3 }))).toBe(
    definitionHash(defineAgent(base)),
  );
});

test.each<[string, Partial<AgentOptions>]>([
  ["id", { id: "b" }],
  ["model", { model: "openai:gpt-5.3" }],
  ["instructions", { instructions: "Be long." }],
  ["instructions, a function", { instructions: () => "Be brief." }],
  ["tools", { tools: [] }],
  [
    "input of a tool",
    {
      tools: [
        defineTool({ name: "look", description: "Looks", input: z.object({ on: z.string() }), execute: () => "" }),
      ],
    },
  ],
  ["output schema", { output: z.object({}) }],
  ["context", { context: { window: 8000 } }],
])("definitionHash changes with the definition's %s", (_, change) => {
  expect(definitionHash(defineAgent({ ...base, ...change }))).not.toBe(definitionHash(defineAgent(base)));
});

test("a team's hash covers its mode and its members", () => {
  const [one, two] = [defineAgent(base), defineAgent({ ...base, instructions: "Be long." })];
  const hashes = [
    defineTeam({ id: "t", model: "openai:gpt-5.2", members: [one] }),
    defineTeam({ id: "t", model: "openai:gpt-5.2", members: [two] }),
    defineTeam({ id: "t", model: "openai:gpt-5.2", members: [one], mode: "route" }),
  ].map(definitionHash);
  expect(new Set(hashes).size).toBe(3);
});
