/** Rules about versions of components: who may change them, their ids, and which configurations are valid. */

import { isDeepStrictEqual } from "node:util";
import { isFactory } from "../../define/factory.ts";
import type { Registry } from "../../define/registry.ts";
import { isRemote } from "../../define/remote.ts";
import { ConfigurationError, TroupeError } from "../../errors.ts";
import { faultOfId } from "../../model/identifiers.ts";
import { type Principal, visibleSession } from "../../model/principal.ts";
import { type ComponentKind, kindTitles } from "../../model/run/run.ts";
import type {
  ComponentQuery,
  ComponentVersionStore,
  ListedVersion,
  StoredComponent,
  StoredVersion,
  VersionChanges,
  VersionQuery,
  VersionStage,
} from "../../store/contract/component-versions.ts";
import { missing, missingVersion, notPublished, published, taken, used } from "./errors.ts";

export type {
  ComponentQuery,
  ListedVersion,
  StoredComponent,
  StoredVersion,
  VersionChanges,
  VersionStage,
} from "../../store/contract/component-versions.ts";

/** A JSON object. */
type JsonObject = Readonly<Record<string, unknown>>;

/** Dependencies of the calls. */
export interface VersionParts {
  readonly store: ComponentVersionStore;
  /** Rejects with a ConfigurationError for a config from which no component can be built. */
  readonly check: (component: CheckedComponent) => Promise<void>;
  /** The components (`team/desk`) whose current versions cannot be built without the current version of this component. */
  readonly usersOf: (component: Pick<StoredComponent, "kind" | "id">) => Promise<readonly string[]>;
  /** Called after each change of what runs use. Resolves when this process uses it. */
  readonly onChange: () => Promise<void>;
}

/** A component with a config to be checked. Name and description count only for a component without a definition in code. */
export interface CheckedComponent extends Pick<StoredComponent, "kind" | "id" | "name" | "description"> {
  readonly config: JsonObject;
}

/** A version that a caller adds. */
export interface GivenVersion {
  readonly config: JsonObject;
  readonly label?: string | undefined;
  readonly notes?: string | undefined;
  readonly stage: VersionStage;
  /** Whether it becomes the current version: at once if it is published, else when it is published. */
  readonly setsCurrent: boolean;
}

/** A component that a caller creates. */
export interface GivenComponent {
  readonly kind: ComponentKind;
  readonly name: string;
  /** Default: made of the name. */
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly version?: GivenVersion | undefined;
}

/** A change of a component; undefined keeps a value. */
export interface GivenChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly currentVersion?: number | undefined;
  /** The kind of a component cannot change; the same kind is accepted. */
  readonly kind?: string | undefined;
}

/** A version as a file: what is needed to create it on another server. */
export interface PortableVersion {
  readonly component: Pick<StoredComponent, "id" | "kind" | "name" | "description" | "metadata">;
  readonly version: Pick<StoredVersion, "config" | "label" | "notes">;
}

/** The result of an import. */
export interface ImportedVersion {
  readonly version: StoredVersion;
  /** False: the newest version of the component has the same config already. */
  readonly isNew: boolean;
}

/** Calls about versions of components. The route's scope decides who may call them. */
export interface VersionCalls {
  list(
    query: Omit<ComponentQuery, "maxBytes">,
  ): Promise<{ readonly components: readonly StoredComponent[]; readonly total: number }>;
  /** @throws TroupeError `notFound` */
  find(id: string): Promise<StoredComponent>;
  /** @throws TroupeError `conflict` for an id that is taken, `validation` for an invalid id, name or config, `forbidden` */
  create(caller: Principal, given: GivenComponent): Promise<StoredComponent>;
  /** @throws TroupeError `notFound`, `badRequest` for another kind or a draft as the current version, `forbidden` */
  change(caller: Principal, id: string, changes: GivenChanges): Promise<StoredComponent>;
  /**
   * Deletes a component with its versions. Runs that began with one of them keep it.
   * @throws TroupeError `notFound`, `forbidden`, `conflict` if versions of other components name it, unless `isForced`
   */
  remove(caller: Principal, id: string, isForced?: boolean): Promise<void>;

