/** Builds a component from a config: the options that JSON expresses, with the parts that the platform registers. */
import { ConfigurationError } from "../../errors.ts";
import { type ComponentKind, kindTitles } from "../../model/run/run.ts";
import { type AgentOptions, defineAgent } from "../agent.ts";
import { instructedModel, otherModels } from "../component.ts";
import { knowledgeUseOf } from "../knowledge-use.ts";
import type { Model } from "../model.ts";
import { modelText } from "../model-name.ts";
import type { Component, Hosted } from "../platform.ts";
import { defineTeam, type Member, type TeamOptions } from "../team.ts";
import type { WorkflowOptions } from "../workflow/types.ts";
import { defineWorkflow } from "../workflow/workflow.ts";
import { type BuildParts, type FindExecutor, findPart, type RegisteredParts } from "./parts.ts";
import { checkOptionNames, fitModelDriven, fitWorkflow, type MemberName, type NamedFunction } from "./shapes.ts";
import { toNodes } from "./steps.ts";

/** The options of a component as JSON. Null removes an option of the definition in code. */
export type Config = Readonly<Record<string, unknown>>;

/** A component to build. */
export interface Configuration {
  readonly kind: ComponentKind;
  readonly id: string;
  /** The definition in code. Its options apply where the config has none. */
  readonly base: Hosted | undefined;
  readonly config: Config;
  /** Name and description of a component without a definition in code. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/**
 * Builds a component, with the same checks as in code. A config cannot remove guardrails and hooks of the definition in code.
 * @throws ConfigurationError naming the component and the fix
 */
export function configured(given: Configuration, build: BuildParts): Hosted {
  const { kind, id, base } = given;
  const title = `${kindTitles[kind]} "${id}"`;
  if (base !== undefined && base.kind !== kind) throw new ConfigurationError(`${title} is a ${base.kind} in code.`);
  const { removed, config } = divide(given.config);
  checkOptionNames(title, kind, removed);
  const identity = base ? { ...base } : { id, name: given.name, description: given.description ?? undefined };
  const start = without({ ...identity, id }, removed);
  if (kind === "workflow") {
    const options = { ...start, ...workflowOptions(title, config, build) };
    return defineWorkflow(options as WorkflowOptions);
  }
  const own = base as Component | undefined;
  const options = { ...start, ...modelDrivenOptions(title, { kind, config, own }, build) };
  if (!("model" in options)) Object.assign(options, { model: build.parts.defaultModel });
  return kind === "team" ? defineTeam(options as TeamOptions) : defineAgent(options as AgentOptions);
}

/** Options that a config cannot remove. */
const fixed = ["id", "kind", "guardrails", "hooks"];

function divide(config: Config): { readonly removed: readonly string[]; readonly config: Config } {
  const entries = Object.entries(config);
  return {
    removed: entries.filter(([name, value]) => value === null && !fixed.includes(name)).map(([name]) => name),
    config: Object.fromEntries(entries.filter(([name, value]) => value !== null || fixed.includes(name))),
  };
}

function without(options: object, names: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(options).filter(([name, value]) => value !== undefined && !names.includes(name)),
  );
}

