/** The hash of a definition: it shows whether a run's definition has changed since the run started. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "../model/canonical-json.ts";
import { instructedModel } from "./component.ts";
import type { ContextOptions } from "./context-options.ts";
import type { Hooks } from "./hooks.ts";
import { knowledgeUseOf } from "./knowledge-use.ts";
import { isMcpServer, type ToolSource } from "./mcp-server.ts";
import { modelText } from "./model-name.ts";
import { isRemote, type Remote } from "./remote.ts";
import type { Team } from "./team.ts";
import type { Executor, StepNode, Workflow } from "./workflow/types.ts";
import { childrenOf } from "./workflow/workflow.ts";

/** A cache: definitions never change, and every start needs the hash. */
const known = new WeakMap<Executor, string>();

/**
 * Returns the SHA-256 (hex) of a definition: kind, id, model, tools, instructions, output schema, mode and members; for a remote component
 * its target. It is the same in every process. A function contributes only its presence, because its text may differ between builds.
 */
export function definitionHash(component: Executor): string {
  let hash = known.get(component);
  if (hash === undefined) {
    hash = createHash("sha256")
      .update(canonicalJson(shapeOf(component)))
      .digest("hex");
    known.set(component, hash);
  }
  return hash;
}

function shapeOf(component: Executor): unknown {
  if (isRemote(component)) return remoteShape(component);
  if (component.kind === "workflow") return workflowShape(component);
  const {
    kind,
    id,
    model,
    models,
    parserModel,
    outputModel,
    reasoningModel,
    instructions,
    description,
    role,
    output,
    tools,
    hooks,
    guardrails,
    learning,
    memory,
  } = component;
  const use = knowledgeUseOf(component);
  return {
    kind,
    id,
    model: modelText(model),
    models: models?.map(modelText),
    parserModel: parserModel && modelText(instructedModel(parserModel).model),
    outputModel: outputModel && modelText(instructedModel(outputModel).model),
    reasoningModel: reasoningModel && modelText(reasoningModel),
    description,
    role,
    instructions: typeof instructions === "function" ? "(function)" : instructions,
    output: output && z.toJSONSchema(output, { target: "draft-7", io: "input", unrepresentable: "any" }),
    tools: tools.map(sourceShape),
    ...(hooks && { hooks: hookShape(hooks) }),
    context: component.context && contextShape(component.context),
    ...(guardrails?.length && { guardrails: guardrails.map(({ name, on }) => ({ name, on })) }),
    ...(learning !== undefined && { learning }),
    ...(memory && { memory: { tools: memory.tools === true } }),
    ...(use && { knowledge: { mode: use.mode, bases: use.bases.map((base) => base.id) } }),
    ...(component.kind === "team" && {
      mode: component.mode,
      ...iterationsOf(component),
      members: component.members.map(definitionHash),
    }),
  };
}

function iterationsOf({ mode, maxIterations }: Team): object {
  return mode === "tasks" ? { maxIterations } : {};
}

/** The points with the number of their functions. */
function hookShape({ timeout: _, ...points }: Hooks): unknown {
  const entries = Object.entries(points).filter(([, given]) => given !== undefined);
  return Object.fromEntries(entries.map(([point, given]) => [point, [given].flat().length]));
}

function contextShape({ window, compaction, maxToolResult }: ContextOptions): unknown {
  return { window, compaction: typeof compaction === "function" ? "(function)" : compaction, maxToolResult };
}

/** A server's tools are not part of the definition: they change without a deployment. */
function sourceShape(source: ToolSource): unknown {
  if (!isMcpServer(source)) return { name: source.name, description: source.description, input: source.inputSchema };
  const { kind, name, prefix, tools } = source;
  return { kind, name, prefix, tools };
}

function remoteShape({ kind, id, target }: Remote): unknown {
  return { kind, id, target };
}

function workflowShape({ kind, id, description, steps }: Workflow): unknown {
  return { kind, id, description, steps: steps.map(stepShape) };
}

function stepShape(node: StepNode): unknown {
  const executor = node.type === "Step" ? (node.agent ?? node.team ?? node.workflow) : undefined;
  return {
    type: node.type,
    name: node.name,
    ...(node.type === "Loop" && { max: node.max }),
    ...(executor && { executor: definitionHash(executor) }),
    lists: childrenOf(node).map((list) => list.map(stepShape)),
  };
}