  /** The versions of a component, the newest first. @throws TroupeError `notFound` */
  versions(id: string, query: Omit<VersionQuery, "maxBytes">): Promise<readonly ListedVersion[]>;
  /** @throws TroupeError `notFound` */
  version(id: string, version: number): Promise<StoredVersion>;
  /** The current version; the newest one if none is current. @throws TroupeError `notFound` */
  current(id: string): Promise<StoredVersion>;
  /** Adds a version. The first version of a component that code defines creates the component. @throws TroupeError `notFound`, `validation`, `forbidden` */
  add(caller: Principal, id: string, given: GivenVersion): Promise<StoredVersion>;
  /** Changes a draft, or publishes it. @throws TroupeError `notFound`, `badRequest` for a published version, `validation`, `forbidden` */
  changeVersion(caller: Principal, id: string, version: number, changes: VersionChanges): Promise<StoredVersion>;
  /** @throws TroupeError `notFound`, `badRequest` for the current version, `forbidden` */
  removeVersion(caller: Principal, id: string, version: number): Promise<void>;
  /** Sets the version that runs use. @throws TroupeError `notFound`, `badRequest` for a draft, `validation`, `forbidden` */
  setCurrent(caller: Principal, id: string, version: number): Promise<StoredComponent>;
  /** Runs use no version, but the code. @throws TroupeError `notFound`, `forbidden`, `conflict` as `remove` */
  unsetCurrent(caller: Principal, id: string, isForced?: boolean): Promise<StoredComponent>;
  /** A version with its component; without a number the current one, or the newest if none is current. @throws TroupeError `notFound` */
  export(
    id: string,
    version: number | undefined,
  ): Promise<{ readonly component: StoredComponent; readonly version: StoredVersion }>;
  /**
   * Adds an exported version as a draft, and creates its component if it does not exist. It changes no other version.
   * @throws TroupeError `badRequest` for a component of another kind, `validation`, `forbidden`
   */
  import(caller: Principal, portable: PortableVersion): Promise<ImportedVersion>;
}

const componentKinds = Object.keys(kindTitles) as ComponentKind[];

/** Components that a platform may have: each process builds all of them. */
const maxComponents = 1_000;

/** Max bytes of the JSON text of a config. */
const maxConfigBytes = 256 * 1024;

