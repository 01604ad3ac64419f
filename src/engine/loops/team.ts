/** A team's run: a leader with its tools, and delegation to members. */
import { ownTools } from "../../define/mcp-server.ts";
import { delegationTools, type Team } from "../../define/team.ts";
import { InvariantError } from "../../errors.ts";
import { systemSections, toSection } from "../../model/prompt-text.ts";
import { toHosted } from "../remote/placeholder.ts";
import { toCallableTool } from "../tool-call/call-tool.ts";
import type { Callable } from "../tool-call/callable.ts";
import { newCallId } from "./assistant-message.ts";
import type { Loop, LoopOf, RunScope } from "./contract.ts";
import { type Delegation, delegateToAll, delegateToOne, rememberMembers } from "./delegate.ts";
import { taskMode } from "./tasks/task-mode.ts";
import { runTurns } from "./turns.ts";

const howTo = {
  coordinate:
    "Delegate work to the members that suit it, several at once where their tasks do not depend on each other, in as many rounds as it takes. " +
    "Give each a task that it understands without having read the conversation. Then answer yourself, from what they answered.",
  route: "Hand the request over to the one member that suits it best: its answer goes to the user as it is.",
  broadcast: "Every member has been given the request. Sum up what they answered, and say where they differ.",
  tasks:
    "Work through a list of tasks: break the request down, create the tasks with their dependencies, and have members execute them, several at once where they do not depend on each other. " +
    "Give each task a description that its member understands without having read the conversation. When nothing is left to do, mark the goal as complete and answer from the results.",
} as const;

/** The results of members so far: a loop that runs again for a message keeps them. */
const responsesOf = new WeakMap<RunScope, Readonly<Record<string, unknown>>[]>();

/** Runs a team until it has an answer. */
export const teamLoop =
  (loopOf: LoopOf): Loop =>
  (scope) => {
    const team = scope.component;
    if (team.kind !== "team") throw new InvariantError(`${team.id} is no team.`);
    const isFirst = !responsesOf.has(scope);
    const members = responsesOf.get(scope) ?? [];
    responsesOf.set(scope, members);
    const parts = team.members.map((member) => toHosted(member));
    const delegation: Delegation = { scope, team, members: parts, loopOf, responses: members };
    if (isFirst) rememberMembers(delegation);
    const own = ownTools(team).map((tool) => toCallableTool(tool, scope.settings, scope.connections));
    const broadcast = team.mode === "broadcast";
    const tasks = team.mode === "tasks" ? taskMode(delegation) : undefined;
    return runTurns(scope, {
      members,
      guidance: guidanceOf(team),
      ...tasks,
      callables(schema): readonly Callable[] {
        if (tasks) return [...own, ...tasks.callables(schema)];
        if (broadcast) return [...own, delegateToAll(delegation)];
        // With a schema, the leader converts the member's answer to the required shape.
        return [...own, delegateToOne(delegation, team.mode === "route" && !schema)];
      },
      ...(broadcast && {
        opening: (task: string) => ({ id: newCallId(scope), name: delegationTools.all, input: { task } }),
      }),
    });
  };

function guidanceOf(team: Team): string {
  const members = team.members.map(({ id, name, role, description }) => {
    const about = [role, description].filter(Boolean).join(". ");
    return `- ${id}${name === id ? "" : ` (${name})`}${about ? `: ${about}` : ""}`;
  });
  return `You lead a team.\n${toSection("members", members.join("\n"), systemSections)}\n${howTo[team.mode]}`;
}
