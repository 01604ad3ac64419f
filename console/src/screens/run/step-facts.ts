/** States of a workflow's steps in a run, from its timeline. */
import type { StepFacts, StepState } from "../../components/workflow-graph/workflow-graph.ts";
import type { RowState } from "./row-kinds.ts";
import type { Timeline, TimelineRow } from "./timeline.ts";

const states: Readonly<Record<RowState, StepState>> = {
  ...{ running: "running", done: "done", failed: "failed", waiting: "waiting", cancelled: "cancelled", cut: "running" },
  refused: "failed",
};

/** @param names - of all steps of the workflow: those that a run has passed by are skipped when it is over */
export function stepFactsOf({ root }: Timeline, names: readonly string[]): ReadonlyMap<string, StepFacts> {
  const facts = new Map<string, StepFacts>();
  if (!root) return facts;
  // The names in a nested workflow, which is a run of its own, begin with its step.
  const read = (above: TimelineRow, outer: string, step: string): void => {
    for (const row of above.children) {
      const within = row.runId === above.runId ? outer : `${outer}${step}/`;
      const isStep = row.kind === "step" && row.detail !== "Iteration";
      if (isStep) {
        const before = facts.get(within + row.label);
        // A takeover begins a step again; that is the same time.
        const times = (before?.times ?? 0) + (row.state === "cut" ? 0 : 1);
        facts.set(within + row.label, { state: states[row.state], times });
      }
      read(row, within, isStep ? row.label : step);
    }
  };
  read(root, "", "");
  const wait = root.children.findLast(({ kind }) => kind === "wait");
  if (wait?.state === "waiting" && wait.detail !== undefined)
    facts.set(wait.detail, { state: "waiting", times: facts.get(wait.detail)?.times ?? 0 });
  if (root.state === "done")
    for (const name of names) if (!facts.has(name)) facts.set(name, { state: "skipped", times: 0 });
  return facts;
}
