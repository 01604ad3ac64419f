/** Configs of components: what they build, and what is rejected. */
import { expect, test } from "vitest";
import { z } from "zod";
import {
  type ComponentVersions,
  ConfiguredComponents,
  toVersions,
  versionOf,
  versionsOf,
} from "../../src/define/configuration/versions.ts";
import type { Component } from "../../src/define/platform.ts";
import type { Team } from "../../src/define/team.ts";
import type { Workflow } from "../../src/define/workflow/types.ts";
import {
  agentFactory,
  defineAgent,
  defineGuardrail,
  defineKnowledge,
  definePlatform,
  defineTeam,
  defineTool,
  defineWorkflow,
  lexicalEmbedder,
  remoteAgent,
} from "../../src/index.ts";

const look = defineTool({ name: "look", description: "Looks", input: z.object({}), execute: () => "" });
const pay = defineTool({ name: "pay", description: "Pays", input: z.object({}), confirm: true, execute: () => "" });
const noSecrets = defineGuardrail({ name: "noSecrets", redact: (text) => text });
const noNoise = defineGuardrail({ name: "noNoise", redact: (text) => text });
const manual = defineKnowledge({ id: "manual", embedder: lexicalEmbedder() });
const model = "openai:gpt-5.2";
const researcher = defineAgent({
  ...{
    id: "researcher",
    model,
    description: "Finds facts",
    instructions: "Old",
    tools: [look],
    guardrails: [noSecrets],
  },
  modelSettings: { temperature: 1, providerOptions: { openai: { store: false } } },
});
const writer = defineAgent({ id: "writer", model: "anthropic:claude-sonnet-5" });
const desk = defineTeam({ id: "desk", model, members: [researcher, { ...writer, role: "Writes" }] });
const office = defineTeam({ id: "office", model, members: [desk] });
const article = defineWorkflow({ id: "article", steps: [researcher, desk] });
const platform = definePlatform({
  id: "newsroom",
  agents: [
    researcher,
    writer,
    agentFactory({ id: "guide", build: () => writer }),
    remoteAgent({ id: "far", url: "https://agents.example" }),
  ],
  teams: [desk, office],
  workflows: [article],
  knowledge: [manual],
  parts: {
    models: ["openai:gpt-5.2-mini"],
    tools: [pay],
    schemas: { facts: z.object({ facts: z.array(z.string()) }) },
    functions: { greet: () => "Hello", isLong: () => true, publish: () => "published" },
    guardrails: [noNoise],
  },
});

type Given = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function built(configs: Given): ConfiguredComponents {
  const versions = Object.entries(configs).map(([key, config]) => [key, { version: 3, config, name: "Stored" }]);
  return new ConfiguredComponents(platform, new Map(versions as never) as ComponentVersions);
}

function agent(config: Readonly<Record<string, unknown>>, id = "new"): Component {
  return built({ [`agent/${id}`]: config }).find("agent", id) as Component;
}

test("a config replaces options of the definition in code, and the others stay", () => {
  const changed = agent(
    { instructions: "New", modelSettings: { temperature: 0 }, tools: ["look", "pay"] },
    "researcher",
  );
  expect(changed).toMatchObject({
    id: "researcher",
    model,
    instructions: "New",
    description: "Finds facts",
    tools: [look, pay],
  });
  expect(changed.modelSettings).toEqual({ temperature: 0, providerOptions: { openai: { store: false } } });
  expect(versionOf(changed)).toBe(3);
  expect(versionsOf(changed)).toEqual({ "agent/researcher": 3 });
});

test("null removes an option of the definition in code", () => {
  const changed = agent({ instructions: null, tools: null, modelSettings: null }, "researcher");
  expect(changed.instructions).toBeUndefined();
  expect(changed.tools).toEqual([]);
  expect(changed.modelSettings).toBeUndefined();
});

test("a config adds guardrails to those of the code, and cannot remove one", () => {
  expect(agent({ guardrails: ["noNoise"] }, "researcher").guardrails).toEqual([noSecrets, noNoise]);
  expect(agent({ guardrails: [] }, "researcher").guardrails).toEqual([noSecrets]);
  expect(() => agent({ guardrails: null }, "researcher")).toThrow(/guardrails/);
});

test("a config without code defines an agent of registered parts", () => {
  const made = agent({
    ...{ description: "d", model: "anthropic:claude-sonnet-5", tools: ["pay"], output: "facts", knowledge: ["manual"] },
    ...{ instructions: { function: "greet" }, parserModel: { model, instructions: "Parse" }, maxSteps: 3 },
  });
  expect(made).toMatchObject({
    ...{
      kind: "agent",
      id: "new",
      name: "Stored",
      model: "anthropic:claude-sonnet-5",
      tools: [pay],
      knowledge: [manual],
    },
    ...{ parserModel: { model, instructions: "Parse" }, maxSteps: 3 },
  });
  expect(made.instructions).toBeTypeOf("function");
  expect(made.output).toBeDefined();
});

