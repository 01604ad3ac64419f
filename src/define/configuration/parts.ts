/** Registered parts: what the configs of components can name. */
import type { z } from "zod";
import { ConfigurationError } from "../../errors.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { Agent } from "../agent.ts";
import { type Known, refuseOthers, refuseUnknown, suggestion } from "../checks.ts";
import { otherModels } from "../component.ts";
import type { Guardrail } from "../guardrails/guardrail.ts";
import type { Knowledge } from "../knowledge.ts";
import { ownTools, refuseTwinServers, type ToolSource } from "../mcp-server.ts";
import type { Model } from "../model.ts";
import { modelText } from "../model-name.ts";
import type { Team } from "../team.ts";
import { allComponents } from "../within.ts";
import type { Executor, Workflow } from "../workflow/types.ts";

/** A function that a config names. The option that names it determines its parameters. */
export type RegisteredFunction = (context: never) => unknown;

/**
 * Parts that the configs of components can name, in addition to the parts of the components in code. A config names parts only: it cannot contain code, URLs, or
 * models that are not listed. See docs/components.md.
 */
export interface PartsOptions {
  /** Models, by `provider:model`. The first one is the model of configs without a model. Default: the model of the first agent or team. */
  readonly models?: readonly Model[];
  /** Tools and MCP servers, by their names. */
  readonly tools?: readonly ToolSource[];
  /** Schemas of answers and of inputs of workflows. */
  readonly schemas?: Readonly<Record<string, z.ZodType>>;
  /** Functions for instructions and for steps of workflows. */
  readonly functions?: Readonly<Record<string, RegisteredFunction>>;
  /** Guardrails, by their names. */
  readonly guardrails?: readonly Guardrail[];
}

const partsOptions: Known<PartsOptions> = {
  models: true,
  tools: true,
  schemas: true,
  functions: true,
  guardrails: true,
};

/** Rejects invalid parts. @throws ConfigurationError naming the part and the fix */
export function checkParts(title: string, parts: PartsOptions = {}): PartsOptions {
  const field = `${title}: parts`;
  if (typeof parts !== "object" || parts === null || Array.isArray(parts))
    throw new ConfigurationError(`${field} must be an object, for instance { tools: [search] }.`);
  refuseUnknown(field, parts, partsOptions);
  const { models = [], tools = [], schemas = {}, functions = {}, guardrails = [] } = parts;
  if (!Array.isArray(models) || !models.every(isModel))
    throw new ConfigurationError(`${field}.models must be a list of models, for instance ["openai:gpt-5.2"].`);
  refuseOthers(field, "tools", tools, { tool: "defineTool", "mcp-server": "mcpServer" });
  refuseOthers(field, "guardrails", guardrails, { guardrail: "defineGuardrail or a built-in guardrail" });
  checkRecord(`${field}.schemas`, schemas, "a zod schema", (value) => "_zod" in Object(value));
  checkRecord(`${field}.functions`, functions, "a function", (value) => typeof value === "function");
  refuseTwins(`${field}.models`, models.map(modelText));
  refuseTwins(
    `${field}.tools`,
    ownTools({ tools }).map(({ name }) => name),
  );
  refuseTwins(
    `${field}.guardrails`,
    guardrails.map(({ name }) => name),
  );
  refuseTwinServers(field, tools);
  return Object.freeze({ ...parts });
}

function isModel(value: unknown): boolean {
  if (typeof value === "string") return /^[a-z0-9-]+:.+$/i.test(value);
  return typeof value === "object" && value !== null && "specificationVersion" in value;
}

function checkRecord(title: string, value: unknown, item: string, fits: (value: unknown) => boolean): void {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ConfigurationError(`${title} must be an object of names, each with ${item}.`);
  const wrong = Object.entries(value).find(([, one]) => !fits(one));
  if (wrong) throw new ConfigurationError(`${title}.${wrong[0]} must be ${item}.`);
}