function modelDrivenOptions(
  title: string,
  {
    kind,
    config,
    own,
  }: { readonly kind: "agent" | "team"; readonly config: Config; readonly own: Component | undefined },
  { parts, find }: BuildParts,
): object {
  const shape = fitModelDriven(title, kind, config);
  const ownModels = own ? [own.model, ...otherModels(own)] : [];
  const model = (option: string, name: string): Model =>
    findPart(
      title,
      option,
      name,
      parts.models,
      ownModels.find((one) => modelText(one) === name),
    );
  const modelOf = <Given extends { readonly model?: string | undefined }>(option: string, given: Given) =>
    given.model === undefined ? given : { ...given, model: model(`${option}.model`, given.model) };
  const instructed = (option: string, given: string | { model: string; instructions?: string | undefined }) =>
    typeof given === "string" ? model(option, given) : instructedModel(modelOf(option, given) as never);
  const { members, tools, guardrails, knowledge, output, instructions, context, history, modelSettings, ...plain } =
    shape;
  const { model: first, models, parserModel, outputModel, reasoningModel, followups, memory, ...others } = plain;
  const summary = history?.summary;
  return {
    ...others,
    ...(first !== undefined && { model: model("model", first) }),
    ...(models && { models: models.map((name) => model("models", name)) }),
    ...(parserModel !== undefined && { parserModel: instructed("parserModel", parserModel) }),
    ...(outputModel !== undefined && { outputModel: instructed("outputModel", outputModel) }),
    ...(reasoningModel !== undefined && { reasoningModel: model("reasoningModel", reasoningModel) }),
    ...(followups !== undefined && {
      followups: typeof followups === "boolean" ? followups : modelOf("followups", followups),
    }),
    ...(memory && { memory: modelOf("memory", memory) }),
    ...(modelSettings && { modelSettings: settingsOf(modelSettings, own) }),
    ...(history && {
      history: { ...history, ...(typeof summary === "object" && { summary: modelOf("history.summary", summary) }) },
    }),
    ...(instructions !== undefined && {
      instructions: isFunctionName(instructions)
        ? findPart(title, "instructions", instructions.function, parts.functions)
        : instructions,
    }),
    ...(context && {
      context: {
        ...context,
        ...(isFunctionName(context.compaction) && {
          compaction: findPart(title, "context.compaction", context.compaction.function, parts.functions),
        }),
      },
    }),
    ...(output !== undefined && { output: findPart(title, "output", output, parts.schemas) }),
    ...(tools && {
      tools: tools.map((name) => findPart(title, "tools", name, parts.tools, named(own?.tools, name))),
    }),
    ...(guardrails && { guardrails: guardrailsOf(title, guardrails, own, parts) }),
    ...(knowledge && { knowledge: knowledgeOf(title, knowledge, own, parts) }),
    ...(members && { members: members.map((member) => memberOf(title, member, find)) }),
  };
}

/** Options of a provider stay as the code sets them, because they can hold addresses and keys. */
function settingsOf(settings: object, own: Component | undefined): object {
  const providerOptions = own?.modelSettings?.providerOptions;
  return { ...settings, ...(providerOptions && { providerOptions }) };
}

function isFunctionName(value: unknown): value is NamedFunction {
  return typeof value === "object" && value !== null && "function" in value;
}

function named<Part extends { readonly name: string }>(
  list: readonly Part[] | undefined,
  name: string,
): Part | undefined {
  return list?.find((part) => part.name === name);
}

/** The guardrails of the code come first. */
function guardrailsOf(title: string, names: readonly string[], own: Component | undefined, parts: RegisteredParts) {
  const ofCode = own?.guardrails ?? [];
  const added = names.map((name) => findPart(title, "guardrails", name, parts.guardrails, named(ofCode, name)));
  return [...new Set([...ofCode, ...added])];
}

function knowledgeOf(
  title: string,
  given: readonly string[] | { readonly bases: readonly string[] },
  own: Component | undefined,
  parts: RegisteredParts,
) {
  const ofCode = (own && knowledgeUseOf(own)?.bases) ?? [];
  const base = (name: string) =>
    findPart(
      title,
      "knowledge",
      name,
      parts.knowledge,
      ofCode.find(({ id }) => id === name),
    );
  return "bases" in given ? { ...given, bases: given.bases.map(base) } : given.map(base);
}

function memberOf(title: string, member: MemberName, find: FindExecutor): Member {
  if (typeof member === "string") return find(title, ["agent", "team"], member) as Member;
  if ("agent" in member) return find(title, ["agent"], member.agent) as Member;
  return find(title, ["team"], member.team) as Member;
}

function workflowOptions(title: string, config: Config, build: BuildParts): object {
  const { steps, input, output, ...others } = fitWorkflow(title, config);
  return {
    ...others,
    ...(input !== undefined && { input: findPart(title, "input", input, build.parts.schemas) }),
    ...(output !== undefined && { output: findPart(title, "output", output, build.parts.schemas) }),
    ...(steps && { steps: toNodes(title, steps, build) }),
  };
}
