/** Steps of workflows in configs. */
import { ConfigurationError } from "../../errors.ts";
import type { StepType } from "../../model/workflow.ts";
import { suggestion } from "../checks.ts";
import { condition, loop, parallel, router, step, stepOf, steps } from "../workflow/steps.ts";
import type { StepNode } from "../workflow/types.ts";
import { type BuildParts, findPart } from "./parts.ts";
import { fitStep, type StepConfig, stepNames } from "./shapes.ts";

/** The function that defines each type of step. */
const makers: Readonly<Record<StepType, (options: never) => StepNode>> = {
  ...{ Step: step, Steps: steps, Parallel: parallel, Condition: condition, Loop: loop, Router: router },
};

/** Options that name a function. */
const functions = ["run", "input", "if", "until", "choose"] as const;
/** Options that contain steps. */
const lists = ["steps", "else", "choices"] as const;
const executors = ["agent", "team", "workflow"] as const;

/** Returns the steps of a list. An id stands for a step that executes this component. @throws ConfigurationError naming the step and the fix */
export function toNodes(title: string, list: readonly unknown[], build: BuildParts): readonly StepNode[] {
  return list.map((item) => toNode(title, item, build));
}

function toNode(workflow: string, item: unknown, build: BuildParts): StepNode {
  if (typeof item === "string") return stepOf(build.find(workflow, executors, item)) as StepNode;
  const { type = "Step", name } = (item ?? {}) as { readonly type?: unknown; readonly name?: unknown };
  const title = `${workflow}, step ${JSON.stringify(name) ?? "without a name"}`;
  const known = stepNames.find((one) => one === type);
  if (known === undefined)
    throw new ConfigurationError(
      `${title}: its type ${JSON.stringify(type)} is unknown: ${suggestion(String(type), stepNames)}`,
    );
  const options = fitStep(title, known, item);
  const made: Record<string, unknown> = { ...options };
  for (const option of pick(options, functions))
    made[option] = findPart(title, option, options[option] as string, build.parts.functions);
  for (const kind of pick(options, executors)) made[kind] = build.find(title, [kind], options[kind] as string);
  for (const option of pick(options, lists)) made[option] = toNodes(workflow, options[option] as unknown[], build);
  if (options.output !== undefined)
    made.output = findPart(title, "output", options.output as string, build.parts.schemas);
  return makers[known](made as never);
}

function pick<Name extends string>(options: StepConfig, names: readonly Name[]): readonly Name[] {
  return names.filter((name) => options[name] !== undefined);
}
