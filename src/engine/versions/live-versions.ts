/**
 * The versions of components that runs use. Each process reads them when they change, builds the components, and puts them into its registry. A run
 * keeps the versions that it began with: they are stored with it, and built again in any process that executes it.
 */
import {
  type ComponentKey,
  type ComponentVersion,
  type ComponentVersions,
  type ConfigurablePlatform,
  ConfiguredComponents,
  keyOf,
  type LiveVersion,
  namesIn,
  toVersion,
  toVersions,
  type VersionNumbers,
  versionsOf,
} from "../../define/configuration/versions.ts";
import { isFactory } from "../../define/factory.ts";
import type { Entry, Hosted } from "../../define/platform.ts";
import type { LiveEntries, Registry, VersionFault } from "../../define/registry.ts";
import { isRemote } from "../../define/remote.ts";
import { ConfigurationError, isUnavailable, TroupeError } from "../../errors.ts";
import { type ComponentKind, kindTitles } from "../../model/run/run.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { ComponentVersionStore } from "../../store/contract/component-versions.ts";
import type { Signals } from "../../store/contract/signals.ts";
import type { Store } from "../../store/contract/store.ts";
import { RunFailure } from "../loops/contract.ts";
import type { ModelSources } from "../model-call/model-packages.ts";
import { resolveModels } from "../model-call/models.ts";
import { DueLoop } from "../process/due-loop.ts";

/** Milliseconds between two reads of the revision. A signal makes the process read at once. */
const pollInterval = 1_000;
/** Max versions that are kept in memory, and max components that were built from earlier versions. */
const maxKept = 500;

/** The versions of a run, and the config of the draft that it tries. */
export interface PinnedVersions {
  readonly versions: VersionNumbers;
  readonly config?: ComponentVersion["config"] | undefined;
}

/** A version that a start names. */
export interface NamedVersion extends ComponentVersion {
  /** Whether it can still change: the run then stores its config. */
  readonly isDraft: boolean;
}

/** A version, or the definition in code, that a start selects. */
export type SelectedVersion = NamedVersion | "code";

/** Dependencies of `LiveVersions`. */
export interface LiveVersionsParts {
  readonly platform: ConfigurablePlatform;
  readonly registry: Registry;
  readonly versions: Pick<ComponentVersionStore, "revision" | "live" | "find" | "findVersion" | "hasVersions">;
  readonly store: Pick<Store, "unhostedRuns">;
  readonly signals: Pick<Signals, "listen">;
  readonly modelSources: ModelSources;
  readonly runtime: Runtime;
}

export class LiveVersions {
  readonly #parts: LiveVersionsParts;
  readonly #loop: DueLoop;
  #unlisten: (() => void) | undefined;
  #revision = 0;
  /** The versions that are in use: of a component whose version cannot be built, the one before. */
  #live: ComponentVersions = new Map();
  #refreshing: Promise<void> | undefined;
  /** Faults that were logged. */
  #logged: ReadonlySet<string> = new Set();
  readonly #read = new Map<string, Promise<ComponentVersion | undefined>>();
  readonly #pinned = new Map<string, Promise<Hosted>>();
  readonly #named = new WeakMap<NamedVersion, Promise<Hosted>>();

  constructor(parts: LiveVersionsParts) {
    this.#parts = parts;
    this.#loop = new DueLoop({ clock: parts.runtime.clock, poll: () => this.#poll() });
  }

  /** Builds the components before the first run. Waits while the database is unreachable. */
  async open(): Promise<void> {
    for (;;) {
      try {
        return await this.refresh();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await this.#parts.runtime.clock.sleep(pollInterval / 4);
      }
    }
  }