test("a config without a model uses the first model of the parts", () => {
  expect(agent({ name: "Comp One" })).toMatchObject({ name: "Comp One", model: "openai:gpt-5.2-mini" });
});

test("a team in code uses the version of a member that the platform hosts, and a member keeps its own role", () => {
  const components = built({ "agent/researcher": { instructions: "New" }, "agent/writer": { instructions: "Brief" } });
  const [first, second] = (components.find("team", "desk") as Team).members as Component[];
  expect(first).toBe(components.find("agent", "researcher"));
  expect(second).toMatchObject({ instructions: "Brief", role: "Writes" });
  expect(versionsOf(components.find("team", "office") as Team)).toEqual({ "agent/researcher": 3, "agent/writer": 3 });
  const steps = (components.find("workflow", "article") as Workflow).steps;
  expect(steps[0]).toMatchObject({ agent: { instructions: "New" } });
});

test("a component without versions within it is the same object as in code", () => {
  const components = built({ "agent/other": {} });
  expect(components.find("team", "office")).toBe(office);
  expect(components.find("workflow", "article")).toBe(article);
  expect(versionsOf(office)).toBeUndefined();
});

test("a config defines a team and a workflow of components in code and of other versions", () => {
  const components = built({
    "agent/new": {},
    "team/pair": { members: ["new", { agent: "writer" }, "far"], mode: "route" },
    "workflow/flow": {
      input: "facts",
      steps: [
        "researcher",
        { name: "check", type: "Condition", if: "isLong", steps: [{ name: "pair", team: "pair" }], else: ["writer"] },
        {
          name: "again",
          type: "Loop",
          max: 2,
          until: "isLong",
          steps: [{ name: "out", run: "publish", confirm: true }],
        },
        {
          name: "both",
          type: "Parallel",
          steps: [
            { name: "one", agent: "new" },
            { name: "two", run: "publish" },
          ],
        },
        {
          name: "pick",
          type: "Router",
          choices: [
            { name: "a", run: "publish" },
            { name: "b", run: "publish" },
          ],
        },
      ],
    },
  });
  const pair = components.find("team", "pair") as Team;
  expect(pair.members.map(({ id }) => id)).toEqual(["new", "writer", "far"]);
  const flow = components.find("workflow", "flow") as Workflow;
  expect(flow.steps.map(({ type }) => type)).toEqual(["Step", "Condition", "Loop", "Parallel", "Router"]);
  expect(versionsOf(flow)).toEqual({ "workflow/flow": 3, "team/pair": 3, "agent/new": 3 });
});

const rejected: [fault: string, configs: Given, message: RegExp][] = [
  [
    "an unknown option",
    { "agent/new": { instruction: "x" } },
    /^Agent "new" has no option "instruction": did you mean "instructions"\?$/,
  ],
  [
    "null for an unknown option",
    { "agent/new": { instruction: null } },
    /^Agent "new" has no option "instruction": did you mean "instructions"\?$/,
  ],
  [
    "null for an option of another kind",
    { "workflow/flow": { instructions: null } },
    /^Workflow "flow" has no option "instructions"/,
  ],
  ["hooks", { "agent/new": { hooks: {} } }, /^Agent "new" has no option "hooks"/],
  [
    "options of a provider",
    { "agent/new": { modelSettings: { providerOptions: {} } } },
    /modelSettings has no option "providerOptions"/,
  ],
  [
    "a model that is not registered",
    { "agent/new": { model: "openai:gpt-5.3" } },
    /names "openai:gpt-5.3", which the platform does not have: did you mean "openai:gpt-5.2"\?$/,
  ],
  [
    "an unknown tool",
    { "agent/new": { tools: ["loook"] } },
    /tools names "loook", which the platform does not have: did you mean "look"\?$/,
  ],
  ["a tool as code", { "agent/new": { tools: [{ name: "x" }] } }, /tools\.0/],
  ["an unknown schema", { "agent/new": { output: "fact" } }, /did you mean "facts"\?$/],
  ["an unknown function", { "agent/new": { instructions: { function: "grt" } } }, /did you mean "greet"\?$/],
  [
    "instructions of another type",
    { "agent/new": { instructions: 3 } },
    /instructions: must be a text, a list of texts/,
  ],
  ["what code rejects", { "agent/new": { maxSteps: -1 } }, /^Agent "new": maxSteps must be a number above 0\.$/],
  ["limits that code rejects", { "agent/new": { limits: { tokens: "many" } } }, /^Agent "new": limits /],
  ["an invalid id", { "agent/a%2Fb": {} }, /its id must not hold/],
  ["a team without members", { "team/new": {} }, /^Team "new" has no members/],
  ["an unknown member", { "team/new": { members: ["reseacher"] } }, /did you mean "researcher"\?$/],
  ["a factory as a member", { "team/new": { members: ["guide"] } }, /"guide", which is a factory/],
  ["a version of a factory", { "agent/guide": {} }, /^Agent "guide" is built by a factory: it has no versions\.$/],
  [
    "a version of a remote component",
    { "agent/far": {} },
    /^Agent "far" is executed by another server: it has no versions\.$/,
  ],
  [
    "a team that contains itself",
    { "team/a": { members: ["b"] }, "team/b": { members: ["a"] } },
    /contains itself \(\w > \w > \w\)/,
  ],
  ["a team in code that contains itself by a version", { "team/desk": { members: ["office"] } }, /contains itself/],
  ["a workflow that contains itself", { "workflow/w": { steps: ["w"] } }, /^Workflow "w" contains itself \(w > w\)/],
  ["a workflow without steps", { "workflow/w": {} }, /^Workflow "w" has no steps/],
  ["a step without a name", { "workflow/w": { steps: [{ agent: "writer" }] } }, /step without a name: name/],
  [
    "an unknown type of step",
    { "workflow/w": { steps: [{ name: "s", type: "Lop" }] } },
    /its type "Lop" is unknown: did you mean "Loop"\?$/,
  ],
  [
    "a step with two executors",
    { "workflow/w": { steps: [{ name: "s", agent: "writer", run: "publish" }] } },
    /needs exactly one of agent/,
  ],
];

