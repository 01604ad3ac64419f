/** Steps of workflows: leaf steps, which do work, and containers, which hold other steps. */
import { ConfigurationError } from "../../errors.ts";
import type { Media } from "../../model/run/message.ts";
import type { Agent } from "../agent.ts";
import { type Check, checkAll, type Known, oneOf, positive, refuseFactories, refuseUnknown } from "../checks.ts";
import type { Team } from "../team.ts";
import type {
  CommonStepOptions,
  ConditionNode,
  Executor,
  GroupNode,
  LeafNode,
  LoopNode,
  OnReject,
  OnTimeout,
  ParallelNode,
  RouterNode,
  StepFunction,
  StepList,
  StepNode,
  StepOptions,
  Workflow,
} from "./types.ts";

const tag: unique symbol = Symbol("step output");

/** A step function's result with more than content. */
export interface StepReturn<Content = unknown> {
  readonly [tag]: true;
  readonly content: Content;
  readonly media?: readonly Media[] | undefined;
  readonly stop: boolean;
}

/** Makes a step function's result with more than content: `media` for the next step, and `stop` to end the workflow early as completed. */
export function stepOutput<Content>(output: {
  readonly content: Content;
  readonly media?: readonly Media[];
  readonly stop?: boolean;
}): StepReturn<Content> {
  return { [tag]: true, content: output.content, media: output.media, stop: output.stop ?? false };
}

/** Returns whether `stepOutput` made the value. */
export function isStepReturn(value: unknown): value is StepReturn {
  return typeof value === "object" && value !== null && tag in value;
}

const nodes = new WeakSet<object>();

/** Returns whether a function of this file made the value. */
export function isNode(item: unknown): item is StepNode {
  return typeof item === "object" && item !== null && nodes.has(item);
}

function made<Node extends StepNode>(node: Node): Node {
  nodes.add(node);
  return Object.freeze(node);
}

/** Returns a component as a step with the component's name; undefined for any other value. */
export function stepOf(item: unknown): LeafNode | undefined {
  const { kind } = (item ?? {}) as { kind?: unknown };
  if (kind === "agent") return step({ name: (item as Agent).name, agent: item as Agent });
  if (kind === "team") return step({ name: (item as Team).name, team: item as Team });
  if (kind === "workflow") return step({ name: (item as Workflow).name, workflow: item as Workflow });
  return undefined;
}

function listOf(title: string, list: StepList): readonly StepNode[] {
  if (!Array.isArray(list) || list.length === 0)
    throw new ConfigurationError(`${title} has no steps: give it at least one.`);
  return list.map((item, place) => {
    const node = isNode(item) ? item : stepOf(item);
    if (!node) throw new ConfigurationError(`${title}: number ${place + 1} of its steps is none.`);
    return node;
  });
}

const common: Known<CommonStepOptions> = {
  ...{ name: true, description: true, confirm: true, onReject: true },
  ...{ answerTimeout: true, onTimeout: true },
};

const leaf: Known<StepOptions> = {
  ...common,
  ...{ agent: true, team: true, workflow: true, run: true, input: true, output: true, retries: true, timeout: true },
  ...{ onError: true, userInput: true, review: true },
};

const leafChecks: Readonly<Record<string, Check>> = {
  timeout: positive,
  onError: oneOf(["fail", "skip", "pause"]),
};

const retryChecks: Readonly<Record<string, Check>> = {
  "retries.times": (value) =>
    Number.isInteger(value) && Number(value) >= 0 ? undefined : "must be a whole number, 0 or more",
  "retries.delay": (value) =>
    Number.isFinite(value) && Number(value) >= 0 ? undefined : "must be a number, 0 or more",
  "retries.factor": positive,
};

