/** Factories: they build a component for each request, from its caller and its input. */
import type { z } from "zod";
import { ConfigurationError } from "../errors.ts";
import type { Principal } from "../model/principal.ts";
import type { ComponentKind } from "../model/run/run.ts";
import type { Agent } from "./agent.ts";
import { type Known, refuseUnknown } from "./checks.ts";
import { checkIdentity } from "./component.ts";
import type { Team } from "./team.ts";
import type { Workflow } from "./workflow/types.ts";

/** Input of a factory. It is stored with the run, so that another process that takes over the run builds the same component again. */
export interface FactoryContext<Input = Readonly<Record<string, unknown>>> {
  /** `factory_input` of the request, as parsed by the factory's `input` schema. */
  readonly input: Input;
  /** The caller that started the run. */
  readonly principal: Principal;
  readonly userId: string | null;
  /** `dependencies` of the start request and of its credential. */
  readonly dependencies: Readonly<Record<string, unknown>>;
}

/** Options of a factory. */
export interface FactoryOptions<Made, Input> {
  /** Identifier in URLs. The component that `build` returns gets this id, whatever its own id is. */
  readonly id: string;
  /** Display name in lists. Default: the id. Runs have the name of the component that `build` returns. */
  readonly name?: string;
  readonly description?: string;
  /** Schema of `factory_input`; input that does not match is rejected with 400. Default: any object. */
  readonly input?: z.ZodType<Input>;
  /**
   * Builds the component. It is called for every start, and again in each process that takes over the run, so it must return the same
   * component for the same context. To reject a request, throw a `TroupeError` named `badRequest` or `forbidden`; any other error is a 500
   * without details.
   */
  readonly build: (context: FactoryContext<Input>) => Made | Promise<Made>;
  /** Whether clients can resume streams of its runs. Default false: a request to resume is rejected with 400. */
  readonly resumable?: boolean;
}

const factoryOptions: Known<FactoryOptions<unknown, unknown>> = {
  ...{ id: true, name: true, description: true, input: true, build: true, resumable: true },
};

/** A factory of agents, teams or workflows. */
export interface Factory<Made = Agent | Team | Workflow> {
  readonly kind: ComponentKind;
  readonly isFactory: true;
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly input: z.ZodType | undefined;
  readonly resumable: boolean;
  readonly build: (context: FactoryContext<never>) => Made | Promise<Made>;
}

/** A factory of agents. */
export interface AgentFactory<Id extends string = string> extends Factory<Agent> {
  readonly kind: "agent";
  readonly id: Id;
}

/** A factory of teams. */
export interface TeamFactory<Id extends string = string> extends Factory<Team> {
  readonly kind: "team";
  readonly id: Id;
}

/** A factory of workflows. */
export interface WorkflowFactory<Id extends string = string> extends Factory<Workflow> {
  readonly kind: "workflow";
  readonly id: Id;
}

/**
 * Defines an agent that is built for each run.
 *
 * @example
 * ```ts
 * const guide = agentFactory({
 *   id: "guide",
 *   input: z.object({ city: z.string() }),
 *   build: ({ input, userId }) => defineAgent({ id: "guide", model: "openai:gpt-5.2", instructions: `Show ${userId} ${input.city}.` }),
 * });
 * ```
 * @throws ConfigurationError naming the factory and the fix
 */
export function agentFactory<const Id extends string, Input = Readonly<Record<string, unknown>>>(
  options: FactoryOptions<Agent, Input> & { readonly id: Id },
): AgentFactory<Id> {
  return Object.freeze({ ...checked("Agent", options), id: options.id, kind: "agent" });
}

/** Defines a team that is built for each run, see `agentFactory`. @throws ConfigurationError naming the factory and the fix */
export function teamFactory<const Id extends string, Input = Readonly<Record<string, unknown>>>(
  options: FactoryOptions<Team, Input> & { readonly id: Id },
): TeamFactory<Id> {
  return Object.freeze({ ...checked("Team", options), id: options.id, kind: "team" });
}

/** Defines a workflow that is built for each run, see `agentFactory`. @throws ConfigurationError naming the factory and the fix */
export function workflowFactory<const Id extends string, Input = Readonly<Record<string, unknown>>>(
  options: FactoryOptions<Workflow, Input> & { readonly id: Id },
): WorkflowFactory<Id> {
  return Object.freeze({ ...checked("Workflow", options), id: options.id, kind: "workflow" });
}

function checked<Made, Input>(
  kind: "Agent" | "Team" | "Workflow",
  options: FactoryOptions<Made, Input>,
): Omit<Factory<Made>, "kind"> {
  checkIdentity(kind, options);
  const { id, name = id, description, input, build, resumable = false } = options;
  const title = `${kind} factory "${id}"`;
  refuseUnknown(title, options, factoryOptions);
  if (typeof build !== "function") throw new ConfigurationError(`${title}: build must be a function.`);
  if (input !== undefined && typeof (input as Partial<z.ZodType>).safeParseAsync !== "function")
    throw new ConfigurationError(`${title}: input must be a zod schema, for instance z.object({ city: z.string() }).`);
  return { isFactory: true, id, name, description, input, build, resumable };
}

/** Returns whether the entry is a factory, not a component. */
export function isFactory(entry: object): entry is Factory {
  return "isFactory" in entry;
}
