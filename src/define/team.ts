import type { z } from "zod";
import { ConfigurationError } from "../errors.ts";
import type { Agent } from "./agent.ts";
import { type Known, refuseFactories, refuseOthers, refuseUnknown } from "./checks.ts";
import { type ComponentOptions, checkComponent, componentOptions } from "./component.ts";
import type { ComponentTypes, ModelTypes, Typed } from "./component-types.ts";
import { refuseReadTool } from "./context-options.ts";
import { writableShape } from "./json-shape.ts";
import { ownTools, refuseTwinServers, type ToolSource } from "./mcp-server.ts";
import type { RemoteAgent, RemoteTeam } from "./remote.ts";
import { type Runnable, runnable } from "./runnable.ts";

/**
 * How a team works. `coordinate`: the leader delegates to members, in rounds and in parallel, and answers itself. `route`: the leader
 * delegates to one member, whose answer is the team's answer. `broadcast`: every member gets the task, then the leader summarizes. `tasks`:
 * the leader keeps a list of tasks with dependencies, and members do them, until nothing is left to do.
 */
export type TeamMode = "coordinate" | "route" | "broadcast" | "tasks";

/** A member of a team, executed by this server or by another one. */
export type Member = Agent | Team | RemoteAgent | RemoteTeam;

/** Options of a team. `model` is the leader's model. */
export interface TeamOptions<
  Id extends string = string,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
  Output extends z.ZodType | undefined = z.ZodType | undefined,
> extends ComponentOptions<Id, State, Dependencies> {
  /** Default `coordinate`. */
  readonly mode?: TeamMode;
  /** In the mode `tasks`: maximum number of times that the leader works on the list, at most 100. Default 10. */
  readonly maxIterations?: number;
  readonly members: readonly Member[];
  /** The leader's own tools, in addition to the delegation tools. */
  readonly tools?: readonly ToolSource[];
  /** Schema of the answer, as for agents. */
  readonly output?: Output;
}

const teamOptions: Known<TeamOptions> = {
  ...componentOptions,
  ...{ mode: true, maxIterations: true, members: true, tools: true, output: true },
};

/** A team: a leader and its members, which are agents or teams, executed by this server or by another one. */
export interface Team<Types extends ComponentTypes = ComponentTypes>
  extends TeamOptions<Types["id"]>,
    Runnable<"team", Types>,
    Typed<Types> {
  readonly kind: "team";
  readonly name: string;
  readonly mode: TeamMode;
  readonly tools: readonly ToolSource[];
}

/** Names of the leader's delegation tools; its own tools cannot have these names. */
export const delegationTools = { one: "delegate_task_to_member", all: "delegate_task_to_members" } as const;

/** Names of the leader's tools in the mode `tasks`. */
export const taskTools = {
  create: "create_task",
  execute: "execute_task",
  update: "update_task_status",
  list: "list_tasks",
  note: "add_task_note",
  complete: "mark_all_complete",
} as const;

/** Default of `maxIterations`. */
export const defaultIterations = 10;

const modes: readonly TeamMode[] = ["coordinate", "route", "broadcast", "tasks"];

/**
 * Defines a team.
 *
 * @example
 * ```ts
 * const desk = defineTeam({ id: "research-desk", model: openai("gpt-5.2"), members: [researcher, writer] });
 * ```
 * @throws ConfigurationError naming the team and the fix
 */
export function defineTeam<
  const Id extends string = string,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
  Output extends z.ZodType | undefined = undefined,
>(options: TeamOptions<Id, State, Dependencies, Output>): Team<ModelTypes<Id, State, Dependencies, Output>>;
export function defineTeam(options: TeamOptions): Team {
  checkComponent("Team", options);
  const title = `Team "${options.id}"`;
  refuseUnknown(title, options, teamOptions);
  refuseOthers(title, "members", options.members, { agent: "defineAgent", team: "defineTeam" });
  refuseFactories(title, options.members ?? []);
  refuseOthers(title, "tools", options.tools, { tool: "defineTool", "mcp-server": "mcpServer" });
  const mode = options.mode ?? "coordinate";
  if (!modes.includes(mode))
    throw new ConfigurationError(`${title}: mode "${mode}" is unknown; use coordinate, route, broadcast or tasks.`);
  const { maxIterations = defaultIterations } = options;
  if (options.maxIterations !== undefined && mode !== "tasks")
    throw new ConfigurationError(`${title}: maxIterations is for the mode tasks.`);
  if (!(Number.isInteger(maxIterations) && maxIterations >= 1 && maxIterations <= 100))
    throw new ConfigurationError(`${title}: maxIterations must be a whole number from 1 to 100.`);
  if (!options.members?.length)
    throw new ConfigurationError(`${title} has no members: give it at least one agent or team.`);
  const ids = options.members.map((member) => member.id);
  const twice = ids.find((id, place) => ids.indexOf(id) !== place);
  if (twice)
    throw new ConfigurationError(
      `${title} has two members with the id "${twice}": the leader could not distinguish them.`,
    );
  const tools = options.tools ?? [];
  const brought = Object.values(mode === "tasks" ? taskTools : delegationTools);
  const names: readonly string[] = [...ownTools({ tools }).map((tool) => tool.name), ...brought];
  const clash = names.find((name, place) => names.indexOf(name) !== place);
  if (clash)
    throw new ConfigurationError(`${title} has two tools named "${clash}" (the mode brings its own): rename one.`);
  refuseTwinServers(title, tools);
  refuseReadTool(title, options, ownTools({ tools }));
  if (options.output) writableShape(title, options.output);
  return runnable({ ...options, kind: "team", name: options.name ?? options.id, mode, tools });
}
