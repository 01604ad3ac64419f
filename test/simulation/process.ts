/** A simulated process: the real journal, logs, lease and engine over the shared database, wired as in `src/platform/server.ts`. */
import { Registry } from "../../src/define/registry.ts";
import { Components } from "../../src/engine/components.ts";
import { RunEngine } from "../../src/engine/engine.ts";
import { ToolServers } from "../../src/engine/mcp/tool-servers.ts";
import { PriceBook } from "../../src/engine/model-call/prices.ts";
import { Lease } from "../../src/engine/process/lease.ts";
import { OutageWatch } from "../../src/engine/process/outage-watch.ts";
import { RunMemory } from "../../src/engine/process/run-memory.ts";
import { AnsweredRuns } from "../../src/engine/run/answered-runs.ts";
import { LiveVersions } from "../../src/engine/versions/live-versions.ts";
import { Compactor } from "../../src/events/compactor.ts";
import { Journal, type JournalParts } from "../../src/events/journal.ts";
import { LiveLogs } from "../../src/events/live-log.ts";
import { Logs } from "../../src/events/logs.ts";
import type { RunLogs } from "../../src/events/run-logs.ts";
import type { RunWriter } from "../../src/events/run-writer.ts";
import { noMeasurements } from "../../src/model/measurements.ts";
import type { Log, Runtime } from "../../src/model/runtime.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { SimulatedClock } from "./clock.ts";
import { componentsFor } from "./components.ts";
import { memoryStore } from "./memory/store.ts";
import { Random } from "./random.ts";
import { Owner } from "./scheduler.ts";
import { SimulatedSignals } from "./signals.ts";
import { FaultyWire } from "./wire.ts";
import type { World } from "./world.ts";

/** A journal whose writers a check can read. */
export class WatchedJournal extends Journal {
  readonly writers: Map<number, RunWriter> = new Map();

  override open(run: Parameters<Journal["open"]>[0]): RunWriter {
    const writer = super.open(run);
    if ((this.writers.get(run.key)?.attempt ?? 0) < run.attempt) this.writers.set(run.key, writer);
    return writer;
  }
}

export class SimulatedProcess {
  readonly slot: number;
  readonly incarnation: number;
  readonly name: string;
  readonly id: string;
  readonly owner: Owner = new Owner();
  readonly runtime: Runtime;
  readonly store: Store;
  readonly signals: SimulatedSignals;
  readonly live: LiveLogs;
  readonly journal: WatchedJournal;
  readonly logs: RunLogs;
  readonly engine: RunEngine;
  phase: "opening" | "serving" | "draining" | "gone" = "opening";
  /** Callbacks of clients that wait for a response; called when the process ends. */
  readonly connections: Set<() => void> = new Set();
  readonly #world: World;
  readonly #ownLogs: Logs;
  readonly #compactor: Compactor;
  readonly #outages: OutageWatch;
  readonly #versions: LiveVersions | undefined;