  /** Uses what is stored now. */
  async refresh(): Promise<void> {
    // A read in progress may have begun before a change.
    await this.#refreshing?.catch(() => undefined);
    this.#refreshing ??= this.#readLive().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  /** Follows changes. */
  start(): void {
    this.#unlisten = this.#parts.signals.listen(({ topic }) => {
      if (topic === "components" || topic === "all") this.#loop.wake();
    });
    this.#loop.start();
  }

  async close(): Promise<void> {
    this.#unlisten?.();
    await this.#loop.stop();
  }

  /**
   * Checks a version before it is saved, with the same checks as code.
   * @throws ConfigurationError naming the component and the fix
   */
  async check({
    kind,
    id,
    config,
    ...component
  }: LiveVersion["component"] & Pick<ComponentVersion, "config">): Promise<void> {
    const live = toVersions(await this.#parts.versions.live());
    const version = toVersion(component, { version: 0, config });
    await this.#build(kind, id, new Map([...live, [keyOf(kind, id), version]]));
  }

  /**
   * The components whose current versions name a component and cannot be built without its current version. Empty for a component that code defines, too:
   * they use the code then.
   */
  async usersOf({ kind, id }: Pick<LiveVersion["component"], "kind" | "id">): Promise<readonly ComponentKey[]> {
    const { platform, versions } = this.#parts;
    const all = toVersions(await versions.live());
    const others = new Map(all);
    if (!others.delete(keyOf(kind, id))) return [];
    const before = ConfiguredComponents.faultsIn(platform, all);
    const after = ConfiguredComponents.faultsIn(platform, others);
    return [...after.keys()].filter((key) => !before.has(key));
  }

  /** The component of a start that names a version. @throws TroupeError `validation` for a version that cannot be built here */
  named(kind: ComponentKind, id: string, version: NamedVersion): Promise<Hosted> {
    // A start checks its version before it uses it.
    const known = this.#named.get(version);
    if (known) return known;
    const building = this.#buildNamed(kind, id, version);
    this.#named.set(version, building);
    return building;
  }

  async #buildNamed(kind: ComponentKind, id: string, version: NamedVersion): Promise<Hosted> {
    try {
      return await this.#build(kind, id, new Map([...this.#live, [keyOf(kind, id), version]]));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new TroupeError("validation", `Config ${id} v${version.version} cannot be used: ${error.message}`, {
        cause: error,
      });
    }
  }

  /** The component of a run that began with versions. @throws RunFailure if one of them cannot be built any more */
  async pinned(kind: ComponentKind, id: string, { versions, config }: PinnedVersions): Promise<Hosted> {
    const current = this.#parts.registry.find(kind, id);
    if (current && config === undefined && isSame(versionsOf(current as Hosted), versions)) return current as Hosted;
    const name = JSON.stringify([kind, id, Object.entries(versions).sort()]);
    if (config !== undefined) return await this.#buildPinned(kind, id, { versions, config });
    const building = this.#pinned.get(name) ?? this.#buildPinned(kind, id, { versions });
    keep(this.#pinned, name, building);
    return await building;
  }

  async #buildPinned(kind: ComponentKind, id: string, { versions, config }: PinnedVersions): Promise<Hosted> {
    const own = keyOf(kind, id);
    const entries = Object.entries(versions) as [ComponentKey, number][];
    const read = entries.map(async ([key, version]): Promise<[ComponentKey, ComponentVersion]> => {
      if (config !== undefined && key === own) return [key, { version, config, name: id }];
      const found = await this.#versionOf(key, version);
      if (found) return [key, found];
      throw gone(key, version);
    });
    try {
      return await this.#build(kind, id, new Map(await Promise.all(read)));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new RunFailure(
        "definition_changed",
        `The version of the ${kind} "${id}" with which the run began cannot be used any more: ${error.message}`,
        error,
      );
    }
  }

  async #build(kind: ComponentKind, id: string, versions: ComponentVersions): Promise<Hosted> {
    const found = new ConfiguredComponents(this.#parts.platform, versions).find(kind, id);
    if (!found || isFactory(found) || isRemote(found))
      throw new ConfigurationError(`${kindTitles[kind]} "${id}" has no definition.`);
    await this.#resolve(found);
    return found;
  }

  #versionOf(key: ComponentKey, version: number): Promise<ComponentVersion | undefined> {
    const name = `${key}@${version}`;
    const reading = this.#read.get(name) ?? this.#readVersion(namesIn(key).id, version);
    keep(this.#read, name, reading);
    return reading;
  }

  async #readVersion(id: string, version: number): Promise<ComponentVersion | undefined> {
    const { versions } = this.#parts;
    const [component, found] = await Promise.all([versions.find(id), versions.findVersion(id, version)]);
    return found && toVersion(component ?? { name: id, description: null }, found);
  }

  async #poll(): Promise<number> {
    try {
      await this.refresh();
    } catch (error) {
      if (!isUnavailable(error))
        this.#parts.runtime.log.warn({ error }, "The versions of components could not be read; trying again.");
    }
    return pollInterval;
  }

  async #readLive(): Promise<void> {
    // First the revision: a change in between is read again.
    const revision = await this.#parts.versions.revision();
    if (revision === this.#revision) return;
    const live = await this.#parts.versions.live();
    const { components, versions, faults } = await this.#usable(toVersions(live));
    const hosted = this.#hosted(components, versions);
    const retired = await this.#retired(hosted, live);
    this.#live = versions;
    this.#parts.registry.use({ entries: hosted, faults, retired });
    this.#revision = revision;
  }

  /** Builds all components. A version that cannot be built is replaced by the version before, or left out. */
  async #usable(wanted: ComponentVersions): Promise<{
    readonly components: ConfiguredComponents;
    readonly versions: ComponentVersions;
    readonly faults: LiveEntries["faults"];
  }> {
    const versions = new Map(wanted);
    const faults = new Map<ComponentKey, VersionFault>();
    for (;;) {
      const components = new ConfiguredComponents(this.#parts.platform, versions);
      const found = await this.#faultsOf(components, versions);
      if (found.size === 0) {
        this.#report(faults);
        return { components, versions, faults };
      }
      for (const [key, message] of found) {
        const isFirst = !faults.has(key);
        if (isFirst) faults.set(key, { version: wanted.get(key)?.version ?? 0, message });
        const before = isFirst ? this.#live.get(key) : undefined;
        if (before) versions.set(key, before);
        else versions.delete(key);
      }
    }
  }

  async #faultsOf(
    components: ConfiguredComponents,
    versions: ComponentVersions,
  ): Promise<ReadonlyMap<ComponentKey, string>> {
    const found = new Map<ComponentKey, string>();
    const inCode = new Map<ComponentKey, string>();
    for (const key of this.#keys(versions)) {
      const { kind, id } = namesIn(key);
      let entry: Entry | undefined;
      try {
        entry = components.find(kind, id);
        if (entry && !isFactory(entry) && !isRemote(entry)) await this.#resolve(entry);
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        // A model of the component is not available, or a version within it has a fault of its own.
        if (versions.has(key)) found.set(key, error.message);
        else for (const other of within(entry) ?? versions.keys()) inCode.set(other, error.message);
      }
    }
    if (components.faults.size > 0) return new Map([...components.faults].map(([key, { message }]) => [key, message]));
    // The versions within a definition in code are suspected only if no version has a fault of its own.
    return found.size > 0 ? found : inCode;
  }

  #keys(versions: ComponentVersions): readonly ComponentKey[] {
    const inCode = this.#parts.registry.inCode.map((entry) => keyOf(entry.kind, entry.id));
    return [...new Set([...inCode, ...versions.keys()])];
  }

  #hosted(components: ConfiguredComponents, versions: ComponentVersions): readonly Entry[] {
    return this.#keys(versions).flatMap((key) => {
      const { kind, id } = namesIn(key);
      return components.find(kind, id) ?? [];
    });
  }

  async #resolve(component: Hosted): Promise<void> {
    if (versionsOf(component) === undefined) return;
    const { kind } = component;
    const agents = kind === "agent" ? [component] : [];
    const teams = kind === "team" ? [component] : [];
    await resolveModels({ agents, teams, workflows: kind === "workflow" ? [component] : [] }, this.#parts.modelSources);
  }

  /**
   * Components that new runs do not use, but whose runs this process can execute, because the versions are stored: components whose drafts are tried, and
   * deleted ones with unfinished runs.
   */
  async #retired(hosted: readonly Entry[], live: readonly LiveVersion[]): Promise<LiveEntries["retired"]> {
    const { store, versions } = this.#parts;
    const known = new Set(hosted.map((entry) => keyOf(entry.kind, entry.id)));
    const others = live.flatMap(({ component: { kind, id } }) => (known.has(keyOf(kind, id)) ? [] : [{ kind, id }]));
    // A paused run may go on while nothing changes the versions, and this is read only when they change.
    const unhosted = await store.unhostedRuns([...hosted, ...others], true);
    const stored = unhosted.map(async ({ kind, componentId }) => {
      // Not a certain number: the retention removes versions, and the numbers of a component that is created again go on.
      return (await versions.hasVersions(componentId)) ? [{ kind, id: componentId }] : [];
    });
    return [...others, ...(await Promise.all(stored)).flat()];
  }

  /** Logs each fault once. */
  #report(faults: LiveEntries["faults"]): void {
    const logged = new Set<string>();
    for (const [component, { version, message }] of faults) {
      const name = `${component}@${version}`;
      logged.add(name);
      if (this.#logged.has(name)) continue;
      this.#parts.runtime.log.error(
        { component, version, reason: message },
        "A published version cannot be used by this process. The version or definition before it stays in use.",
      );
    }
    this.#logged = logged;
  }
}

/** The components with versions within an entry; undefined if it could not be built. */
function within(entry: Entry | undefined): readonly ComponentKey[] | undefined {
  const versions = entry && !isFactory(entry) && !isRemote(entry) ? versionsOf(entry) : undefined;
  return versions && (Object.keys(versions) as ComponentKey[]);
}

function gone(key: ComponentKey, version: number): RunFailure {
  const { kind, id } = namesIn(key);
  return new RunFailure(
    "definition_changed",
    `The ${kind} "${id}" has no version ${version} any more, with which the run began.`,
  );
}

function isSame(one: VersionNumbers | undefined, other: VersionNumbers): boolean {
  const entries = Object.entries(other);
  if (!one || Object.keys(one).length !== entries.length) return false;
  return entries.every(([key, version]) => one[key as ComponentKey] === version);
}

/** Keeps the newest entries. A failed promise is not kept. */
function keep<Value>(kept: Map<string, Promise<Value>>, name: string, value: Promise<Value>): void {
  kept.delete(name);
  kept.set(name, value);
  const oldest = kept.size > maxKept ? kept.keys().next().value : undefined;
  if (oldest !== undefined) kept.delete(oldest);
  value.catch(() => {
    if (kept.get(name) === value) kept.delete(name);
  });
}
