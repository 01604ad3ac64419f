/** Finds the component that a run executes: a hosted one, or one that a factory builds from the run's start parameters. */
import { type Factory, type FactoryContext, isFactory } from "../define/factory.ts";
import { type Entry, type Hosted, refuseCycles } from "../define/platform.ts";
import { isOwn, type Registry } from "../define/registry.ts";
import { isRemote, type Remote } from "../define/remote.ts";
import { TroupeError } from "../errors.ts";
import { abortable } from "../model/abortable.ts";
import { type ComponentKind, kindTitles } from "../model/run/run.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { ClaimedRun } from "../store/contract/store.ts";
import { RunFailure } from "./loops/contract.ts";
import type { ModelSources } from "./model-call/model-packages.ts";
import { resolveModels } from "./model-call/models.ts";
import { retryWhileUnavailable } from "./process/retry-while-unavailable.ts";
import { Bearers, bearerFor } from "./remote/bearers.ts";
import { toTroupeError } from "./remote/failures.ts";
import { placeholderFor, toHosted } from "./remote/placeholder.ts";
import { upstreamOf } from "./remote/protocols.ts";
import type { UpstreamCall, UpstreamStart } from "./remote/upstream.ts";
import { type StoredOptions, storedCaller } from "./run/stored-options.ts";
import type { LiveVersions, PinnedVersions, SelectedVersion } from "./versions/live-versions.ts";

/** A factory's context, taken from the start request or from the run's row. */
export type BuildContext = Omit<FactoryContext, "input"> & {
  readonly input: Readonly<Record<string, unknown>> | undefined;
};

/** Dependencies of `Components`. */
export interface ComponentsParts {
  readonly registry: Registry;
  /** Resolves model names (`provider:model`) in components that factories build. */
  readonly modelSources: ModelSources;
  readonly settings: Settings;
  readonly runtime: Runtime;
  /** Undefined: code alone defines the components. */
  readonly versions?: LiveVersions | undefined;
}

/** The fields of a run that determine its component. */
type StoredRun = Pick<ClaimedRun, "kind" | "componentId" | "options" | "userId" | "cancelRequested">;

/** Attempts to build the component of a recovered run. No client waits for it, and the failure may be temporary. */
const maxAttempts = 3;
/** Milliseconds before the second attempt; doubled for each later attempt. */
const firstDelay = 1_000;

export class Components {
  readonly #parts: ComponentsParts;
  /** Tokens of callers, for components that other servers execute. */
  readonly bearers: Bearers;

  constructor(parts: ComponentsParts) {
    this.#parts = parts;
    this.bearers = new Bearers(parts.runtime.clock, parts.registry.hosted);
  }

  /** Returns the component of a request. @throws TroupeError `notFound`, `validation` (a version that cannot be used), or the factory's own error */
  find(kind: ComponentKind, id: string, context: BuildContext, version?: SelectedVersion): Hosted | Promise<Hosted> {
    if (version !== undefined) return this.at(kind, id, version);
    const entry = this.#parts.registry.find(kind, id);
    if (!entry) throw new TroupeError("notFound", `${kindTitles[kind]} not found`);
    if (isRemote(entry)) return toHosted(entry);
    return isFactory(entry) ? this.#build(entry, context) : entry;
  }

  /** Returns the component of a version. @throws TroupeError `notFound`, `validation` (a version that cannot be used) */
  at(kind: ComponentKind, id: string, version: SelectedVersion): Hosted | Promise<Hosted> {
    const { registry, versions } = this.#parts;
    if (version !== "code" && versions) return versions.named(kind, id, version);
    const entry = registry.findInCode(kind, id);
    if (!entry || !isOwn(entry)) throw new TroupeError("notFound", `${kindTitles[kind]} not found`);
    return entry;
  }