test.each(rejected)("%s is rejected", (_, configs, message) => {
  const [key] = Object.keys(configs) as [string];
  const [kind, id] = key.split("/") as ["agent", string];
  expect(() => built(configs).find(kind, id)).toThrow(message);
});

test("an id of an agent and of a team needs its kind", () => {
  const configs = { "team/writer": { members: ["researcher"] }, "team/new": { members: ["writer"] } };
  expect(() => built(configs).find("team", "new")).toThrow(
    /has several: write its kind, for instance \{ "agent": "writer" \}/,
  );
});

test("two different tools of one name need an entry in the parts", () => {
  const other = defineTool({ name: "look", description: "Looks elsewhere", input: z.object({}), execute: () => "" });
  const agents = [researcher, defineAgent({ id: "other", model, tools: [other] })];
  const find = (parts: object, id: string) => {
    const two = definePlatform({ id: "p", agents, parts });
    const versions = new Map([[`agent/${id}` as const, { version: 1, config: { tools: ["look"] } }]]);
    return new ConfiguredComponents(two, versions).find("agent", id) as Component;
  };
  expect(() => find({}, "new")).toThrow(/has several of this name/);
  expect(find({}, "other").tools).toEqual([other]);
  expect(find({ tools: [look] }, "new").tools).toEqual([look]);
});

test("a fault names the version that has it, not the components that contain it", () => {
  const components = built({ "agent/researcher": { tools: ["gone"] }, "team/new": { members: ["researcher"] } });
  expect(() => components.find("team", "new")).toThrow(/gone/);
  expect(() => components.find("team", "desk")).toThrow(/gone/);
  expect([...components.faults.keys()]).toEqual(["agent/researcher"]);
});

test("a component has the version that runs use, and none before one is published", () => {
  const component = { kind: "agent", id: "new", name: "New", description: null } as const;
  const live = toVersions([
    { component, version: { version: 1, config: {} } },
    { component: { ...component, id: "draft" }, version: null },
  ]);
  expect([...live]).toEqual([["agent/new", { version: 1, config: {}, name: "New", description: undefined }]]);
});

const wrongParts: [fault: string, parts: object, message: RegExp][] = [
  ["an unknown kind", { tool: [] }, /^Platform "p": parts has no option "tool": did you mean "tools"\?$/],
  ["a model without a provider", { models: ["gpt"] }, /parts\.models must be a list of models/],
  ["a tool that is none", { tools: ["look"] }, /number 1 of its tools was not made by defineTool/],
  ["a schema that is none", { schemas: { facts: {} } }, /parts\.schemas\.facts must be a zod schema/],
  ["a function that is none", { functions: { greet: "hello" } }, /parts\.functions\.greet must be a function/],
  ["a tool twice", { tools: [look, look] }, /parts\.tools has "look" twice/],
];

test.each(wrongParts)("parts with %s are rejected", (_, parts, message) => {
  expect(() => definePlatform({ id: "p", parts } as never)).toThrow(message);
});
