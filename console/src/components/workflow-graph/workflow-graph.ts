/**
 * The graph of a workflow: a pure function of its definition (`GET /workflows/{workflow_id}`) and, for a run, of the states of its steps. Containers become frames around
 * their steps.
 */

/** A step of a definition as the interface shows it. */
export interface StepDefinition {
  readonly name?: string | null;
  readonly type?: string | null;
  readonly description?: string | null;
  readonly agent?: Executor | null;
  readonly team?: Executor | null;
  /** A nested workflow; its steps are known if this server hosts it. */
  readonly workflow?: (Executor & { readonly steps?: readonly StepDefinition[] | null }) | null;
  readonly steps?: readonly StepDefinition[] | null;
}

interface Executor {
  readonly id?: string | null;
  readonly name?: string | null;
}

export type StepState = "idle" | "running" | "done" | "failed" | "waiting" | "cancelled" | "skipped";

/** What is known of a step in a run. */
export interface StepFacts {
  readonly state: StepState;
  /** How often it has begun. */
  readonly times: number;
}

export interface GraphNode {
  readonly id: string;
  readonly label: string;
  /** `Step`, `Parallel`, `Condition`, `Loop`, `Router`, `Steps`, or the ends of the workflow. */
  readonly type: string;
  /** The component that the step executes: `agent Weather`. */
  readonly executor: string | undefined;
  readonly description: string | undefined;
  /** The frame around the node. */
  readonly parent: string | undefined;
  readonly isContainer: boolean;
  readonly facts: StepFacts;
}

export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Leads back to the first step of a loop. */
  readonly isBack: boolean;
}

export interface WorkflowGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

const idle: StepFacts = { state: "idle", times: 0 };

/** Steps that leave a part of the graph: the next step follows all of them. */
interface Part {
  readonly entries: readonly string[];
  readonly exits: readonly string[];
}

/** The steps inside a step: of a container, or of a nested workflow. */
export function innerSteps({ steps, workflow }: StepDefinition): readonly StepDefinition[] {
  return steps?.length ? steps : (workflow?.steps ?? []);
}

/** @param facts - of the steps of a run by name; the names in a nested workflow begin with its step: `plan/look` */
export function graphOf(
  steps: readonly StepDefinition[],
  facts: ReadonlyMap<string, StepFacts> = new Map(),
): WorkflowGraph {
  const nodes: GraphNode[] = [];
  const edges: GraphEdge[] = [];
  const connect = (from: string, to: string, isBack = false): void => {
    edges.push({ id: `${from}>${to}${isBack ? "<" : ""}`, from, to, isBack });
  };
  const add = (step: StepDefinition, path: string, parent: string | undefined, outer = ""): Part => {
    const { name, type, description, workflow } = step;
    const inner = innerSteps(step);
    const label = name ?? path;
    const isContainer = inner.length > 0;
    const within = isContainer && workflow ? `${outer}${label}/` : outer;
    nodes.push({
      ...{ id: path, label, type: type ?? "Step", executor: executorOf(step), description: description ?? undefined },
      ...{ parent, isContainer, facts: facts.get(outer + label) ?? idle },
    });
    if (!isContainer) return { entries: [path], exits: [path] };
    const children = inner.map((child, index) => add(child, `${path}/${index}`, path, within));
    if (type === "Parallel" || type === "Router" || type === "Condition") {
      // The definition lists the steps of both branches of a condition one after the other.
      return { entries: children.flatMap(({ entries }) => entries), exits: children.flatMap(({ exits }) => exits) };
    }
    chain(children);
    const first = children[0];
    const last = children.at(-1);
    // The frame of a loop shows that it repeats; an arrow back makes the order of several steps clear.
    if (type === "Loop" && first && last && first !== last)
      for (const from of last.exits) for (const to of first.entries) connect(from, to, true);
    return { entries: first?.entries ?? [path], exits: last?.exits ?? [path] };
  };
  const chain = (parts: readonly Part[]): void => {
    for (const [index, part] of parts.entries()) {
      const before = parts[index - 1];
      for (const from of before?.exits ?? []) for (const to of part.entries) connect(from, to);
    }
  };
  const parts = steps.map((step, index) => add(step, `${index}`, undefined));
  const start: Part = { entries: ["start"], exits: ["start"] };
  const end: Part = { entries: ["end"], exits: ["end"] };
  for (const [id, label] of [
    ["start", "Start"],
    ["end", "End"],
  ] as const)
    nodes.push({
      ...{ id, label, type: label, executor: undefined, description: undefined, parent: undefined },
      ...{ isContainer: false, facts: idle },
    });
  chain([start, ...parts, end]);
  return { nodes, edges };
}

function executorOf({ agent, team, workflow }: StepDefinition): string | undefined {
  for (const [kind, one] of Object.entries({ agent, team, workflow }))
    if (one) return `${kind} ${one.name ?? one.id ?? ""}`.trim();
  return undefined;
}

const stateWords: Readonly<Record<StepState, string>> = {
  idle: "not begun",
  running: "in progress",
  done: "completed",
  failed: "failed",
  waiting: "waits for an answer",
  cancelled: "cancelled",
  skipped: "skipped",
};

const typeWords: Readonly<Record<string, string>> = {
  Step: "step",
  Steps: "steps in order",
  Parallel: "steps in parallel",
  Condition: "steps under a condition",
  Loop: "steps in a loop",
  Router: "a choice of steps",
};

/** A line of the graph as a text, with its depth. */
export interface GraphLine {
  readonly id: string;
  readonly depth: number;
  readonly text: string;
}

/** The same facts as the picture, in words. @param isRun - whether states are known */
export function describeGraph({ nodes }: WorkflowGraph, isRun: boolean): readonly GraphLine[] {
  return nodes
    .filter(({ id }) => id !== "start" && id !== "end")
    .map(({ id, label, type, executor, facts: { state, times } }) => {
      const what = [`${label}: ${typeWords[type] ?? type}`, ...(executor ? [`executed by the ${executor}`] : [])];
      const often = times > 1 ? [`begun ${times} times`] : [];
      return {
        id,
        depth: id.split("/").length - 1,
        text: [...what, ...(isRun ? [stateWords[state], ...often] : [])].join(", "),
      };
    });
}

export { stateWords };
