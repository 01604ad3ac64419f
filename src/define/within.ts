/** What components consist of: members of teams and executors of steps, however deep. */
import type { Agent } from "./agent.ts";
import type { Platform } from "./platform.ts";
import { isRemote, type Remote } from "./remote.ts";
import type { Team } from "./team.ts";
import type { Executor } from "./workflow/types.ts";
import { executorsOf } from "./workflow/workflow.ts";

/** The given ones and everything in them, each once. */
export function allWithin(executors: readonly Executor[]): readonly Executor[] {
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

/** Every agent and team of a platform that is executed here, members and executors of steps included, each once. */
export function allComponents({
  agents,
  teams,
  workflows = [],
}: Pick<Platform, "agents" | "teams"> & Partial<Pick<Platform, "workflows">>): readonly (Agent | Team)[] {
  const all = allWithin([...agents, ...teams, ...workflows]);
  return all.filter((item): item is Agent | Team => !isRemote(item) && item.kind !== "workflow");
}

/** What other servers execute of a component. */
export function remotesWithin(executor: Executor): readonly Remote[] {
  return allWithin([executor]).filter((item): item is Extract<Executor, Remote> => isRemote(item));
}
