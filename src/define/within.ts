/** The parts of components: members of teams and executors of steps, at any depth. */
import type { Agent } from "./agent.ts";
import { isRemote, type Remote } from "./remote.ts";
import type { Team } from "./team.ts";
import type { Executor, Workflow } from "./workflow/types.ts";
import { executorsOf } from "./workflow/workflow.ts";

/** Returns the given components and all their parts, each once. */
export function componentsWithin(executors: readonly Executor[]): readonly Executor[] {
  const found = new Set<Executor>();
  const visit = (executor: Executor): void => {
    if (found.has(executor)) return;
    found.add(executor);
    if (isRemote(executor)) return;
    if (executor.kind === "team") executor.members.forEach(visit);
    if (executor.kind === "workflow") executorsOf(executor).forEach(visit);
  };
  executors.forEach(visit);
  return [...found];
}

/** Returns every agent and team that this platform executes itself, including members and executors of steps, each once. */
export function allComponents({
  agents,
  teams,
  workflows = [],
}: {
  readonly agents: readonly Agent[];
  readonly teams: readonly Team[];
  readonly workflows?: readonly Workflow[];
}): readonly (Agent | Team)[] {
  const all = componentsWithin([...agents, ...teams, ...workflows]);
  return all.filter((item): item is Agent | Team => !isRemote(item) && item.kind !== "workflow");
}

/** Returns the parts of a component that other servers execute. */
export function remotesWithin(executor: Executor): readonly Remote[] {
  return componentsWithin([executor]).filter((item): item is Extract<Executor, Remote> => isRemote(item));
}
