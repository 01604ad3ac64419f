import type { z } from "zod";
import { ConfigurationError } from "../errors.ts";
import { type Known, refuseOthers, refuseUnknown } from "./checks.ts";
import { type ComponentOptions, checkComponent, componentOptions } from "./component.ts";
import type { ComponentTypes, ModelTypes, Typed } from "./component-types.ts";
import { refuseReadTool } from "./context-options.ts";
import { writableShape } from "./json-shape.ts";
import { ownTools, refuseTwinServers, type ToolSource } from "./mcp-server.ts";
import { type Runnable, runnable } from "./runnable.ts";

/** Options of an agent. */
export interface AgentOptions<
  Id extends string = string,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
  Output extends z.ZodType | undefined = z.ZodType | undefined,
> extends ComponentOptions<Id, State, Dependencies> {
  /** Tools, and MCP servers with tools. */
  readonly tools?: readonly ToolSource[];
  /** Schema of the answer. The answer is validated against it; if it does not match, the model is called once more. */
  readonly output?: Output;
}

const agentOptions: Known<AgentOptions> = { ...componentOptions, tools: true, output: true };

/** An agent: one model with instructions and tools. */
export interface Agent<Types extends ComponentTypes = ComponentTypes>
  extends AgentOptions<Types["id"]>,
    Runnable<"agent", Types>,
    Typed<Types> {
  readonly kind: "agent";
  readonly name: string;
  readonly tools: readonly ToolSource[];
}

/**
 * Defines an agent.
 *
 * @example
 * ```ts
 * const researcher = defineAgent({ id: "researcher", model: openai("gpt-5.2"), instructions: "Find facts.", tools: [search] });
 * ```
 * @throws ConfigurationError naming the agent and the fix
 */
export function defineAgent<
  const Id extends string = string,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
  Output extends z.ZodType | undefined = undefined,
>(options: AgentOptions<Id, State, Dependencies, Output>): Agent<ModelTypes<Id, State, Dependencies, Output>>;
export function defineAgent(options: AgentOptions): Agent {
  checkComponent("Agent", options);
  refuseUnknown(`Agent "${options.id}"`, options, agentOptions);
  refuseOthers(`Agent "${options.id}"`, "tools", options.tools, { tool: "defineTool", "mcp-server": "mcpServer" });
  const tools = options.tools ?? [];
  const own = ownTools({ tools });
  const twice = own.find((tool, place) => own.findIndex((other) => other.name === tool.name) !== place);
  if (twice) throw new ConfigurationError(`Agent "${options.id}" has two tools named "${twice.name}": rename one.`);
  refuseTwinServers(`Agent "${options.id}"`, tools);
  refuseReadTool(`Agent "${options.id}"`, options, ownTools({ tools }));
  if (options.output) writableShape(`Agent "${options.id}"`, options.output);
  return runnable({ ...options, kind: "agent", name: options.name ?? options.id, tools });
}
