/** Maps components to their loops. */
import type { Hosted } from "../../define/platform.ts";
import type { RunOutput } from "../../model/run/record.ts";
import { remoteLoop } from "../remote/loop.ts";
import { remoteOf } from "../remote/placeholder.ts";
import { agentLoop } from "./agent.ts";
import type { MemberScope, RunScope } from "./contract.ts";
import { teamLoop } from "./team.ts";
import { workflowLoop } from "./workflow/workflow.ts";

const loops = { agent: agentLoop, team: teamLoop(loopOf), workflow: workflowLoop(loopOf) };

/** Returns the loop of a component. */
export function loopOf<C extends Hosted>(component: C): (scope: MemberScope<C>) => Promise<RunOutput> {
  if (remoteOf(component)) return remoteLoop as (scope: RunScope<C>) => Promise<RunOutput>;
  return loops[component.kind] as unknown as (scope: RunScope<C>) => Promise<RunOutput>;
}