/** Binds the calls to their parts. */
export function versionCalls({
  versions: { store, check, usersOf, onChange },
  registry,
  platform,
}: {
  readonly versions: VersionParts;
  readonly registry: Pick<Registry, "findInCode">;
  readonly platform: { readonly settings: { readonly maxListingBytes: number } };
}): VersionCalls {
  const { maxListingBytes } = platform.settings;

  const mayChange = (caller: Principal): void => {
    if (visibleSession(caller) !== null)
      throw new TroupeError("forbidden", "The credential is for one session: it cannot change components.");
  };

  const checkConfig = async (component: Omit<CheckedComponent, "config">, config: JsonObject): Promise<void> => {
    if (Buffer.byteLength(JSON.stringify(config)) > maxConfigBytes)
      throw new TroupeError("validation", `The config is larger than ${maxConfigBytes / 1024} KiB`);
    try {
      await check({ ...component, config });
    } catch (error) {
      if (error instanceof ConfigurationError) throw new TroupeError("validation", error.message, { cause: error });
      throw error;
    }
  };

  /** @throws TroupeError `conflict` naming the components that would not have their member or step any more */
  const refuseUsed = async (component: StoredComponent, isForced: boolean): Promise<void> => {
    const users = isForced ? [] : await usersOf(component);
    if (users.length > 0) throw used(component.id, users);
  };

  /** Kinds of the components with this id that code defines, and that a configuration can change. */
  const kindsInCode = (id: string): readonly ComponentKind[] =>
    componentKinds.filter((kind) => {
      const entry = registry.findInCode(kind, id);
      return entry !== undefined && !isRemote(entry) && !isFactory(entry);
    });

  const find = async (id: string): Promise<StoredComponent> => {
    const found = await store.find(id);
    if (found === undefined) throw missing(id);
    return found;
  };

  const findVersion = async (id: string, version: number): Promise<StoredVersion> => {
    const found = await store.findVersion(id, version);
    if (found !== undefined && found.deletedAt === null) return found;
    await find(id);
    throw missingVersion(id, version);
  };

  const newVersion = (caller: Principal, { label, notes, ...given }: GivenVersion) => ({
    ...{ ...given, label: label ?? null, notes: notes ?? null, createdBy: caller.userId },
  });

  const create = async (caller: Principal, given: GivenComponent, id: string): Promise<StoredComponent> => {
    const { kind, name, description, metadata, version } = given;
    if ((await store.list({ limit: 1, offset: 0, maxBytes: 0 })).total >= maxComponents)
      throw new TroupeError("badRequest", `The platform has ${maxComponents} components: delete one of them first`);
    const component = { id, kind, name, description: description ?? null, metadata: metadata ?? null };
    const first = version && newVersion(caller, version);
    const created = await store.create({ ...component, createdBy: caller.userId }, first);
    if (created === undefined) throw taken(id);
    await onChange();
    return created;
  };

  const setCurrent = async (caller: Principal, id: string, version: number | null): Promise<StoredComponent> => {
    mayChange(caller);
    const component = await find(id);
    if (version !== null) {
      const { config, stage } = await findVersion(id, version);
      if (stage === "draft") throw notPublished(id, version);
      // The code may have changed since the version was saved.
      await checkConfig(component, config);
    }
    const changed = await store.change(id, { currentVersion: version });
    if (typeof changed === "object") {
      await onChange();
      return changed;
    }
    throw changed === "gone" ? missing(id) : missingVersion(id, version ?? 0);
  };

  const current = async (id: string): Promise<StoredVersion> => {
    const { currentVersion } = await find(id);
    const found = currentVersion === null ? await store.newestVersion(id) : await findVersion(id, currentVersion);
    if (found === undefined) throw new TroupeError("notFound", `Component ${id} has no config`);
    return found;
  };

  const createChecked: VersionCalls["create"] = async (caller, given) => {
    mayChange(caller);
    const { kind, name, description = null, version } = given;
    const id = given.id ?? slugOf(name);
    const fault = faultOfComponentId(id);
    if (fault !== undefined)
      throw new TroupeError("validation", `The component id "${id}" ${fault}: specify component_id`);
    const entry = registry.findInCode(kind, id);
    if (entry && (isRemote(entry) || isFactory(entry)))
      throw new TroupeError(
        "badRequest",
        `${isRemote(entry) ? "A remote component" : "A factory"} has the id ${id}: it cannot have versions`,
      );
    // A name that happens to be the name of a component in code must not replace its options.
    if (given.id === undefined && kindsInCode(id).length > 0) throw taken(id);
    if (version) await checkConfig({ kind, id, name, description }, version.config);
    return await create(caller, given, id);
  };

  const add: VersionCalls["add"] = async (caller, id, given) => {
    mayChange(caller);
    const found = await store.find(id);
    const kinds = found ? [found.kind] : kindsInCode(id);
    const [kind] = kinds;
    if (kind === undefined) throw missing(id);
    if (kinds.length > 1)
      throw new TroupeError(
        "badRequest",
        `Code defines components of several types with the id ${id}: create the component with its component_type first`,
      );
    const name = found?.name ?? registry.findInCode(kind, id)?.name ?? id;
    await checkConfig(found ?? { kind, id, name, description: null }, given.config);
    if (!found) {
      try {
        await create(caller, { kind, name }, id);
      } catch (error) {
        // Another request has created it.
        if (!(error instanceof TroupeError) || error.code !== "conflict") throw error;
      }
    }
    const added = await store.addVersion(id, newVersion(caller, given));
    if (added === undefined) throw missing(id);
    if (added.stage === "published") await onChange();
    return added;
  };

  return {
    list: (query) => store.list({ ...query, maxBytes: maxListingBytes }),
    find,

    create: createChecked,

    async change(caller, id, { kind, currentVersion, ...changes }) {
      mayChange(caller);
      const found = await find(id);
      if (kind !== undefined && kind !== found.kind)
        throw new TroupeError("badRequest", `Component ${id} is of the type ${found.kind}, which cannot change`);
      const current = currentVersion === undefined ? found : await setCurrent(caller, id, currentVersion);
      if (Object.values(changes).every((value) => value === undefined)) return current;
      const changed = await store.change(id, changes);
      if (typeof changed !== "object") throw missing(id);
      await onChange();
      return changed;
    },

    async remove(caller, id, isForced = false) {
      mayChange(caller);
      await refuseUsed(await find(id), isForced);
      if (!(await store.remove(id))) throw missing(id);
      await onChange();
    },

    async versions(id, query) {
      const found = await store.listVersions(id, { ...query, maxBytes: maxListingBytes });
      // A component that code defines has no row until its first version is saved.
      if (found.length === 0 && kindsInCode(id).length === 0) await find(id);
      return found;
    },

    version: findVersion,

    current,
    add,

    async changeVersion(caller, id, version, changes) {
      mayChange(caller);
      const [component, found] = await Promise.all([find(id), findVersion(id, version)]);
      if (found.stage === "published") {
        // A repeated request to publish has nothing left to do.
        const { stage, ...others } = changes;
        if (stage === "published" && Object.values(others).every((value) => value === undefined)) return found;
        throw published(id, version);
      }
      if (changes.config !== undefined || changes.stage === "published")
        await checkConfig(component, changes.config ?? found.config);
      const changed = await store.changeVersion(id, version, changes);
      if (changed === "gone") throw missingVersion(id, version);
      if (changed === "published") throw published(id, version);
      if (changed.stage === "published") await onChange();
      return changed;
    },

    async removeVersion(caller, id, version) {
      mayChange(caller);
      await findVersion(id, version);
      const removed = await store.removeVersion(id, version);
      if (removed === "gone") throw missingVersion(id, version);
      if (removed === "current") throw new TroupeError("badRequest", `Cannot delete current config ${id} v${version}`);
    },

    setCurrent,

    async unsetCurrent(caller, id, isForced = false) {
      mayChange(caller);
      await refuseUsed(await find(id), isForced);
      return await setCurrent(caller, id, null);
    },

    async export(id, version) {
      const [component, found] = await Promise.all([
        find(id),
        version === undefined ? current(id) : findVersion(id, version),
      ]);
      return { component, version: found };
    },

    async import(caller, { component, version: { config, label, notes } }) {
      mayChange(caller);
      const { id, kind, name, description, metadata } = component;
      const found = await store.find(id);
      if (found && found.kind !== kind)
        throw new TroupeError("badRequest", `Component ${id} is of the type ${found.kind}, which cannot change`);
      const newest = found && (await store.newestVersion(id));
      if (newest && isDeepStrictEqual(newest.config, config)) return { version: newest, isNew: false };
      const draft = {
        config,
        label: label ?? undefined,
        notes: notes ?? undefined,
        stage: "draft",
        setsCurrent: true,
      } as const;
      if (found) return { version: await add(caller, id, draft), isNew: true };
      const texts = { description: description ?? undefined, metadata: metadata ?? undefined };
      await createChecked(caller, { kind, name, id, ...texts, version: draft });
      return { version: await current(id), isNew: true };
    },
  };
}

/** The id of a component with this name, in the form of the contract: `Comp One` has the id `comp-one`. */
function slugOf(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
}

function faultOfComponentId(id: string): string | undefined {
  // Rules of components in code: the id is part of URLs.
  return faultOfId(id) ?? (/[/\\?#%]/.test(id) ? "must not hold / \\ ? # or %" : undefined);
}
