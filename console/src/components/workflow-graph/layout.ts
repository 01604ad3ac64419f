/** Places for the nodes of a graph: the steps from top to bottom, containers as frames around their steps. */
import { graphlib, layout } from "@dagrejs/dagre";
import type { WorkflowGraph } from "./workflow-graph.ts";

export interface Place {
  /** Of the left upper corner, relative to the frame around the node. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const nodeSize = { width: 200, height: 56 } as const;
const endSize = { width: 76, height: 34 } as const;
/** Room for the name of a frame above its steps. */
const frameHead = 30;
const framePadding = 14;

export function placesOf({ nodes, edges }: WorkflowGraph): ReadonlyMap<string, Place> {
  const graph = new graphlib.Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 32, ranksep: 54, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, isContainer } of nodes) {
    const isEnd = id === "start" || id === "end";
    graph.setNode(id, isContainer ? {} : { ...(isEnd ? endSize : nodeSize) });
  }
  for (const { id, parent } of nodes) if (parent !== undefined) graph.setParent(id, parent);
  for (const { id, from, to, isBack } of edges) if (!isBack) graph.setEdge(from, to, {}, id);
  layout(graph);
  const boxes = new Map<string, { left: number; top: number; right: number; bottom: number }>();
  // A frame encloses its steps; inner frames come after outer ones in the list.
  for (const { id, isContainer } of [...nodes].reverse()) {
    if (!isContainer) {
      const { x, y, width, height } = graph.node(id);
      boxes.set(id, { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 });
      continue;
    }
    const inner = nodes
      .flatMap((node) => (node.parent === id ? [boxes.get(node.id)] : []))
      .filter((box) => box !== undefined);
    boxes.set(id, {
      left: Math.min(...inner.map(({ left }) => left)) - framePadding,
      top: Math.min(...inner.map(({ top }) => top)) - frameHead,
      right: Math.max(...inner.map(({ right }) => right)) + framePadding,
      bottom: Math.max(...inner.map(({ bottom }) => bottom)) + framePadding,
    });
  }
  return new Map(
    nodes.map(({ id, parent }) => {
      const { left, top, right, bottom } = boxes.get(id) ?? { left: 0, top: 0, right: 0, bottom: 0 };
      const frame = parent === undefined ? undefined : boxes.get(parent);
      return [
        id,
        { x: left - (frame?.left ?? 0), y: top - (frame?.top ?? 0), width: right - left, height: bottom - top },
      ] as const;
    }),
  );
}