  /**
   * Starts a run on the server that executes it; returns undefined for a local component.
   * @throws TroupeError with the other server's error; `badGateway` when it does not answer
   */
  async open(
    entry: Entry,
    start: UpstreamStart,
    { bearer, trace }: Pick<UpstreamCall, "bearer" | "trace">,
  ): Promise<Hosted | undefined> {
    if (!isRemote(entry)) return undefined;
    const connection = new AbortController();
    try {
      const call = { bearer: await bearerFor(entry, bearer), signal: connection.signal, trace };
      const events = await upstreamOf(entry, this.#parts).start(start, call);
      return placeholderFor({ remote: entry, opened: { events, connection } });
    } catch (error) {
      throw toTroupeError(entry, error);
    }
  }

  /** Returns the remote server's description of a component. @throws TroupeError */
  async describe(remote: Remote, bearer: string | undefined): Promise<Readonly<Record<string, unknown>>> {
    const { signal } = new AbortController();
    try {
      return await upstreamOf(remote, this.#parts).describe({ bearer: await bearerFor(remote, bearer), signal });
    } catch (error) {
      throw toTroupeError(remote, error);
    }
  }

  /**
   * Returns the component of a run, with the versions that it began with; undefined when this process does not host it.
   * @throws TroupeError with the factory's error; RunFailure for a version that cannot be used any more
   */
  ofRun(run: StoredRun, signal: AbortSignal = never): Hosted | undefined | Promise<Hosted | undefined> {
    const { registry, versions } = this.#parts;
    const pinned = pinnedIn(run.options);
    if (pinned && versions)
      return retryWhileUnavailable(this.#parts, signal, () => versions.pinned(run.kind, run.componentId, pinned));
    const entry = registry.findInCode(run.kind, run.componentId) ?? registry.find(run.kind, run.componentId);
    if (!entry) return undefined;
    if (isRemote(entry)) return toHosted(entry);
    if (!isFactory(entry)) return entry;
    // A run can be cancelled without its component.
    return run.cancelRequested ? undefined : this.#buildWithRetries(entry, run);
  }

  /** Returns the component of a run that a request concerns; undefined when this process cannot build it. @throws TroupeError with the factory's error */
  async ofStored(run: Omit<StoredRun, "cancelRequested">): Promise<Hosted | undefined> {
    try {
      return await this.ofRun({ ...run, cancelRequested: false });
    } catch (error) {
      // The run itself reports that its version is gone.
      if (error instanceof RunFailure) return undefined;
      throw error;
    }
  }

  async #buildWithRetries(factory: Factory, { options, userId }: StoredRun): Promise<Hosted> {
    const { clock } = this.#parts.runtime;
    const { caller, factoryInput: input, dependencies = {} } = JSON.parse(options) as StoredOptions;
    const context = { input, principal: storedCaller(caller), userId, dependencies };
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#build(factory, context);
      } catch (error) {
        if (attempt >= maxAttempts || !(error instanceof TroupeError) || error.code !== "factoryFailed") throw error;
        await clock.sleep(firstDelay * 2 ** (attempt - 1));
      }
    }
  }

  async #build(factory: Factory, context: BuildContext): Promise<Hosted> {
    const title = kindTitles[factory.kind];
    const input = await readInput(factory, context.input);
    try {
      const { principal, userId, dependencies } = context;
      const given = { input, principal, userId, dependencies } as FactoryContext<never>;
      const made: Hosted = await this.#inTime(async () => factory.build(given));
      const component = identified(factory, made);
      await resolveModels(platformOf(component), this.#parts.modelSources);
      return component;
    } catch (error) {
      if (error instanceof TroupeError && error.status < 500) throw error;
      this.#parts.runtime.log.error({ error, factory: factory.id }, `The ${title.toLowerCase()} factory failed.`);
      throw new TroupeError("factoryFailed", `${title} factory error`, { cause: error });
    }
  }

  async #inTime<Value>(work: () => Promise<Value>): Promise<Value> {
    const { runtime, settings } = this.#parts;
    const late = new AbortController();
    const stop = runtime.clock.after(settings.factoryTimeout, () =>
      late.abort(new Error(`It took longer than ${settings.factoryTimeout / 1000} s.`)),
    );
    try {
      return await abortable(work(), late.signal);
    } finally {
      stop();
    }
  }
}

/** The versions that a run began with; undefined if code alone defines its component. */
function pinnedIn(options: string): PinnedVersions | undefined {
  // Most runs have none, and their options need not be parsed here.
  if (!options.includes('"versions":{')) return undefined;
  const { versions, config } = JSON.parse(options) as StoredOptions;
  return versions && { versions, config };
}

const never = new AbortController().signal;

/** Parses `factory_input` with the factory's schema. @throws TroupeError `badRequest` */
async function readInput({ input: schema }: Factory, given: BuildContext["input"]): Promise<unknown> {
  if (!schema) return given ?? {};
  const result = await schema.safeParseAsync(given ?? {});
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
  throw new TroupeError("badRequest", `factory_input does not fit: ${faults.join("; ")}`);
}

/** Returns the built component under the factory's id, because its runs are found by that id. */
function identified({ kind, id }: Factory, made: unknown): Hosted {
  const found = (made ?? {}) as Partial<Hosted>;
  if (found.kind !== kind) throw new Error(`It built no ${kind}, but ${JSON.stringify(found.kind) ?? "nothing"}.`);
  const component = Object.freeze({ ...(made as Hosted), id });
  if (component.kind === "team") refuseCycles(component, []);
  return component;
}

/** A platform that hosts this component only. */
function platformOf(component: Hosted): Parameters<typeof resolveModels>[0] {
  const { kind } = component;
  if (kind === "workflow") return { agents: [], teams: [], workflows: [component] };
  return kind === "team" ? { agents: [], teams: [component] } : { agents: [component], teams: [] };
}
