/** Positions of steps in a workflow. */
import { createHash } from "node:crypto";
import type { StepNode } from "../../../define/workflow/types.ts";
import type { StepPlace } from "../contract.ts";

/** A step at its position. */
export interface Place extends StepPlace {
  readonly node: StepNode;
  /** Identifies the position in one run, including passes of loops; names of recorded values contain it. */
  readonly path: string;
  /** Identifies the position in the definition. */
  readonly position: string;
}

/** Returns the places of a list of steps. The `index` of a step in a container begins with the container's own index. */
export function placesOf(
  workflowId: string,
  nodes: readonly StepNode[],
  above?: { readonly place: Place; readonly pass?: number; readonly list?: string },
): readonly Place[] {
  return nodes.map((node, number) => {
    const { place, pass, list = "" } = above ?? {};
    const position = place ? `${place.position}.${list}${number}` : `${number}`;
    const path = place ? `${place.path}${pass === undefined ? "" : `@${pass}`}.${list}${number}` : `${number}`;
    return {
      node,
      path,
      position,
      name: node.name,
      stepId: idOf(workflowId, position),
      parentStepId: place?.stepId,
      index: place ? [lastOf(place.index), number] : number,
    };
  });
}

/** Returns the id of the step that a run executes. `attempt` contains the step's path with the passes of loops, and the number of the attempt. */
export function stepIdOf(workflowId: string, attempt: string | null): string | undefined {
  if (attempt === null) return undefined;
  const [path = ""] = attempt.split("#", 1);
  return idOf(workflowId, path.replaceAll(/@\d+/g, ""));
}

function lastOf(index: Place["index"]): number {
  return typeof index === "number" ? index : (index.at(-1) ?? 0);
}

/** Stable for every load of the definition; has the form of a UUID (RFC 9562, version 8). */
function idOf(workflowId: string, position: string): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([workflowId, position]))
    .digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
