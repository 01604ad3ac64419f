/** The names that differ between agents, teams and workflows on the wire; they share most of the rest. */
import { type ComponentKind, kindTitles } from "../../model/run/run.ts";

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