/** Rejects invalid `retries`. */
function checkRetries(title: string, retries: unknown): void {
  if (retries === undefined) return;
  if (typeof retries !== "object" || retries === null)
    throw new ConfigurationError(`${title}: retries must be an object, for instance { times: 2 }.`);
  refuseUnknown(`${title}: retries`, retries, { times: true, delay: true, factor: true });
  const { times = null, delay, factor } = retries as { times?: unknown; delay?: unknown; factor?: unknown };
  checkAll(title, { "retries.times": times, "retries.delay": delay, "retries.factor": factor }, retryChecks);
}

function titleOf(maker: string, options: CommonStepOptions): string {
  const { name } = options;
  if (typeof name !== "string" || name.trim() === "" || !name.isWellFormed() || name.includes("\0"))
    throw new ConfigurationError(`${maker}: give it a name, which is a text that is not empty.`);
  return `${maker} "${name}"`;
}

function checkRejection(title: string, { onReject }: CommonStepOptions, allowed: readonly OnReject[]): void {
  if (onReject !== undefined && !allowed.includes(onReject))
    throw new ConfigurationError(`${title}: onReject "${onReject}" is not for it; use ${allowed.join(", ")}.`);
}

const timeouts: readonly OnTimeout[] = ["approve", "skip", "cancel"];

/** @param needsMore why an approval alone does not answer the step's question; undefined when it does */
function checkTimeout(title: string, { answerTimeout, onTimeout }: CommonStepOptions, needsMore?: string): void {
  if (answerTimeout !== undefined && !(Number.isFinite(answerTimeout) && answerTimeout > 0))
    throw new ConfigurationError(`${title}: answerTimeout must be a number of milliseconds above 0.`);
  if (onTimeout === undefined) return;
  if (!timeouts.includes(onTimeout))
    throw new ConfigurationError(`${title}: onTimeout "${onTimeout}" is none; use ${timeouts.join(", ")}.`);
  if (answerTimeout === undefined)
    throw new ConfigurationError(`${title}: onTimeout is of no effect without answerTimeout.`);
  if (onTimeout === "approve" && needsMore !== undefined)
    throw new ConfigurationError(`${title}: onTimeout "approve" is not for it: ${needsMore}. Use skip or cancel.`);
}

/**
 * Defines a step that does work.
 *
 * @throws ConfigurationError naming the step and the fix
 */
export function step(options: StepOptions): LeafNode {
  const title = titleOf("Step", options);
  refuseUnknown(title, options, leaf);
  checkAll(title, options, leafChecks);
  checkRetries(title, options.retries);
  const { agent, team, workflow, run } = options;
  const executors = [agent, team, workflow, run].filter((item) => item !== undefined);
  if (executors.length !== 1)
    throw new ConfigurationError(`${title} needs exactly one of agent, team, workflow and run.`);
  refuseFactories(title, executors);
  const kinds = { agent, team, workflow };
  for (const [kind, component] of Object.entries(kinds)) {
    if (component && component.kind !== kind) throw new ConfigurationError(`${title}: its ${kind} is none.`);
  }
  if (run !== undefined && typeof run !== "function") throw new ConfigurationError(`${title}: run must be a function.`);
  checkRejection(title, options, ["skip", "cancel", "retry"]);
  const entersValues = options.userInput?.fields.some(({ required }) => required !== false);
  checkTimeout(title, options, entersValues ? "a person enters values" : undefined);
  return made({ ...options, type: "Step" });
}

/** Groups steps that run one after the other. */
export function steps(options: CommonStepOptions<"skip" | "cancel"> & { readonly steps: StepList }): GroupNode {
  const title = titleOf("Steps", options);
  refuseUnknown(title, options, { ...common, steps: true });
  checkRejection(title, options, ["skip", "cancel"]);
  checkTimeout(title, options);
  return made({ ...options, type: "Steps", steps: listOf(title, options.steps) });
}

