import type { ComponentKind } from "../model/run/run.ts";
import type { Entry, Platform } from "./platform.ts";

/** Finds the entries of a platform by kind and id. */
export class Registry {
  readonly #entries: Readonly<Record<ComponentKind, ReadonlyMap<string, Entry>>>;
  /** Every entry that has its own path. */
  readonly hosted: readonly Entry[];

  constructor(
    platform: Pick<Platform, "agents" | "teams"> & Partial<Pick<Platform, "workflows" | "factories" | "remotes">>,
  ) {
    const { agents, teams, workflows = [], factories = [], remotes = [] } = platform;
    this.hosted = [...agents, ...teams, ...workflows, ...factories, ...remotes];
    const of = (kind: ComponentKind): ReadonlyMap<string, Entry> =>
      new Map(this.hosted.filter((entry) => entry.kind === kind).map((entry) => [entry.id, entry]));
    this.#entries = { agent: of("agent"), team: of("team"), workflow: of("workflow") };
  }

  find(kind: ComponentKind, id: string): Entry | undefined {
    return this.#entries[kind].get(id);
  }
}
