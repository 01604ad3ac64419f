/**
 * Runs steps in their order and performs no I/O itself. Every result is recorded under a name, so that a run that is recovered, or continued after a
 * pause, passes the same steps and finds the recorded results. A finished step is never executed again.
 */
import type { StepNode } from "../../../define/workflow/types.ts";
import type { StepOutcome, StepRecord } from "../../../model/workflow.ts";
import { joinedPlaces } from "../../pause/waiting-calls.ts";
import { containerOutcome, flowAfter, parallelOutcome } from "./containers.ts";
import {
  type Effects,
  type Flow,
  type HumanInput,
  noHumanInput,
  StepFailure,
  StepSkipped,
  StepsPaused,
} from "./effects.ts";
import { runLeaf } from "./leaf.ts";
import { type Place, placesOf } from "./places.ts";
import { ask, askBefore } from "./questions.ts";

/** The outcome of a list of steps. */
export interface Sequence {
  readonly outcomes: readonly StepOutcome[];
  readonly flow: Flow;
  /** Whether a step ended the workflow early. */
  readonly stops: boolean;
}

type Above = { readonly place: Place; readonly pass?: number; readonly list?: string };

/** Runs a list of steps one after the other. */
export async function runSequence(
  effects: Effects,
  nodes: readonly StepNode[],
  start: Flow,
  above?: Above,
): Promise<Sequence> {
  const outcomes: StepOutcome[] = [];
  let flow = start;
  for (const place of placesOf(effects.workflowId, nodes, above)) {
    const outcome = await runStep(effects, place, flow);
    if (!outcome) continue;
    outcomes.push(outcome);
    flow = flowAfter(flow, outcome);
    if (outcome.record.stop) return { outcomes, flow, stops: true };
  }
  return { outcomes, flow, stops: false };
}

interface Skipped {
  readonly skipped: true;
}

/** Runs one step; undefined when the step is skipped. */
async function runStep(effects: Effects, place: Place, flow: Flow): Promise<StepOutcome | undefined> {
  const name = `step:${place.path}`;
  const recorded = effects.mark(name) as StepOutcome | Skipped | undefined;
  if (recorded !== undefined) return "skipped" in recorded ? undefined : recorded;
  const outcome = await runAsked(effects, place, flow).catch((error: unknown) => {
    if (error instanceof StepSkipped) return undefined;
    throw error;
  });
  if (outcome === undefined) {
    effects.setMark(name, { skipped: true });
    await effects.commit();
  }
  return outcome;
}

async function runAsked(effects: Effects, place: Place, flow: Flow): Promise<StepOutcome | undefined> {
  const human = askBefore(effects, place, flow);
  return human === "skip" ? undefined : await runNode(effects, place, flow, human);
}

async function runNode(
  effects: Effects,
  place: Place,
  flow: Flow,
  human: HumanInput | "else",
): Promise<StepOutcome | undefined> {
  const { node } = place;
  const input = human === "else" ? noHumanInput : human;
  switch (node.type) {
    case "Step":
      return await runLeaf(effects, place, flow, input);
    case "Steps":
      return await runGroup(effects, place, flow);
    case "Parallel":
      return await runParallel(effects, place, flow);
    case "Condition":
      return await runCondition(effects, place, flow, human);
    case "Loop":
      return await runLoop(effects, place, flow);
    case "Router":
      return await runRouter(effects, place, flow);
  }
}

/** Records a container's plan and emits its start event, once only. */
async function begin<Plan>(
  effects: Effects,
  place: Place,
  event: string,
  plan: () => Promise<Plan>,
  fields: (plan: Plan) => Readonly<Record<string, unknown>>,
): Promise<Plan> {
  const known = effects.mark(`plan:${place.path}`) as { readonly plan: Plan } | undefined;
  if (known) return known.plan;
  const made = await plan();
  effects.setMark(`plan:${place.path}`, { plan: made });
  effects.emit(place, event, fields(made));
  await effects.commit();
  return made;
}

