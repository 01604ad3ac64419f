/** Builds the components of a platform from their definitions in code and from versions of their configs. */
import { ConfigurationError } from "../../errors.ts";
import { type ComponentKind, kindTitles } from "../../model/run/run.ts";
import { suggestion } from "../checks.ts";
import { isFactory } from "../factory.ts";
import type { Entry, Hosted, Platform } from "../platform.ts";
import { isRemote } from "../remote.ts";
import { runnable } from "../runnable.ts";
import type { Member } from "../team.ts";
import { componentsWithin } from "../within.ts";
import { withExecutors } from "../workflow/steps.ts";
import type { Executor } from "../workflow/types.ts";
import { type Config, configured } from "./configured.ts";
import { type FindExecutor, type PartsSource, type RegisteredParts, registeredParts } from "./parts.ts";

/** Kind and id of a component: `agent/researcher`. */
export type ComponentKey = `${ComponentKind}/${string}`;

/** A version of a component's config. */
export interface ComponentVersion {
  readonly version: number;
  readonly config: Config;
  /** Name and description of a component without a definition in code. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** A version for each component that does not use its definition in code. */
export type ComponentVersions = ReadonlyMap<ComponentKey, ComponentVersion>;

/** Numbers of the versions of a component and of the components within it. */
export type VersionNumbers = Readonly<Record<ComponentKey, number>>;

/** The part of a platform that components are built from. */
export type ConfigurablePlatform = PartsSource & Pick<Platform, "factories" | "remotes">;

export function keyOf(kind: ComponentKind, id: string): ComponentKey {
  return `${kind}/${id}`;
}

/** The kind and the id of a key. */
export function namesIn(key: ComponentKey): { readonly kind: ComponentKind; readonly id: string } {
  const slash = key.indexOf("/");
  return { kind: key.slice(0, slash) as ComponentKind, id: key.slice(slash + 1) };
}

/** The key and the version of each component that a version built. */
const builtFrom = new WeakMap<Executor, readonly [ComponentKey, number]>();
/** The versions within each component; undefined for components without one. */
const within = new WeakMap<Executor, VersionNumbers>();

/** The versions that a component and the components within it were built from; undefined if code alone defines them. */
export function versionsOf(component: Executor): VersionNumbers | undefined {
  return within.get(component);
}

/** The version that a component itself was built from; undefined if code defines it. */
export function versionOf(component: object): number | undefined {
  return builtFrom.get(component as Executor)?.[1];
}

/** A stored component with the version that its runs use. */
export interface LiveVersion {
  readonly component: {
    readonly kind: ComponentKind;
    readonly id: string;
    readonly name: string;
    readonly description: string | null;
  };
  /** Null: no version is published. */
  readonly version: Pick<ComponentVersion, "version" | "config"> | null;
}

/** Returns the versions that runs use by component. */
export function toVersions(live: readonly LiveVersion[]): ComponentVersions {
  const versions = live.flatMap(({ component, version }) =>
    version ? [[keyOf(component.kind, component.id), toVersion(component, version)] as const] : [],
  );
  return new Map(versions);
}

/** Returns a version with the name and the description of its component. */
export function toVersion(
  { name, description }: Pick<LiveVersion["component"], "name" | "description">,
  { version, config }: Pick<ComponentVersion, "version" | "config">,
): ComponentVersion {
  return { version, config, name, description: description ?? undefined };
}

/** The member of the event that starts a run: the version of its component, if it has one. */
export function versionFieldsOf(component: object): { readonly component_version?: number } {
  const version = versionOf(component);
  return version === undefined ? {} : { component_version: version };
}

/** Components by kind and id. Each component is built when it is first needed. */
export class ConfiguredComponents {
  readonly #code: ReadonlyMap<ComponentKey, Entry>;
  readonly #parts: RegisteredParts;
  readonly #versions: ComponentVersions;
  readonly #built = new Map<ComponentKey, Entry>();
  /** Definitions in code with the current versions of their members and steps. */
  readonly #current = new Map<Executor, Executor>();
  /** The first fault of each version that cannot be built. */
  readonly faults: Map<ComponentKey, ConfigurationError> = new Map();

  constructor(platform: ConfigurablePlatform, versions: ComponentVersions) {
    const { agents, teams, workflows, factories, remotes } = platform;
    const hosted: readonly Entry[] = [...agents, ...teams, ...workflows, ...factories, ...remotes];
    this.#code = new Map(hosted.map((entry) => [keyOf(entry.kind, entry.id), entry]));
    this.#parts = partsOf(platform);
    this.#versions = versions;
  }

  /** The faults of the versions that cannot be built. Models are not looked up. */
  static faultsIn(
    platform: ConfigurablePlatform,
    versions: ComponentVersions,
  ): ReadonlyMap<ComponentKey, ConfigurationError> {
    const components = new ConfiguredComponents(platform, versions);
    for (const key of versions.keys()) {
      try {
        components.#find(key, []);
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
      }
    }
    return components.faults;
  }

  /** The component; undefined if neither code nor a version defines it. @throws ConfigurationError for a version that cannot be built */
  find(kind: ComponentKind, id: string): Entry | undefined {
    return this.#find(keyOf(kind, id), []);
  }

