/**
 * Stored versions of agents, teams and workflows. Times are milliseconds since the epoch. Versions are platform data, not user data: a caller who may
 * read components sees all of them.
 */
import type { ComponentKind } from "../../model/run/run.ts";

/** A published version never changes. */
export type VersionStage = "draft" | "published";

/** A JSON object. */
type JsonObject = Readonly<Record<string, unknown>>;

/** A stored component. */
export interface StoredComponent {
  readonly id: string;
  readonly kind: ComponentKind;
  readonly name: string;
  readonly description: string | null;
  readonly metadata: JsonObject | null;
  /** The published version that runs use. Null: runs use the code's definition; a component without code does not exist for them. */
  readonly currentVersion: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  /** The user who created it; null for none. */
  readonly createdBy: string | null;
}

/** A version of a component. */
export interface StoredVersion {
  readonly componentId: string;
  /** Numbers begin at 1 and are never used again. */
  readonly version: number;
  readonly label: string | null;
  readonly stage: VersionStage;
  readonly config: JsonObject;
  readonly notes: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  /** The user who created it; null for none. */
  readonly createdBy: string | null;
}

/** A version, which may be deleted. */
export interface FoundVersion extends StoredVersion {
  /** Null for a version that is not deleted. */
  readonly deletedAt: number | null;
}

/** A version of a list. Its config is undefined if it was not requested, or did not fit; notes that did not fit are null. */
export interface ListedVersion extends Omit<StoredVersion, "config"> {
  readonly config: JsonObject | undefined;
}

/** A component to be created. */
export type NewComponent = Pick<StoredComponent, "id" | "kind" | "name" | "description" | "metadata" | "createdBy">;

/** A version to be created. */
export interface NewVersion extends Pick<StoredVersion, "label" | "stage" | "config" | "notes" | "createdBy"> {
  /** Whether it becomes the current version: at once if it is published, else when it is published. */
  readonly setsCurrent: boolean;
}

/** Changes of a component; undefined keeps a value. */
export interface ComponentChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  /** A published version. Null: runs use no version. */
  readonly currentVersion?: number | null | undefined;
}

/** Changes of a draft; undefined keeps a value. */
export interface VersionChanges {
  readonly config?: JsonObject | undefined;
  readonly label?: string | undefined;
  readonly notes?: string | undefined;
  readonly stage?: VersionStage | undefined;
}

/** A page of components, in the order of their creation. */
export interface ComponentQuery {
  readonly kind?: ComponentKind | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Max bytes of descriptions and metadata together. Those of a component that do not fit are null. */
  readonly maxBytes: number;
}

/** The versions of a component, the newest first. */
export interface VersionQuery {
  readonly limit: number;
  /** Only versions before this one. */
  readonly before?: number | undefined;
  readonly withConfigs: boolean;
  /** Max bytes of configs and notes together. */
  readonly maxBytes: number;
}

/** A live component, and the version that its runs use. */
export interface LiveComponent {
  readonly component: StoredComponent;
  /** Null if runs use no version. */
  readonly version: StoredVersion | null;
}

/** Reads and writes components and their versions. Writes of one component happen one after another. */
export interface ComponentVersionStore {
  /** Grows by each change of what runs use. One cheap read. */
  revision(): Promise<number>;
  /** All components that are not deleted, each with the version that runs use. */
  live(): Promise<readonly LiveComponent[]>;

  list(query: ComponentQuery): Promise<{ readonly components: readonly StoredComponent[]; readonly total: number }>;
  find(id: string): Promise<StoredComponent | undefined>;
  /** Creates a component with its first version, if there is one. Returns undefined when the id is taken. */
  create(component: NewComponent, version: NewVersion | undefined): Promise<StoredComponent | undefined>;
  /** `no-version`: the new current version does not exist. `draft`: it is not published. */
  change(id: string, changes: ComponentChanges): Promise<StoredComponent | "gone" | "no-version" | "draft">;
  /** Deletes a component with its versions. They stay readable for runs. Returns false when the component does not exist. */
  remove(id: string): Promise<boolean>;

  listVersions(id: string, query: VersionQuery): Promise<readonly ListedVersion[]>;
  /** Finds a version, also a deleted one, because a run may have begun with it. */
  findVersion(id: string, version: number): Promise<FoundVersion | undefined>;
  /** Whether any version is stored, deleted or not. */
  hasVersions(id: string): Promise<boolean>;
  /** The newest version that is not deleted. */
  newestVersion(id: string): Promise<StoredVersion | undefined>;
  /** Returns undefined when the component does not exist. */
  addVersion(id: string, version: NewVersion): Promise<StoredVersion | undefined>;
  /** Changes a draft. `published`: the version is published, and does not change any more. */
  changeVersion(id: string, version: number, changes: VersionChanges): Promise<StoredVersion | "gone" | "published">;
  /** Deletes a version, which stays readable for runs. `current`: the version is the component's current one. */
  removeVersion(id: string, version: number): Promise<"removed" | "gone" | "current">;
}