async function finish(
  effects: Effects,
  place: Place,
  outcome: StepOutcome,
  event: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<StepOutcome> {
  effects.setMark(`step:${place.path}`, outcome);
  effects.emit(place, event, fields);
  await effects.commit();
  return outcome;
}

async function runGroup(effects: Effects, place: Place, flow: Flow): Promise<StepOutcome> {
  const node = place.node as Extract<StepNode, { type: "Steps" }>;
  await begin(
    effects,
    place,
    "StepsExecutionStarted",
    async () => node.steps.length,
    (steps_count) => ({ steps_count }),
  );
  const inner = await runSequence(effects, node.steps, flow, { place });
  const records = inner.outcomes.map(({ record }) => record);
  const outcome = containerOutcome(place, inner, `Steps ${node.name} completed with ${records.length} results`);
  return await finish(effects, place, outcome, "StepsExecutionCompleted", {
    steps_count: node.steps.length,
    executed_steps: records.length,
    step_results: records,
  });
}

/** The block waits for all its steps: if one fails or waits for a person, the results of the others are kept. */
async function runParallel(effects: Effects, place: Place, flow: Flow): Promise<StepOutcome> {
  const node = place.node as Extract<StepNode, { type: "Parallel" }>;
  const count = { parallel_step_count: node.steps.length };
  await begin(
    effects,
    place,
    "ParallelExecutionStarted",
    async () => null,
    () => count,
  );
  const places = placesOf(effects.workflowId, node.steps, { place });
  const ends = await Promise.allSettled(places.map((inner) => runStep(effects, inner, flow)));
  const thrown = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  const firstError =
    thrown.find((error) => !(error instanceof StepsPaused) && !(error instanceof StepFailure)) ??
    thrown.find((error) => error instanceof StepFailure);
  if (firstError) throw firstError;
  const pauses = thrown.filter((error) => error instanceof StepsPaused);
  if (pauses.length > 0) {
    const kind = pauses.some((pause) => pause.kind === "step") ? "step" : "executor";
    throw new StepsPaused(
      pauses.flatMap(({ requirements }) => requirements),
      kind,
      joinedPlaces(pauses.map(({ calls }) => calls)),
    );
  }
  const outcomes = ends.flatMap((end) => (end.status === "fulfilled" && end.value ? [end.value] : []));
  const outcome = parallelOutcome(place, outcomes);
  return await finish(effects, place, outcome, "ParallelExecutionCompleted", {
    ...count,
    step_results: outcomes.map(({ record }) => record),
  });
}

async function runCondition(
  effects: Effects,
  place: Place,
  flow: Flow,
  human: HumanInput | "else",
): Promise<StepOutcome> {
  const node = place.node as Extract<StepNode, { type: "Condition" }>;
  const result = await begin(
    effects,
    place,
    "ConditionExecutionStarted",
    async () => human !== "else" && Boolean(await effects.call(place, flow, human, node.if)),
    (condition_result) => ({ condition_result }),
  );
  const branch = result ? "if" : "else";
  const nodes = result ? node.steps : node.else;
  const inner = await runSequence(effects, nodes, flow, { place, list: result ? "" : "else" });
  const records = inner.outcomes.map(({ record }) => record);
  const text = `Condition ${node.name} completed with ${records.length} results (${branch} branch)`;
  return await finish(effects, place, containerOutcome(place, inner, text), "ConditionExecutionCompleted", {
    condition_result: result,
    executed_steps: records.length,
    branch,
    step_results: records,
  });
}

async function runLoop(effects: Effects, place: Place, flow: Flow): Promise<StepOutcome> {
  const node = place.node as Extract<StepNode, { type: "Loop" }>;
  const bound = { max_iterations: node.max };
  await begin(
    effects,
    place,
    "LoopExecutionStarted",
    async () => null,
    () => bound,
  );
  const all: (readonly StepRecord[])[] = [];
  let last: Sequence = { outcomes: [], flow, stops: false };
  for (let pass = 1; pass <= node.max; pass++) {
    const iteration = { ...place, path: `${place.path}@${pass}` };
    const iterationFields = { iteration: pass, ...bound };
    await begin(
      effects,
      iteration,
      "LoopIterationStarted",
      async () => null,
      () => iterationFields,
    );
    last = await runSequence(effects, node.steps, last.flow, { place, pass });
    const records = last.outcomes.map(({ record }) => record);
    all.push(records);
    const hasNextPass = await decideNextPass(
      effects,
      iteration,
      node,
      last,
      { ...iterationFields, iteration_results: records },
      pass,
    );
    if (!hasNextPass) break;
  }
  const steps = all.flat();
  const text = `Loop ${node.name} completed ${all.length} iterations with ${steps.length} total steps`;
  const outcome = containerOutcome(place, last, text, steps);
  return await finish(effects, place, outcome, "LoopExecutionCompleted", {
    total_iterations: all.length,
    ...bound,
    all_results: all,
  });
}

/** Decides, once only, whether another pass follows. */
async function decideNextPass(
  effects: Effects,
  place: Place,
  node: Extract<StepNode, { type: "Loop" }>,
  { flow, stops }: Sequence,
  fields: Readonly<Record<string, unknown>>,
  pass: number,
): Promise<boolean> {
  const name = `pass:${place.path}`;
  const known = effects.mark(name) as { readonly goesOn: boolean } | undefined;
  if (known) return known.goesOn;
  const isDone = stops || (node.until ? Boolean(await effects.call(place, flow, noHumanInput, node.until)) : false);
  const goesOn = !isDone && pass < node.max;
  effects.setMark(name, { goesOn });
  effects.emit(place, "LoopIterationCompleted", { ...fields, should_continue: goesOn });
  await effects.commit();
  return goesOn;
}

async function runRouter(effects: Effects, place: Place, flow: Flow): Promise<StepOutcome> {
  const node = place.node as Extract<StepNode, { type: "Router" }>;
  const selected = await begin(
    effects,
    place,
    "RouterExecutionStarted",
    () => select(effects, place, node, flow),
    (selected_steps) => ({ selected_steps }),
  );
  // The selected steps run in the order of selection; their places are their places in the definition.
  const places = placesOf(effects.workflowId, node.choices, { place });
  const outcomes: StepOutcome[] = [];
  let inner = flow;
  let stops = false;
  for (const name of selected) {
    const choice = places.find((one) => one.name === name);
    const outcome = choice && (await runStep(effects, choice, inner));
    if (!outcome) continue;
    outcomes.push(outcome);
    inner = flowAfter(inner, outcome);
    stops = outcome.record.stop;
    if (stops) break;
  }
  const records = outcomes.map(({ record }) => record);
  const text = `Router ${node.name} completed with ${records.length} results`;
  const outcome = containerOutcome(place, { outcomes, flow: inner, stops }, text);
  return await finish(effects, place, outcome, "RouterExecutionCompleted", {
    selected_steps: selected,
    executed_steps: records.length,
    step_results: records,
  });
}

async function select(
  effects: Effects,
  place: Place,
  node: Extract<StepNode, { type: "Router" }>,
  flow: Flow,
): Promise<readonly string[]> {
  const names = node.choices.map(({ name }) => name);
  if (!node.choose) {
    const question = {
      requires_route_selection: true,
      available_choices: names,
      allow_multiple_selections: node.several,
    };
    return ask(effects, place, flow, `${place.path}:route`, question, "RouterPaused").selectedChoices ?? [];
  }
  const chosen = [await effects.call(place, flow, noHumanInput, node.choose)].flat() as string[];
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const choices = names.join(", ");
    throw new StepFailure(`The router ${node.name} chose ${JSON.stringify(unknown)}, but its choices are: ${choices}.`);
  }
  return [...new Set(chosen)];
}
