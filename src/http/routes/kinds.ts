/** What tells agents, teams and workflows apart on the wire; most else they share. */
import type { Entry } from "../../define/platform.ts";
import { TroupeError } from "../../errors.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import { type ComponentKind, kindTitles } from "../../model/run.ts";
import type { Services } from "../transport/services.ts";

/** The words of a kind of component. */
export interface Kind {
  readonly name: ComponentKind;
  /** First part of its paths, and its resource in scopes. */
  readonly plural: "agents" | "teams" | "workflows";
  readonly idParam: "agent_id" | "team_id" | "workflow_id";
  readonly title: (typeof kindTitles)[ComponentKind];
  readonly tag: "Agents" | "Teams" | "Workflows";
}

export const kinds: Readonly<Record<Kind["name"], Kind>> = {
  agent: { name: "agent", plural: "agents", idParam: "agent_id", title: kindTitles.agent, tag: "Agents" },
  team: { name: "team", plural: "teams", idParam: "team_id", title: kindTitles.team, tag: "Teams" },
  workflow: {
    name: "workflow",
    plural: "workflows",
    idParam: "workflow_id",
    title: kindTitles.workflow,
    tag: "Workflows",
  },
};

/**
 * What is hosted under the id; undefined for a component that is not hosted any more, and of which the caller has runs.
 * @throws TroupeError `notFound`
 */
export async function hostedOrStored(
  services: Pick<Services, "registry" | "store">,
  caller: Principal,
  kind: Kind,
  id: string,
): Promise<Entry | undefined> {
  const found = services.registry.find(kind.name, id);
  if (found) return found;
  // Runs of one user are found by an index of their own.
  const userId = visibleOwner(caller) === null ? undefined : (caller.userId ?? undefined);
  const [run] = await services.store.listRuns(caller, { kind: kind.name, componentId: id, userId, limit: 1 });
  if (!run) throw new TroupeError("notFound", `${kind.title} not found`);
  return undefined;
}

/** What is hosted under the id. @throws TroupeError `notFound` */
export function hosted({ registry }: Pick<Services, "registry">, kind: Kind, id: string): Entry {
  const found = registry.find(kind.name, id);
  if (!found) throw new TroupeError("notFound", `${kind.title} not found`);
  return found;
}
