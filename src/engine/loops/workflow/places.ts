/** Where steps stand in a workflow. */
import { createHash } from "node:crypto";
import type { StepNode } from "../../../define/workflow/types.ts";
import type { StepPlace } from "../contract.ts";

/** A step at its place. */
export interface Place extends StepPlace {
  readonly node: StepNode;
  /** Names the place in one run, passes of loops included: what is settled of it is found by it. */
  readonly path: string;
  /** Names the place in the definition. */
  readonly position: string;
}

/** Lays a list of steps out. `index` of a container's steps has the container's own before it. */
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

/** The id of the step that a run was made for, by the name of the try: the step's path with the passes of loops, and which try it was. */
export function stepIdOf(workflowId: string, attempt: string | null): string | undefined {
  if (attempt === null) return undefined;
  const [path = ""] = attempt.split("#", 1);
  return idOf(workflowId, path.replaceAll(/@\d+/g, ""));
}

function lastOf(index: Place["index"]): number {
  return typeof index === "number" ? index : (index.at(-1) ?? 0);
}

/** The same in every load of the definition, in the form of a UUID (RFC 9562, version 8). */
function idOf(workflowId: string, position: string): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([workflowId, position]))
    .digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
