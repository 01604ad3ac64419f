import { ConfigurationError } from "../errors.ts";
import { type Known, refuseUnknown } from "./checks.ts";
import { checkIdentity } from "./component.ts";
import { isNode, stepOf } from "./steps.ts";
import type { Executor, StepNode, Workflow, WorkflowOptions } from "./workflow-types.ts";

const workflowOptions: Known<WorkflowOptions> = {
  ...{ id: true, name: true, description: true, steps: true, input: true, output: true, sessionState: true },
  ...{ dependencies: true, timeout: true, onDefinitionChange: true, sessionPolicy: true },
};

/**
 * Describes a workflow.
 *
 * @example
 * ```ts
 * const article = defineWorkflow({
 *   id: "article",
 *   steps: [researcher, step({ name: "publish", run: ({ previous }) => `Published: ${previous}`, confirm: "Publish it?" })],
 * });
 * ```
 * @throws ConfigurationError naming the workflow and the fix
 */
export function defineWorkflow(options: WorkflowOptions): Workflow {
  checkIdentity("Workflow", options);
  const title = `Workflow "${options.id}"`;
  refuseUnknown(title, options, workflowOptions);
  if (!Array.isArray(options.steps) || options.steps.length === 0)
    throw new ConfigurationError(`${title} has no steps: give it at least one.`);
  const steps = options.steps.map((item, place) => toNode(title, item, place));
  refuseTwins(title, steps);
  return Object.freeze({ ...options, kind: "workflow", name: options.name ?? options.id, steps });
}

function toNode(title: string, item: unknown, place: number): StepNode {
  if (isNode(item)) return item;
  const made = stepOf(item);
  if (made) return made;
  const makers = "step, steps, parallel, condition, loop or router";
  throw new ConfigurationError(
    `${title}: number ${place + 1} of its steps is neither an agent, a team or a workflow, nor was it made by ${makers}.`,
  );
}

/** Steps are found by their names. */
function refuseTwins(title: string, nodes: readonly StepNode[], seen: Set<string> = new Set()): void {
  for (const node of nodes) {
    if (seen.has(node.name))
      throw new ConfigurationError(`${title} has two steps named "${node.name}": steps are found by their names.`);
    seen.add(node.name);
    for (const inner of childrenOf(node)) refuseTwins(title, inner, seen);
  }
}

/** The lists of steps inside a container. */
export function childrenOf(node: StepNode): readonly (readonly StepNode[])[] {
  switch (node.type) {
    case "Step":
      return [];
    case "Condition":
      return [node.steps, node.else];
    case "Router":
      return [node.choices];
    default:
      return [node.steps];
  }
}

/** What a workflow's steps have executed. */
export function executorsOf(workflow: Workflow): readonly Executor[] {
  const found: Executor[] = [];
  const visit = (node: StepNode): void => {
    for (const list of childrenOf(node)) list.forEach(visit);
    if (node.type !== "Step") return;
    const executor = node.agent ?? node.team ?? node.workflow;
    if (executor) found.push(executor);
  };
  workflow.steps.forEach(visit);
  return found;
}
