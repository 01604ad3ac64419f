/** The names that differ between agents, teams and workflows on the wire; they share most of the rest. */
import type { Entry } from "../../define/platform.ts";
import { TroupeError } from "../../errors.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import { type ComponentKind, kindTitles } from "../../model/run.ts";
import type { Services } from "../transport/services.ts";

/** The names of a component kind. */
export interface Kind {
  readonly name: ComponentKind;
  /** First segment of its paths, and its resource in scopes. */
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
 * The component with this id; undefined if it is no longer hosted but the caller has runs of it.
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
  // An index covers the runs of one user.
  const userId = visibleOwner(caller) === null ? undefined : (caller.userId ?? undefined);
  const [run] = await services.store.listRuns(caller, { kind: kind.name, componentId: id, userId, limit: 1 });
  if (!run) throw new TroupeError("notFound", `${kind.title} not found`);
  return undefined;
}

/** The hosted component with this id. @throws TroupeError `notFound` */
export function hosted({ registry }: Pick<Services, "registry">, kind: Kind, id: string): Entry {
  const found = registry.find(kind.name, id);
  if (!found) throw new TroupeError("notFound", `${kind.title} not found`);
  return found;
}
