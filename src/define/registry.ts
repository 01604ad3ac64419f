import type { ComponentKind } from "../model/run.ts";
import type { Component, Hosted, Platform } from "./platform.ts";
import type { Workflow } from "./workflow-types.ts";

/** Finds hosted components by kind and id. */
export class Registry {
  readonly #components: Readonly<Record<ComponentKind, ReadonlyMap<string, Hosted>>>;
  /** Everything that is hosted under a path of its own. */
  readonly hosted: readonly Hosted[];

  constructor(platform: Pick<Platform, "agents" | "teams"> & Partial<Pick<Platform, "workflows">>) {
    const { workflows = [] } = platform;
    this.#components = {
      agent: new Map(platform.agents.map((agent) => [agent.id, agent])),
      team: new Map(platform.teams.map((team) => [team.id, team])),
      workflow: new Map(workflows.map((workflow) => [workflow.id, workflow])),
    };
    this.hosted = [...platform.agents, ...platform.teams, ...workflows];
  }

  find(kind: "agent" | "team", id: string): Component | undefined;
  find(kind: "workflow", id: string): Workflow | undefined;
  find(kind: ComponentKind, id: string): Hosted | undefined;
  find(kind: ComponentKind, id: string): Hosted | undefined {
    return this.#components[kind].get(id);
  }
}
