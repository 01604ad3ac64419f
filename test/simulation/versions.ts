/** Versions of components: the table, which all processes share, and each process's reads of it over its connection. */
import { TroupeError } from "../../src/errors.ts";
import type { ComponentKind } from "../../src/model/run/run.ts";
import type {
  ComponentVersionStore,
  StoredComponent,
  StoredVersion,
} from "../../src/store/contract/component-versions.ts";
import type { Wire } from "./memory/store.ts";

/** Components that get versions. */
export const versioned = ["solo", "keeper", "free", "hasty", "desk", "front", "panel"] as const;

/** The instructions of a version. */
export function instructionsOf(version: number): string {
  return `This is version ${version}.`;
}

/** The version whose instructions a prompt has; undefined for those of the code. */
export function versionIn(system: string): number | undefined {
  const found = /This is version (\d+)\./.exec(system)?.[1];
  return found === undefined ? undefined : Number(found);
}

export function kindOf(component: string): ComponentKind {
  return ["desk", "panel", "front"].includes(component) ? "team" : "agent";
}

type Reads = Pick<ComponentVersionStore, "revision" | "live" | "find" | "findVersion" | "hasVersions">;

export class VersionTable {
  #revision = 0;
  readonly #current = new Map<string, number>();

  /** Sets the version that runs use from now on; undefined for the code. */
  use(component: string, version: number | undefined): void {
    this.#revision++;
    if (version === undefined) this.#current.delete(component);
    else this.#current.set(component, version);
  }

  /** A process's reads. */
  readsOver(wire: Wire): Reads {
    const read = async <Value>(work: () => Value): Promise<Value> => {
      try {
        return await wire.call("versions", work);
      } catch (error) {
        throw new TroupeError("unavailable", "The database does not answer.", { retryAfter: 1, cause: error });
      }
    };
    return {
      revision: () => read(() => this.#revision),
      live: () =>
        read(() =>
          [...this.#current].map(([id, version]) => ({ component: component(id), version: stored(id, version) })),
        ),
      find: (id) => read(() => (this.#current.has(id) ? component(id) : undefined)),
      hasVersions: () => read(() => true),
      findVersion: (id, version) => read(() => ({ ...stored(id, version), deletedAt: null })),
    };
  }
}

const times = { createdAt: 0, updatedAt: null, createdBy: null } as const;

function component(id: string): StoredComponent {
  return { id, kind: kindOf(id), name: id, description: null, metadata: null, currentVersion: null, ...times };
}

function stored(componentId: string, version: number): StoredVersion {
  const config = { instructions: instructionsOf(version) };
  return { componentId, version, label: null, stage: "published", config, notes: null, ...times };
}
