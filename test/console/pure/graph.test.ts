/** The graph of a workflow, from its definition and the log of a run. */
import { describe, expect, test } from "vitest";
import { placesOf } from "../../../console/src/components/workflow-graph/layout.ts";
import {
  describeGraph,
  graphOf,
  type StepDefinition,
} from "../../../console/src/components/workflow-graph/workflow-graph.ts";
import type { LogEvent } from "../../../console/src/screens/run/log-event.ts";
import { stepFactsOf } from "../../../console/src/screens/run/step-facts.ts";
import { timelineOf } from "../../../console/src/screens/run/timeline.ts";

const step = (name: string, more: StepDefinition = {}): StepDefinition => ({ name, type: "Step", ...more });
const steps: readonly StepDefinition[] = [
  step("look", { agent: { id: "weather", name: "Weather" } }),
  { name: "both", type: "Parallel", steps: [step("left"), step("right")] },
  { name: "again", type: "Loop", steps: [step("draft"), step("check")] },
  { name: "if", type: "Condition", steps: [step("then"), step("else")] },
  { name: "which", type: "Router", steps: [step("one", { workflow: { id: "nested", name: "Nested" } }), step("two")] },
];

function links(definition: readonly StepDefinition[]): string[] {
  const { nodes, edges } = graphOf(definition);
  const names = new Map(nodes.map(({ id, label }) => [id, label]));
  return edges.map(({ from, to, isBack }) => `${names.get(from)}${isBack ? " ~> " : " > "}${names.get(to)}`);
}

describe("the graph of a workflow", () => {
  test("the edges follow the order of the steps through containers", () => {
    expect(links(steps)).toEqual([
      "draft > check",
      "check ~> draft",
      "Start > look",
      "look > left",
      "look > right",
      "left > draft",
      "right > draft",
      "check > then",
      "check > else",
      "then > one",
      "then > two",
      "else > one",
      "else > two",
      "one > End",
      "two > End",
    ]);
    expect(links([])).toEqual(["Start > End"]);
  });

  test("every frame encloses its steps, and no two steps overlap", () => {
    const graph = graphOf(steps);
    const places = placesOf(graph);
    for (const { id, parent } of graph.nodes) {
      const own = places.get(id);
      const frame = places.get(parent ?? "");
      if (!own || !frame) continue;
      expect(own.x).toBeGreaterThanOrEqual(0);
      expect(own.y).toBeGreaterThanOrEqual(0);
      expect(own.x + own.width).toBeLessThanOrEqual(frame.width);
      expect(own.y + own.height).toBeLessThanOrEqual(frame.height);
    }
    const top = graph.nodes.filter(({ parent }) => parent === undefined).map(({ id }) => places.get(id));
    for (const [index, one] of top.entries())
      for (const other of top.slice(index + 1))
        if (one && other) expect(one.y + one.height <= other.y || other.y + other.height <= one.y).toBe(true);
  });

  test("the text has the types, the executors and, for a run, the states of the steps", () => {
    const flow = { workflow_id: "w", workflow_name: "Flow", run_id: "r", created_at: 1 };
    const log = [
      ["WorkflowStarted"],
      ["StepStarted", { step_id: "1", step_name: "look" }],
      ["StepCompleted", { step_id: "1", step_name: "look", step_response: { success: true } }],
      ["LoopExecutionStarted", { step_id: "2", step_name: "again" }],
      ["LoopIterationStarted", { step_id: "2", step_name: "again", iteration: 1 }],
      ["StepStarted", { step_id: "3", step_name: "draft", parent_step_id: "2" }],
      ["StepCompleted", { step_id: "3", step_name: "draft", parent_step_id: "2", step_response: { success: true } }],
      ["LoopIterationCompleted", { step_id: "2", step_name: "again", iteration: 1 }],
      ["LoopIterationStarted", { step_id: "2", step_name: "again", iteration: 2 }],
      ["StepStarted", { step_id: "3", step_name: "draft", parent_step_id: "2" }],
      ["WorkflowPaused", { paused_step_name: "draft", pause_kind: "step" }],
    ].map(([event, fields], event_index) => ({ event, event_index, ...flow, ...(fields as object) }) as LogEvent);
    const facts = stepFactsOf(timelineOf(log), []);
    const lines = describeGraph(graphOf(steps, facts), true).map(({ depth, text }) => `${depth} ${text}`);
    expect(lines.slice(0, 7)).toEqual([
      "0 look: step, executed by the agent Weather, completed",
      "0 both: steps in parallel, not begun",
      "1 left: step, not begun",
      "1 right: step, not begun",
      "0 again: steps in a loop, in progress",
      "1 draft: step, waits for an answer, begun 2 times",
      "1 check: step, not begun",
    ]);
    expect(describeGraph(graphOf(steps), false)[0]?.text).toBe("look: step, executed by the agent Weather");
  });

  test("steps that a completed run has passed by are skipped", () => {
    const log = ["WorkflowStarted", "WorkflowCompleted"].map(
      (event, event_index) => ({ event, event_index, run_id: "r", workflow_id: "w", created_at: 1 }) as LogEvent,
    );
    expect(stepFactsOf(timelineOf(log), ["then"]).get("then")?.state).toBe("skipped");
  });
});
