/** The components of the simulated platform: agents and teams of every kind, the same in every process. */
import { z } from "zod";
import { type Agent, defineAgent } from "../../src/define/agent.ts";
import type { ConfigurablePlatform } from "../../src/define/configuration/versions.ts";
import type { ToolContext } from "../../src/define/context.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool, type Tool } from "../../src/define/tool.ts";
import { idempotent } from "./effects.ts";
import { type Role, simulatedModel } from "./model.ts";
import type { ToolName } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

/** The tools. Their effect depends on the process that calls them. */
const tools = (["lookup", "charge", "pay", "note", "finish", "fragile", "poison"] as const).map((name: ToolName) =>
  defineTool({
    name,
    description: `Simulates ${name}`,
    input: z.object({ takes: z.number() }),
    execute: () => undefined,
    idempotent: idempotent.has(name),
    onInterrupted: name === "pay" ? "fail" : "tell-model",
    stopAfterCall: name === "finish",
  }),
);

const answer = z.object({ n: z.number() });

/** The component with limits on model requests: of one run, and of all its runs of a day, by all processes. */
export const metered = { id: "metered", perRun: 3, perDay: 4 } as const;

/** The components that a process hosts: constant definitions, and the process that uses them in this history. */
export interface Hosted extends ConfigurablePlatform {
  readonly host: Host;
}

/** The process that uses the components now. */
export interface Host {
  world: World;
  process: SimulatedProcess;
}

/** Free components for reuse: defining them costs as much as some histories. */
const idle: Readonly<Record<"usual" | "changed", Hosted[]>> = { usual: [], changed: [] };

/** Reserves components for a process until the history ends. */
export function componentsFor(world: World, process: SimulatedProcess): Hosted {
  const isChanged = world.plan.deploys && process.incarnation % 2 === 0;
  const hosted = world.variant.tool ? undefined : idle[isChanged ? "changed" : "usual"].pop();
  if (hosted) Object.assign(hosted.host, { world, process });
  const given = hosted ?? define({ world, process }, isChanged);
  if (!world.variant.tool) world.atEnd.push(() => idle[isChanged ? "changed" : "usual"].push(given));
  return given;
}

function define(host: Host, isChanged: boolean): Hosted {
  const { variant } = host.world;
  const own = tools.map((tool): Tool => {
    const execute = ({ takes }: { takes: number }, context: ToolContext): Promise<string> =>
      host.world.effects.use(host.process, tool, takes, context);
    return { ...tool, ...variant.tool?.(tool), execute };
  });
  const model = (id: string, role: Role = "agent") => simulatedModel(host, id, role);
  // A changed definition has other instructions and lacks a tool.
  const hosted = isChanged ? own.filter(({ name }) => name !== "lookup") : own;
  const instructions = isChanged ? "Be brief." : "Be short.";
  const agent = (id: string, more: object = {}): Agent =>
    defineAgent({ id, model: model(id), tools: hosted, instructions, ...more });
  const clerk = agent("clerk");
  const typist = agent("typist");
  const quick = agent("quick", { timeout: 300 });
  const office = defineTeam({ id: "office", model: model("office"), members: [typist] });
  const sitters = ["east", "west"].map((id) => agent(id, { model: model(id, "broadcast-member") }));
  return {
    host,
    ...{ workflows: [], factories: [], remotes: [], knowledge: [], parts: {} },
    agents: [
      agent("solo"),
      agent("keeper", { history: { runs: 2 }, onDefinitionChange: "fail" }),
      agent("free", { sessionPolicy: "parallel" }),
      agent("hasty", { timeout: 1_000 }),
      agent(metered.id, { limits: { modelRequests: metered.perRun, perDay: { modelRequests: metered.perDay } } }),
      agent("former", { output: answer, model: model("former", "former") }),
      agent("brittle", { instructions: (context: ToolContext) => host.world.effects.instruct(host.process, context) }),
    ],
    teams: [
      defineTeam({ id: "desk", model: model("desk"), members: [clerk, quick, office], tools: hosted }),
      defineTeam({ id: "panel", model: model("panel", "broadcaster"), members: sitters, mode: "broadcast" }),
      defineTeam({ id: "front", model: model("front"), members: [clerk, typist], mode: "route" }),
    ],
  };
}