  #find(key: ComponentKey, path: readonly ComponentKey[]): Entry | undefined {
    const known = this.#built.get(key);
    if (known) return known;
    const code = this.#code.get(key);
    const version = this.#versions.get(key);
    if (version === undefined && (code === undefined || isFactory(code) || isRemote(code))) return code;
    const entry =
      version === undefined ? this.#withCurrentParts(code as Hosted, [...path, key]) : this.#build(key, version, path);
    if (!isFactory(entry)) note(entry as Executor);
    this.#built.set(key, entry);
    return entry;
  }

  #build(key: ComponentKey, version: ComponentVersion, path: readonly ComponentKey[], own?: Hosted): Hosted {
    const { kind, id } = namesIn(key);
    try {
      if (path.includes(key)) throw cycle(kind, id, [...path, key]);
      const code = own ?? this.#code.get(key);
      if (code && (isFactory(code) || isRemote(code)))
        throw new ConfigurationError(
          `${kindTitles[kind]} "${id}" is ${isRemote(code) ? "executed by another server" : "built by a factory"}: it has no versions.`,
        );
      const inner = [...path, key];
      const { config, name, description } = version;
      const replacesParts = kind === "workflow" ? config.steps != null : config.members != null;
      const base = code && (replacesParts ? code : this.#withCurrentParts(code, inner));
      const find: FindExecutor = (title, kinds, wanted) => this.#executor(title, kinds, wanted, inner);
      const built = configured({ kind, id, base, config, name, description }, { parts: this.#parts, find });
      builtFrom.set(built, [key, version.version]);
      return built;
    } catch (error) {
      // A fault of a component within is a fault of that component's own version.
      if (error instanceof ConfigurationError && ![...this.faults.values()].includes(error))
        this.faults.set(key, error);
      throw error;
    }
  }

  #executor(title: string, kinds: readonly ComponentKind[], id: string, path: readonly ComponentKey[]): Executor {
    const found = kinds.flatMap((kind) => this.#find(keyOf(kind, id), path) ?? []);
    const [entry] = found;
    if (found.length > 1)
      throw new ConfigurationError(
        `${title} names "${id}", and the platform has several: write its kind, for instance { "${entry?.kind}": "${id}" }.`,
      );
    if (entry === undefined)
      throw new ConfigurationError(`${title} names the ${kinds.join(" or ")} "${id}", ${this.#hint(kinds, id)}`);
    if (isFactory(entry))
      throw new ConfigurationError(`${title} names "${id}", which is a factory: only a root run can use it.`);
    return entry as Executor;
  }

  #hint(kinds: readonly ComponentKind[], id: string): string {
    const keys = [...new Set([...this.#code.keys(), ...this.#versions.keys()])].map(namesIn);
    const ids = keys.filter(({ kind }) => kinds.includes(kind)).map((one) => one.id);
    return `which the platform does not have${ids.length === 0 ? "." : `: ${suggestion(id, ids)}`}`;
  }

  /** Returns a definition in code with the current versions of its members and steps. */
  #withCurrentParts(component: Hosted, path: readonly ComponentKey[]): Hosted {
    const known = this.#current.get(component);
    if (known) return known as Hosted;
    const replaced = this.#replaceParts(component, path);
    this.#current.set(component, replaced);
    return replaced;
  }

  #replaceParts(component: Hosted, path: readonly ComponentKey[]): Hosted {
    const replace = <Item extends Executor>(executor: Item): Item => this.#currentOf(executor, path) as Item;
    if (component.kind === "team") {
      const members = component.members.map((member): Member => replace(member));
      const isSame = members.every((member, place) => member === component.members[place]);
      return isSame ? component : (runnable({ ...component, members }) as Hosted);
    }
    if (component.kind !== "workflow") return component;
    const steps = component.steps.map((node) => withExecutors(node, replace));
    const isSame = steps.every((node, place) => node === component.steps[place]);
    return isSame ? component : (runnable({ ...component, steps }) as Hosted);
  }

  /** A version applies to members and steps that the platform also hosts by the same kind and id. */
  #currentOf(executor: Executor, path: readonly ComponentKey[]): Executor {
    if (isRemote(executor)) return executor;
    const key = keyOf(executor.kind, executor.id);
    const hosted = this.#code.get(key);
    if (executor === hosted) return this.#find(key, path) as Executor;
    const version = hosted && this.#versions.get(key);
    if (!version) return this.#withCurrentParts(executor, path);
    const known = this.#current.get(executor);
    if (known) return known;
    // The member's own definition differs from the hosted one, for instance in its role.
    const built = this.#build(key, version, path, executor);
    this.#current.set(executor, built);
    return built;
  }
}

const parts = new WeakMap<ConfigurablePlatform, RegisteredParts>();

function partsOf(platform: ConfigurablePlatform): RegisteredParts {
  const known = parts.get(platform) ?? registeredParts(platform);
  parts.set(platform, known);
  return known;
}

/** Notes the versions within a component. */
function note(component: Executor): void {
  const numbers = componentsWithin([component]).flatMap((one) => {
    const from = builtFrom.get(one);
    return from ? [from] : [];
  });
  if (numbers.length > 0) within.set(component, Object.fromEntries(numbers));
}

function cycle(kind: ComponentKind, id: string, path: readonly ComponentKey[]): ConfigurationError {
  const shown = path.slice(path.indexOf(keyOf(kind, id))).map((key) => namesIn(key).id);
  return new ConfigurationError(`${kindTitles[kind]} "${id}" contains itself (${shown.join(" > ")}): take it out.`);
}
