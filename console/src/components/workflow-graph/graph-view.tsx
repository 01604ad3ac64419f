/** The graph of a workflow as a picture, and the same facts as a text. */
import { Badge, Text, useComputedColorScheme } from "@mantine/core";
import {
  type Icon,
  IconArrowsSplit2,
  IconGitFork,
  IconListNumbers,
  IconRepeat,
  IconRobot,
  IconRoute,
  IconSquareRoundedCheck,
} from "@tabler/icons-react";
import { Controls, type Edge, Handle, MarkerType, type Node, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { type ReactNode, useMemo } from "react";
import { placesOf } from "./layout.ts";
import classes from "./workflow-graph.module.css";
import { describeGraph, type GraphNode, type StepState, stateWords, type WorkflowGraph } from "./workflow-graph.ts";

interface GraphViewProps {
  /** Name of the workflow, for screen readers. */
  readonly name: string;
  readonly graph: WorkflowGraph;
  /** Whether the states of a run are shown. */
  readonly isRun: boolean;
}

type Shown = Node<{ readonly node: GraphNode; readonly isRun: boolean }>;

export function GraphView({ name, graph, isRun }: GraphViewProps): ReactNode {
  const colorMode = useComputedColorScheme("light");
  const places = useMemo(() => placesOf(graph), [graph]);
  const nodes = useMemo(
    () =>
      graph.nodes.map((node): Shown => {
        const { x, y, width, height } = places.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 };
        return {
          id: node.id,
          type: node.id === "start" || node.id === "end" ? "end" : node.isContainer ? "frame" : "step",
          position: { x, y },
          width,
          height,
          data: { node, isRun },
          ...(node.parent === undefined ? {} : { parentId: node.parent }),
        };
      }),
    [graph, places, isRun],
  );
  const edges = useMemo(
    () =>
      graph.edges.map(
        ({ id, from, to, isBack }): Edge => ({
          id,
          source: from,
          target: to,
          type: "smoothstep",
          zIndex: 1,
          markerEnd: { type: MarkerType.ArrowClosed },
          ...(isBack && { style: { strokeDasharray: "4 4" }, label: "again" }),
        }),
      ),
    [graph],
  );
  const lines = useMemo(() => describeGraph(graph, isRun), [graph, isRun]);
  const height = useMemo(() => {
    const bottom = places.get("end");
    return Math.min(760, Math.max(280, (bottom?.y ?? 0) + (bottom?.height ?? 0) + 60));
  }, [places]);
  return (
    <>
      <figure className={classes.figure} style={{ height }} aria-label={`Graph of ${name}`}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          colorMode={colorMode}
          fitView
          fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
          minZoom={0.2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnScroll={false}
          preventScrolling={false}
        >
          <Controls showInteractive={false} />
        </ReactFlow>
      </figure>
      <details className={classes.text}>
        <summary>The graph as text</summary>
        <ol aria-label={`Steps of ${name}`}>
          {lines.map(({ id, depth, text }) => (
            <li key={id} style={{ marginInlineStart: depth * 20 }}>
              {text}
            </li>
          ))}
        </ol>
      </details>
    </>
  );
}

const icons: Readonly<Record<string, Icon>> = {
  Parallel: IconArrowsSplit2,
  Condition: IconGitFork,
  Loop: IconRepeat,
  Router: IconRoute,
  Steps: IconListNumbers,
};

const frameWords: Readonly<Record<string, string>> = {
  Parallel: "parallel",
  Condition: "condition",
  Loop: "loop",
  Router: "router",
  Steps: "steps",
  Step: "workflow",
};

const colors: Readonly<Record<StepState, string>> = {
  idle: "gray",
  running: "blue",
  done: "green",
  failed: "red",
  waiting: "yellow",
  cancelled: "gray",
  skipped: "gray",
};

function StepNode({ data: { node, isRun } }: NodeProps<Shown>): ReactNode {
  const Shown = node.executor ? IconRobot : IconSquareRoundedCheck;
  return (
    <div className={classes.step} data-state={isRun ? node.facts.state : undefined} title={node.description}>
      <Handle type="target" position={Position.Top} isConnectable={false} className={classes.handle} />
      <div className={classes.line}>
        <Shown size={14} aria-hidden style={{ flex: "none" }} />
        <span className={classes.name}>{node.label}</span>
        {isRun && <State node={node} />}
      </div>
      <Text size="xs" c="dimmed" truncate>
        {node.executor ?? "function"}
      </Text>
      <Handle type="source" position={Position.Bottom} isConnectable={false} className={classes.handle} />
    </div>
  );
}

function FrameNode({ data: { node, isRun } }: NodeProps<Shown>): ReactNode {
  const Shown = icons[node.type] ?? IconListNumbers;
  return (
    <div className={classes.frame} data-state={isRun ? node.facts.state : undefined}>
      <div className={classes.line}>
        <Shown size={14} aria-hidden style={{ flex: "none" }} />
        <span className={classes.name}>{node.label}</span>
        <Text size="xs" c="dimmed" span>
          {frameWords[node.type] ?? node.type}
        </Text>
        {isRun && <State node={node} />}
      </div>
    </div>
  );
}

function EndNode({ data: { node } }: NodeProps<Shown>): ReactNode {
  return (
    <div className={classes.end}>
      {node.id === "end" && (
        <Handle type="target" position={Position.Top} isConnectable={false} className={classes.handle} />
      )}
      {node.label}
      {node.id === "start" && (
        <Handle type="source" position={Position.Bottom} isConnectable={false} className={classes.handle} />
      )}
    </div>
  );
}

function State({ node: { facts } }: { readonly node: GraphNode }): ReactNode {
  if (facts.state === "idle") return null;
  return (
    <Badge
      size="xs"
      variant="light"
      color={colors[facts.state]}
      radius="sm"
      tt="none"
      ml="auto"
      style={{ flex: "none" }}
    >
      {facts.state === "waiting" ? "waits" : stateWords[facts.state]}
      {facts.times > 1 ? ` · ${facts.times}×` : ""}
    </Badge>
  );
}

const nodeTypes = { step: StepNode, frame: FrameNode, end: EndNode };
