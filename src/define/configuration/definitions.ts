/** The definitions in code as configs, and the names of the parts that configs can name. */
import type { ComponentKind } from "../../model/run/run.ts";
import { knowledgeUseOf } from "../knowledge-use.ts";
import { modelText } from "../model-name.ts";
import type { Component, Hosted } from "../platform.ts";
import type { Config } from "./configured.ts";
import { type PartsSource, registeredParts } from "./parts.ts";

/** A component that code defines. */
export interface Definition {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly name: string;
  /** The options that a config can replace by names, texts and numbers. Functions and steps of workflows are omitted. */
  readonly config: Config;
}

/** Names of parts by the option that lists them. */
export type PartNames = Readonly<
  Record<"models" | "tools" | "schemas" | "functions" | "guardrails" | "knowledge", string[]>
>;

/** Returns the agents, teams and workflows that code defines. Factories and remote components have no versions, so they are omitted. */
export function definitionsOf({ agents, teams, workflows }: PartsSource): readonly Definition[] {
  return [...agents, ...teams, ...workflows].map((component) => ({
    kind: component.kind,
    id: component.id,
    name: component.name ?? component.id,
    config: present(component.kind === "workflow" ? plainOptions(component) : optionsOf(component)),
  }));
}

/** Returns the names of the parts that configs can name. */
export function partNames(platform: PartsSource): PartNames {
  const { models, tools, schemas, functions, guardrails, knowledge } = registeredParts(platform);
  return {
    ...{ models: [...models.keys()], tools: [...tools.keys()], schemas: [...schemas.keys()] },
    ...{ functions: [...functions.keys()], guardrails: [...guardrails.keys()], knowledge: [...knowledge.keys()] },
  };
}

function optionsOf(component: Component): Config {
  const { role, model, instructions, tools, guardrails, modelSettings, maxSteps, maxModelAttempts } = component;
  // Options of a provider can hold addresses and keys.
  const { providerOptions: _, ...settings } = modelSettings ?? {};
  return {
    ...plainOptions(component),
    role,
    model: modelText(model),
    instructions: typeof instructions === "function" ? undefined : instructions,
    tools: listed(tools.map(({ name }) => name)),
    knowledge: listed(knowledgeUseOf(component)?.bases.map(({ id }) => id)),
    guardrails: listed(guardrails?.map(({ name }) => name)),
    modelSettings: Object.keys(settings).length > 0 ? settings : undefined,
    ...{ maxSteps, maxModelAttempts },
    ...(component.kind === "team" && { mode: component.mode, members: component.members.map(({ id }) => id) }),
  };
}

function plainOptions({ name, description, timeout }: Pick<Hosted, "name" | "description" | "timeout">): Config {
  return { name, description, timeout };
}

function listed(names: readonly string[] | undefined): readonly string[] | undefined {
  return names?.length ? names : undefined;
}

function present(config: Config): Config {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}