/** Runs steps in parallel. Each receives the content of the step before the block; the content of the block has a heading for each step. */
export function parallel(options: CommonStepOptions<"skip" | "cancel"> & { readonly steps: StepList }): ParallelNode {
  const title = titleOf("Parallel", options);
  refuseUnknown(title, options, { ...common, steps: true });
  checkRejection(title, options, ["skip", "cancel"]);
  checkTimeout(title, options);
  return made({ ...options, type: "Parallel", steps: listOf(title, options.steps) });
}

/** Runs `steps` when `if` returns true, otherwise the steps of `else`. */
export function condition(
  options: CommonStepOptions<"skip" | "cancel" | "else"> & {
    readonly if: StepFunction<boolean>;
    readonly steps: StepList;
    readonly else?: StepList;
  },
): ConditionNode {
  const title = titleOf("Condition", options);
  refuseUnknown(title, options, { ...common, if: true, steps: true, else: true });
  if (typeof options.if !== "function") throw new ConfigurationError(`${title}: if must be a function.`);
  checkRejection(title, options, ["skip", "cancel", "else"]);
  checkTimeout(title, options);
  const otherwise = options.else ? listOf(title, options.else) : [];
  return made({ ...options, type: "Condition", steps: listOf(title, options.steps), else: otherwise });
}

/** Repeats its steps until `until` returns true, at most `max` times. */
export function loop(
  options: CommonStepOptions<"skip" | "cancel"> & {
    readonly steps: StepList;
    readonly max: number;
    readonly until?: StepFunction<boolean>;
  },
): LoopNode {
  const title = titleOf("Loop", options);
  refuseUnknown(title, options, { ...common, steps: true, max: true, until: true });
  if (!(Number.isInteger(options.max) && options.max > 0))
    throw new ConfigurationError(`${title}: max must be a whole number above 0.`);
  checkRejection(title, options, ["skip", "cancel"]);
  checkTimeout(title, options);
  return made({ ...options, type: "Loop", until: options.until, steps: listOf(title, options.steps) });
}

/** Runs one or more of its choices, selected by name. Without `choose`, a person selects; `several` lets the person select more than one. */
export function router(
  options: CommonStepOptions<"skip" | "cancel"> & {
    readonly choices: StepList;
    readonly choose?: StepFunction<string | readonly string[]>;
    readonly several?: boolean;
  },
): RouterNode {
  const title = titleOf("Router", options);
  refuseUnknown(title, options, { ...common, choices: true, choose: true, several: true });
  checkRejection(title, options, ["skip", "cancel"]);
  checkTimeout(title, options, options.choose ? undefined : "a person chooses");
  const choices = listOf(title, options.choices);
  return made({ ...options, type: "Router", choose: options.choose, several: options.several ?? false, choices });
}

/** Returns a step whose executors, at any depth, are replaced; the same step if none of them changes. */
export function withExecutors(node: StepNode, replace: <Item extends Executor>(executor: Item) => Item): StepNode {
  switch (node.type) {
    case "Step": {
      const { agent, team, workflow } = node;
      const executor = agent ?? team ?? workflow;
      if (executor === undefined) return node;
      const other = replace(executor);
      return other === executor ? node : made({ ...node, [other.kind]: other } as LeafNode);
    }
    case "Condition": {
      const [inner, otherwise] = [replaceIn(node.steps, replace), replaceIn(node.else, replace)];
      return inner === node.steps && otherwise === node.else ? node : made({ ...node, steps: inner, else: otherwise });
    }
    case "Router": {
      const choices = replaceIn(node.choices, replace);
      return choices === node.choices ? node : made({ ...node, choices });
    }
    default: {
      const inner = replaceIn(node.steps, replace);
      return inner === node.steps ? node : made({ ...node, steps: inner });
    }
  }
}

function replaceIn(list: readonly StepNode[], replace: Parameters<typeof withExecutors>[1]): readonly StepNode[] {
  const replaced = list.map((node) => withExecutors(node, replace));
  return replaced.every((node, place) => node === list[place]) ? list : replaced;
}
