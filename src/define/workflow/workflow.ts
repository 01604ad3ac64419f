import type { z } from "zod";
import { ConfigurationError } from "../../errors.ts";
import { type Known, refuseUnknown } from "../checks.ts";
import { checkA2aAnswers, checkIdentity } from "../component.ts";
import type { ContentOf } from "../component-types.ts";
import { runnable } from "../runnable.ts";
import { type ChainedSteps, type ChainTypes, type StepChain, stepsOf } from "./step-chain.ts";
import { isNode, stepOf } from "./steps.ts";
import type { Executor, StepList, StepNode, Workflow, WorkflowOptions } from "./types.ts";

const workflowOptions: Known<WorkflowOptions> = {
  ...{ id: true, name: true, description: true, steps: true, input: true, output: true, sessionState: true },
  ...{
    dependencies: true,
    timeout: true,
    limits: true,
    onDefinitionChange: true,
    sessionPolicy: true,
    inputModes: true,
    a2aAnswer: true,
  },
};

/**
 * Defines a workflow.
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
export function defineWorkflow<
  const Id extends string = string,
  State extends object = Record<string, unknown>,
  Dependencies extends object = Readonly<Record<string, unknown>>,
  Input extends z.ZodType | undefined = undefined,
  Output extends z.ZodType | undefined = undefined,
  Last extends ChainTypes = ChainTypes,
>(
  options: WorkflowOptions<
    Id,
    State,
    Dependencies,
    Input,
    Output,
    StepList | ((chain: StepChain<FirstTypes<Input, State, Dependencies>>) => StepChain<Last>)
  >,
): Workflow<{
  readonly id: Id;
  readonly input: string | (Input extends z.ZodType ? z.input<Input> : string);
  readonly sessionState: State;
  readonly dependencies: Dependencies;
  readonly content: ContentOf<Output, Last["previous"] | Last["ends"]>;
}>;
export function defineWorkflow(
  options: Omit<WorkflowOptions, "steps"> & { readonly steps: StepList | ChainedSteps },
): Workflow {
  checkIdentity("Workflow", options);
  const title = `Workflow "${options.id}"`;
  refuseUnknown(title, options, workflowOptions);
  checkA2aAnswers(title, options);
  const list = typeof options.steps === "function" ? stepsOf(options.steps) : options.steps;
  if (!Array.isArray(list) || list.length === 0)
    throw new ConfigurationError(`${title} has no steps: give it at least one.`);
  const steps = list.map((item, place) => toNode(title, item, place));
  refuseTwins(title, steps);
  const { steps: _, ...rest } = options;
  return runnable({ ...rest, kind: "workflow", name: options.name ?? options.id, steps });
}

/** The types for the first step of a workflow. */
interface FirstTypes<Input, State extends object, Dependencies extends object> extends ChainTypes {
  readonly input: Input extends z.ZodType ? z.output<Input> : string;
  readonly previous: Input extends z.ZodType ? z.output<Input> : string;
  readonly sessionState: State;
  readonly dependencies: Dependencies;
  readonly outputs: unknown;
  readonly made: unknown;
  readonly names: never;
  readonly ends: never;
  readonly isParallel: false;
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

/** Names of steps are unique in a workflow, because steps are found by name. */
function refuseTwins(title: string, nodes: readonly StepNode[], seen: Set<string> = new Set()): void {
  for (const node of nodes) {
    if (seen.has(node.name))
      throw new ConfigurationError(`${title} has two steps named "${node.name}": steps are found by their names.`);
    seen.add(node.name);
    for (const inner of childrenOf(node)) refuseTwins(title, inner, seen);
  }
}

/** Returns the lists of steps inside a container. */
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

/** Returns the agents, teams and workflows that the steps of a workflow execute. */
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
