/** Describes components to clients: the types of their inputs and outputs, their tools and their members. */
import { isFactory } from "../define/factory.ts";
import { shownShape } from "../define/json-shape.ts";
import { ownTools } from "../define/mcp-server.ts";
import type { Entry, Hosted } from "../define/platform.ts";
import { isRemote } from "../define/remote.ts";
import type { Workflow } from "../define/workflow/types.ts";
import { modelId, providerName } from "../engine/model-call/models.ts";
import type { Principal } from "../model/principal.ts";
import type { ComponentKind } from "../model/run/run.ts";
import { type ComponentName, findComponent } from "./find.ts";
import type { RunParts } from "./parts.ts";
import { isPermitted, type RunAction, routeOf } from "./permissions.ts";

/** A tool or a component, as clients see it. */
export interface Described {
  readonly name: string;
  readonly description: string;
}

/** Tools and members of a component; empty if its definition is not known here. */
interface Contents {
  readonly tools: readonly Described[];
  readonly members: readonly MemberDescription[];
}

/** A member of a team. */
export interface MemberDescription extends Described, Contents {
  readonly kind: ComponentKind;
  readonly id: string;
}

/** A component. The definition of a component that a factory builds, or that another server executes, is not known here. */
export interface ComponentDescription extends Described, Contents {
  readonly id: string;
  /** Media types of its input; undefined if they are not known. */
  readonly inputTypes: readonly string[] | undefined;
  /** Media types of its answer; undefined if they are not known. */
  readonly outputTypes: readonly string[] | undefined;
  /** Whether the definition asks for A2A answers that are a message instead of a task. */
  readonly answersByMessage: boolean;
}

/** The description of a component. @throws TroupeError `notFound` */
export function describeComponent(parts: Pick<RunParts, "registry">, name: ComponentName): ComponentDescription {
  const entry = findComponent(parts, name);
  const { id, name: title, description = "" } = entry;
  const common = { id, name: title, description };
  if (isFactory(entry) || isRemote(entry)) {
    const unknown = { inputTypes: undefined, outputTypes: undefined, answersByMessage: false };
    return { ...common, ...unknown, tools: [], members: [] };
  }
  return {
    ...common,
    inputTypes: inputTypesOf(entry),
    outputTypes: outputTypesOf(entry),
    answersByMessage: entry.a2aAnswer === "message",
    ...contentsOf(entry),
  };
}

/** A component in a listing. */
export interface ListedComponent extends Described {
  readonly kind: ComponentKind;
  readonly id: string;
  /** Its model; undefined for a workflow, and for a component whose definition is not known here. */
  readonly model: { readonly id: string; readonly provider: string } | undefined;
  /** How a team works; undefined for other components. */
  readonly mode: string | undefined;
  /** JSON Schema of a workflow's input; undefined if it accepts any text. */
  readonly inputSchema: Readonly<Record<string, unknown>> | undefined;
}

/** The components of a kind on whose runs a caller may perform an action, in the order of the definition. */
export function listComponents(
  { registry, gate }: Pick<RunParts, "registry" | "gate">,
  caller: Principal,
  action: RunAction,
  kind: ComponentKind,
): readonly ListedComponent[] {
  const demand = gate.requiredScopesOf(routeOf(action, kind));
  const ofKind = registry.hosted.filter((entry) => entry.kind === kind);
  return ofKind.filter(({ id }) => isPermitted(() => gate.check(caller, demand, id))).map(toListed);
}

function toListed(entry: Entry): ListedComponent {
  const { id, name, description = "", kind } = entry;
  const listed = { kind, id, name, description, model: undefined, mode: undefined, inputSchema: undefined };
  if (isFactory(entry) || isRemote(entry)) return listed;
  if (entry.kind === "workflow") return { ...listed, inputSchema: inputSchemaOf(entry) };
  const model = { id: modelId(entry.model), provider: providerName(entry.model) };
  return { ...listed, model, mode: entry.kind === "team" ? entry.mode : undefined };
}

function inputSchemaOf({ input }: Workflow): ListedComponent["inputSchema"] {
  if (!input || input.def.type === "string") return undefined;
  return shownShape(input);
}

/** The kind of the component with this id. If components of several kinds have it: an agent before a team, a team before a workflow. */
export function findKind({ registry }: Pick<RunParts, "registry">, componentId: string): ComponentKind | undefined {
  return (["agent", "team", "workflow"] as const).find((kind) => registry.find(kind, componentId));
}

function contentsOf(component: Hosted): Contents {
  const tools = component.kind === "workflow" ? [] : ownTools(component);
  const members = component.kind === "team" ? component.members : [];
  return {
    tools: tools.map(({ name, description }) => ({ name, description })),
    members: members.map((member) => ({
      ...{ kind: member.kind, id: member.id, name: member.name },
      description: member.description ?? member.role ?? "",
      ...(isRemote(member) ? { tools: [], members: [] } : contentsOf(member)),
    })),
  };
}

/**
 * Input types of a component. Workflows with an input schema of their own accept JSON only; if the definition of an agent or team sets no types, the
 * model's provider determines the accepted files.
 */
function inputTypesOf(component: Hosted): readonly string[] {
  if (component.inputModes) return component.inputModes;
  if (component.kind === "workflow") {
    if (component.input) return component.input.def.type === "string" ? ["text/plain"] : ["application/json"];
    return ["text/plain", "application/json"];
  }
  const { model } = component;
  const files = typeof model === "object" && isPlain(model.supportedUrls) ? Object.keys(model.supportedUrls) : [];
  return [...new Set(["text/plain", "application/json", ...files.filter((type) => type !== "*" && type !== "*/*")])];
}

/** Some providers return the list asynchronously: the description omits types that are not known yet. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !("then" in value);
}

function outputTypesOf({ output }: Hosted): readonly string[] {
  if (!output || output.def.type === "string") return ["text/plain"];
  return ["application/json"];
}