function refuseTwins(title: string, names: readonly string[]): void {
  const twin = names.find((name, place) => names.indexOf(name) !== place);
  if (twin !== undefined) throw new ConfigurationError(`${title} has "${twin}" twice: remove one.`);
}

/** The parts of a platform by name. Several different parts with one name: the config must not name it. */
export interface RegisteredParts {
  readonly models: Named<Model>;
  readonly tools: Named<ToolSource>;
  readonly schemas: Named<z.ZodType>;
  readonly functions: Named<RegisteredFunction>;
  readonly guardrails: Named<Guardrail>;
  readonly knowledge: Named<Knowledge>;
  /** The model of a config without one; undefined on a platform without models. */
  readonly defaultModel: Model | undefined;
}

type Named<Part> = ReadonlyMap<string, readonly Part[]>;

/** The part of a platform that registers parts. */
export interface PartsSource {
  readonly agents: readonly Agent[];
  readonly teams: readonly Team[];
  readonly workflows: readonly Workflow[];
  readonly knowledge: readonly Knowledge[];
  readonly parts: PartsOptions;
}

/** Collects the parts that a platform registers: its option `parts`, and the parts of its components in code. */
export function registeredParts(platform: PartsSource): RegisteredParts {
  const { parts, knowledge } = platform;
  const components = allComponents(platform);
  const used = components.flatMap((component) => [component.model, ...otherModels(component)]);
  const listed = parts.models ?? [];
  const first = listed[0] ?? components[0]?.model;
  return {
    models: byName([...listed, ...used], modelText),
    tools: byName(
      parts.tools ?? [],
      nameOf,
      components.flatMap(({ tools }) => tools),
    ),
    schemas: fromRecord(parts.schemas),
    functions: fromRecord(parts.functions),
    guardrails: byName(
      parts.guardrails ?? [],
      nameOf,
      components.flatMap((one) => one.guardrails ?? []),
    ),
    knowledge: byName(knowledge, ({ id }) => id),
    defaultModel: first,
  };
}

/** Groups parts by name. The first listed part of a name is taken, before the parts of components. Components may have several parts of a name. */
function byName<Part>(listed: readonly Part[], name: (part: Part) => string, used: readonly Part[] = []): Named<Part> {
  const found = new Map<string, readonly Part[]>();
  for (const part of listed) if (!found.has(name(part))) found.set(name(part), [part]);
  const fixed = new Set(found.keys());
  for (const part of used) {
    const key = name(part);
    const known = found.get(key) ?? [];
    if (!fixed.has(key) && !known.includes(part)) found.set(key, [...known, part]);
  }
  return found;
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function fromRecord<Part>(record: Readonly<Record<string, Part>> = {}): Named<Part> {
  return new Map(Object.entries(record).map(([name, part]) => [name, [part]]));
}

/**
 * Finds a part by its name.
 * @param own the part of this name in the definition that the config changes; it takes precedence
 * @throws ConfigurationError for an unknown name, with a suggestion, and for a name of several parts
 */
export function findPart<Part>(title: string, option: string, name: string, parts: Named<Part>, own?: Part): Part {
  if (own !== undefined) return own;
  const found = parts.get(name) ?? [];
  if (found.length === 1) return found[0] as Part;
  if (found.length > 1)
    throw new ConfigurationError(
      `${title}: ${option} names "${name}", and the platform has several of this name: list one of them in the platform's parts.`,
    );
  const names = [...parts.keys()];
  const hint = names.length === 0 ? "it has none." : suggestion(name, names);
  throw new ConfigurationError(`${title}: ${option} names "${name}", which the platform does not have: ${hint}`);
}

/** Finds a member or an executor of a step among the components of these kinds. @throws ConfigurationError */
export type FindExecutor = (title: string, kinds: readonly ComponentKind[], id: string) => Executor;

/** The parts and the members from which a config is built. */
export interface BuildParts {
  readonly parts: RegisteredParts;
  readonly find: FindExecutor;
}
