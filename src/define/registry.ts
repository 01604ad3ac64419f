import type { ComponentKind } from "../model/run.ts";
import type { Component, Platform } from "./platform.ts";

/** Finds hosted components by kind and id. */
export class Registry {
  readonly #components: Readonly<Record<ComponentKind, ReadonlyMap<string, Component>>>;
  /** Everything that is hosted under a path of its own. */
  readonly hosted: readonly Component[];

  constructor(platform: Pick<Platform, "agents" | "teams">) {
    this.#components = {
      agent: new Map(platform.agents.map((agent) => [agent.id, agent])),
      team: new Map(platform.teams.map((team) => [team.id, team])),
      workflow: new Map(),
    };
    this.hosted = [...platform.agents, ...platform.teams];
  }

  find(kind: ComponentKind, id: string): Component | undefined {
    return this.#components[kind].get(id);
  }
}
