/** Components that are built for each request: by who asks, and from what the request brings. */
import type { z } from "zod";
import { ConfigurationError } from "../errors.ts";
import type { Principal } from "../model/principal.ts";
import type { ComponentKind } from "../model/run.ts";
import type { Agent } from "./agent.ts";
import { type Known, refuseUnknown } from "./checks.ts";
import { checkIdentity } from "./component.ts";
import type { Team } from "./team.ts";
import type { Workflow } from "./workflow/types.ts";

/** What a component is built from. It is stored with the run: whoever takes the run up builds the same again. */
export interface FactoryContext<Input = Readonly<Record<string, unknown>>> {
  /** `factory_input` of the request, as the factory's `input` reads it. */
  readonly input: Input;
  /** Who started the run. */
  readonly principal: Principal;
  readonly userId: string | null;
  /** What the start and its credential bring (`dependencies`). */
  readonly dependencies: Readonly<Record<string, unknown>>;
}

/** How a factory is described. */
export interface FactoryOptions<Made, Input> {
  /** Identifier in URLs, as of a component. What is built gets it, whatever id it has. */
  readonly id: string;
  /** Name for people, in lists. Default: the id. Runs have the name of what is built. */
  readonly name?: string;
  readonly description?: string;
  /** Shape of `factory_input`; what does not fit is refused with 400. Default: any object. */
  readonly input?: z.ZodType<Input>;
  /**
   * Builds the component. It is called for every start, and again in whichever process takes the run up: from the same context it must build the
   * same. Throw a `TroupeError` of the name `badRequest` or `forbidden` to refuse; anything else is a 500 that tells nothing.
   */
  readonly build: (context: FactoryContext<Input>) => Made | Promise<Made>;
  /** Whether streams of its runs can be resumed. Default false: the interface answers 400. */
  readonly resumable?: boolean;
}

const factoryOptions: Known<FactoryOptions<unknown, unknown>> = {
  ...{ id: true, name: true, description: true, input: true, build: true, resumable: true },
};

/** A factory of components of a kind. */
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
 * Describes agents that are built for each run.
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

/** Describes teams that are built for each run, see `agentFactory`. @throws ConfigurationError naming the factory and the fix */
export function teamFactory<const Id extends string, Input = Readonly<Record<string, unknown>>>(
  options: FactoryOptions<Team, Input> & { readonly id: Id },
): TeamFactory<Id> {
  return Object.freeze({ ...checked("Team", options), id: options.id, kind: "team" });
}

/** Describes workflows that are built for each run, see `agentFactory`. @throws ConfigurationError naming the factory and the fix */
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

/** Whether it builds components, or is one. */
export function isFactory(entry: object): entry is Factory {
  return "isFactory" in entry;
}
