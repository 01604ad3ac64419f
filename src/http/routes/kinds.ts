/** What tells agents and teams apart on the wire; all else they share. */
import type { Component } from "../../define/platform.ts";
import { TroupeError } from "../../errors.ts";
import type { Services } from "../services.ts";

/** The words of a kind of component. */
export interface Kind {
  readonly name: "agent" | "team";
  /** First part of its paths, and its resource in scopes. */
  readonly plural: "agents" | "teams";
  readonly idParam: "agent_id" | "team_id";
  readonly title: "Agent" | "Team";
  readonly tag: "Agents" | "Teams";
}

export const kinds: Readonly<Record<Kind["name"], Kind>> = {
  agent: { name: "agent", plural: "agents", idParam: "agent_id", title: "Agent", tag: "Agents" },
  team: { name: "team", plural: "teams", idParam: "team_id", title: "Team", tag: "Teams" },
};

/** The hosted component. @throws TroupeError `notFound` */
export function hosted({ registry }: Services, kind: Kind, id: string): Component {
  const found = registry.find(kind.name, id);
  if (!found) throw new TroupeError("notFound", `${kind.title} not found`);
  return found;
}