  constructor(world: World, slot: number, incarnation: number) {
    const { plan, variant, database } = world;
    const { settings } = plan;
    const random = new Random(plan.seed, `process ${slot}.${incarnation}`);
    this.#world = world;
    this.slot = slot;
    this.incarnation = incarnation;
    this.name = `p${slot}.${incarnation}`;
    this.id = `${this.name}-${random.uuid()}`;
    const clock = new SimulatedClock(world.scheduler, this.owner, plan.clockErrors[slot] ?? 0);
    this.runtime = { clock, randomness: random, log: this.#log(), measurements: noMeasurements };
    const plain = memoryStore(database, new FaultyWire(world, this), this.runtime);
    this.store = variant.store?.(plain, this) ?? plain;
    this.signals = new SimulatedSignals(world, this);
    this.live = variant.live?.(settings, clock) ?? new LiveLogs(settings, clock);
    const shared = { store: this.store, signals: this.signals, runtime: this.runtime, settings };
    this.#compactor = new Compactor(this.store, this.runtime, settings);
    const onEnded = (key: number): void => this.#compactor.ended(key);
    const parts: JournalParts = { ...shared, live: this.live, living: () => lease.living, onEnded };
    this.journal = variant.journal?.(parts) ?? new WatchedJournal(parts);
    this.#ownLogs = new Logs(parts);
    this.logs = variant.logs?.(this.#ownLogs, this) ?? this.#ownLogs;
    const leaseParts = { store: this.store, runtime: this.runtime, settings, processId: this.id };
    const lease = variant.lease?.(leaseParts) ?? new Lease(leaseParts);
    const hosted = componentsFor(world, this);
    const registry = new Registry(hosted);
    const sources = { environment: {}, folder: "/nowhere" };
    const versions = plan.versions
      ? new LiveVersions({
          ...{ platform: hosted, registry, store: this.store, signals: this.signals, runtime: this.runtime },
          ...{ versions: world.versions.readsOver(new FaultyWire(world, this)), modelSources: sources },
        })
      : undefined;
    this.#versions = versions && (variant.versions?.(versions, registry) ?? versions);
    const components = new Components({
      ...{ registry, modelSources: sources, settings, runtime: this.runtime, versions: this.#versions },
    });
    const role = plan.roles?.[slot] ?? "all";
    this.engine = new RunEngine({
      ...shared,
      journal: this.journal,
      lease,
      memory: new RunMemory({ maxBytes: 512 * 1024, clock }),
      answered: new AnsweredRuns(),
      registry,
      components,
      toolServers: new ToolServers({ runtime: this.runtime, settings }),
      memories: { store: { latest: async () => [], change: async () => undefined }, wake: () => undefined },
      wakeCitations: () => undefined,
      learnings: { forRun: () => Promise.resolve([]), put: () => Promise.resolve(false) },
      searchKnowledge: async () => [],
      limits: undefined,
      prices: new PriceBook(false, this.runtime),
      role,
      processId: this.id,
    });
    const { store, runtime, engine } = this;
    this.#outages = new OutageWatch({ store, runtime, settings, logs: this.#ownLogs, engine });
  }

  get isDead(): boolean {
    return this.owner.state === "dead";
  }

  async open(): Promise<void> {
    this.tell("starts");
    // The embedded database has one process, so every RUNNING run is orphaned.
    if (this.#world.database.dialect === "sqlite") this.#world.database.processes.clear();
    await this.engine.open();
    await this.#versions?.open();
    // The process listens and claims waiting runs.
    if (this.phase !== "opening") return;
    this.phase = "serving";
    this.#versions?.start();
    this.engine.begin();
    this.#compactor.start();
    this.#outages.start();
  }

  /** Shuts down as on SIGTERM. */
  async drain(grace: number): Promise<void> {
    this.phase = "draining";
    this.tell("drains");
    await this.engine.drain(grace);
    await this.#versions?.close();
    this.#ownLogs.close();
    this.#outages.close();
    await this.#compactor.close();
    this.journal.close();
    await this.signals.close();
    await this.store.close();
    this.end();
  }

  /** Kills the process: none of its events happens any more. */
  end(): void {
    if (this.isDead) return;
    this.phase = "gone";
    this.owner.state = "dead";
    this.owner.held = [];
    this.tell("ends");
    for (const lose of [...this.connections]) lose();
  }

  tell(what: string): void {
    this.#world.trace.add(this.name, what);
  }

  /** Traces a completed call, unless its result is empty. */
  traceCall(name: string, value: unknown): void {
    if (/(?:append|create|step|tool|end)$/.test(name))
      this.tell(`${name} ${(value as readonly { kind: string }[]).map(({ kind }) => kind).join(" ")}`);
    else if (
      name !== "head" &&
      name !== "segments" &&
      !(Array.isArray(value) && value.length === 0) &&
      !(name === "renew" && value === true)
    )
      this.tell(`${name} ${short(value)}`);
  }

  #log(): Log {
    const say = (_: Record<string, unknown>, message: string): void => this.tell(`log: ${message}`);
    return { debug: () => undefined, info: say, warn: say, error: say };
  }
}

function short(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => (typeof item === "object" ? item?.key : item)).join(" ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const { status, nextIndex, runId } = value as Record<string, unknown>;
  return [status, nextIndex, runId].filter((part) => part !== undefined).join(" ");
}
