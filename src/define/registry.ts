import type { ComponentKind } from "../model/run/run.ts";
import { keyOf } from "./configuration/versions.ts";
import { isFactory } from "./factory.ts";
import type { Entry, Hosted, Platform } from "./platform.ts";
import { isRemote } from "./remote.ts";

/** The version of a component that cannot be built from the parts of this process. */
export interface VersionFault {
  readonly version: number;
  /** Why, for people who may see configs. */
  readonly message: string;
}

/** The components that runs use now: those in code, changed and extended by published versions. */
export interface LiveEntries {
  readonly entries: readonly Entry[];
  /** Versions that cannot be built, by component. */
  readonly faults: ReadonlyMap<string, VersionFault>;
  /** Components that new runs do not use, but whose drafts are tried, or that have unfinished runs. */
  readonly retired: readonly { readonly kind: ComponentKind; readonly id: string }[];
}

/** Finds the entries of a platform by kind and id. */
export class Registry {
  readonly #code: ReadonlyMap<string, Entry>;
  #live: ReadonlyMap<string, Entry>;
  #hosted: readonly Entry[];
  #claimable: LiveEntries["retired"];
  #faults: LiveEntries["faults"] = new Map();

  constructor(
    platform: Pick<Platform, "agents" | "teams"> & Partial<Pick<Platform, "workflows" | "factories" | "remotes">>,
  ) {
    const { agents, teams, workflows = [], factories = [], remotes = [] } = platform;
    this.#hosted = [...agents, ...teams, ...workflows, ...factories, ...remotes];
    this.#claimable = this.#hosted;
    this.#code = byKey(this.#hosted);
    this.#live = this.#code;
  }

  /** Every entry that code defines. */
  get inCode(): readonly Entry[] {
    return [...this.#code.values()];
  }

  /** Every entry that has its own path. */
  get hosted(): readonly Entry[] {
    return this.#hosted;
  }

  /** The components whose runs this process executes. */
  get claimable(): readonly { readonly kind: ComponentKind; readonly id: string }[] {
    return this.#claimable;
  }

  /** The component that new runs use. */
  find(kind: ComponentKind, id: string): Entry | undefined {
    return this.#live.get(keyOf(kind, id));
  }

  /** The definition in code. */
  findInCode(kind: ComponentKind, id: string): Entry | undefined {
    return this.#code.get(keyOf(kind, id));
  }

  /** The version that runs should use, if it cannot be built. */
  faultOf(kind: ComponentKind, id: string): VersionFault | undefined {
    return this.#faults.get(keyOf(kind, id));
  }

  /** Replaces the components that new runs use. */
  use({ entries, faults, retired }: LiveEntries): void {
    this.#live = byKey(entries);
    this.#hosted = entries;
    this.#claimable = [...entries, ...retired];
    this.#faults = faults;
  }
}

/** Whether this server executes the component, from a definition that is known before a run. */
export function isOwn(entry: Entry): entry is Hosted {
  return !isFactory(entry) && !isRemote(entry);
}

function byKey(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  return new Map(entries.map((entry) => [keyOf(entry.kind, entry.id), entry]));
}
