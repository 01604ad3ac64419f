/** A simulated process of the scheduler: the real poller, service, store and lease over the shared database. */
import { Lease } from "../../../src/engine/process/lease.ts";
import { TroupeError } from "../../../src/errors.ts";
import { noMeasurements } from "../../../src/model/measurements.ts";
import { open } from "../../../src/model/principal.ts";
import type { Runtime } from "../../../src/model/runtime.ts";
import { defaultSettings } from "../../../src/model/settings.ts";
import type { StartCommand } from "../../../src/runs/start.ts";
import type { AttemptParts } from "../../../src/schedule/attempt.ts";
import { Poller } from "../../../src/schedule/poller.ts";
import { Schedules } from "../../../src/schedule/service.ts";
import type { ScheduleStore } from "../../../src/store/contract/schedules.ts";
import type { Store } from "../../../src/store/contract/store.ts";
import { processQueries } from "../../../src/store/queries/processes.ts";
import { scheduleStore } from "../../../src/store/queries/schedules/schedules.ts";
import { silentLog } from "../../support/runtime.ts";
import { SimulatedClock } from "../clock.ts";
import { Random } from "../random.ts";
import { Owner } from "../scheduler.ts";
import { databaseOf, type Weather } from "./database.ts";
import type { ScheduleWorld } from "./world.ts";

/** Maximum missed ticks to catch up: more than a history has. */
const settings = { ...defaultSettings, maxCatchUpFires: 10_000, maxScheduleRecords: 100_000 };

/** Maximum duration of a run in these histories, in milliseconds. */
export const longestRun = 40_000;

/** An endpoint that starts no run. */
export const plainEndpoint = "/plain";

export class SchedulerProcess {
  readonly owner: Owner = new Owner();
  readonly weather: Weather = { refused: 0, unanswered: 0, isAway: false };
  readonly service: Schedules;
  readonly #poller: Poller;
  readonly #lease: Lease;
  isServing = false;

  constructor(world: ScheduleWorld, name: string) {
    const { scheduler, shared, runs, variant, seed } = world;
    const random = new Random(seed, `process ${name}`);
    const { owner, weather } = this;
    const error = random.pick([0, 0, -60_000, 60_000]);
    const clock = new SimulatedClock(scheduler, owner, error);
    const runtime: Runtime = {
      clock,
      randomness: { uuid: () => random.uuid(), fraction: () => random.fraction() },
      log: silentLog,
      measurements: noMeasurements,
    };
    const database = databaseOf(shared, { scheduler, random, owner, weather });
    const real = scheduleStore(database, settings.maxScheduleRecords);
    const store: ScheduleStore = { ...real, ...variant.store?.(real) };
    const leases = { ...processQueries(database), capabilities: { replicas: true } } as unknown as Store;
    const processId = random.uuid();
    const lease = new Lease({ store: leases, runtime, settings, processId });
    /** Calls of the platform take time, and fail while the database is unavailable. */
    const within = async <T>(work: () => T): Promise<T> => {
      await clock.sleep(random.skewed(0, 20));
      const isRefused = weather.isAway || random.chance(weather.refused);
      if (isRefused) throw new TroupeError("unavailable", "The database is not available");
      const value = await new Promise<T>((resolve) => void scheduler.after(0, undefined, () => resolve(work())));
      await clock.sleep(random.skewed(0, 20));
      return value;
    };
    const located = (runId: string) => runs.all.get(runId);
    const demand = [[]];
    const gate = { actingFor: async () => within(() => open), check: () => undefined };
    const parts: AttemptParts = {
      schedules: store,
      runs: {
        start: (_, { runId = "", message }) =>
          within(() => runs.start(variant.runId?.(runId, random) ?? runId, message, longestRun) as never),
        locate: (_, runId) => within(() => located(runId) as never),
        load: (_, { runId }) =>
          within(() => {
            const run = asRow(located(runId));
            if (!run) throw new TroupeError("notFound", "Run not found");
            return run as never;
          }),
        cancel: (_, { runId }) => within(() => runs.cancel(located(runId)?.key ?? 0) as never),
        follow:
          ({ key }) =>
          (signal) =>
            runs.follow(key, clock, signal, () => weather.isAway),
      },
      gate,
      routes: {
        find: (_, endpoint) => ({
          ...{ demand, id: undefined, check: () => undefined },
          toStart:
            endpoint === plainEndpoint ? undefined : (payload) => ({ message: String(payload?.of) }) as StartCommand,
        }),
        call: async ({ idempotencyKey }) => {
          try {
            return await within(() => {
              runs.calls.set(idempotencyKey, (runs.calls.get(idempotencyKey) ?? 0) + 1);
              return { status: random.chance(0.05) ? 500 : 202, text: "" };
            });
          } catch {
            return { status: 503, text: "The database is not available" };
          }
        },
      },
      runtime,
    };
    this.#poller = new Poller({ ...parts, lease, settings, processId });
    this.#lease = lease;
    const standing = { kind: "open", userId: null, scopes: [], mapping: 0, account: null } as const;
    this.service = new Schedules({
      ...{ schedules: store, routes: parts.routes, poller: this.#poller, runtime, processId, platformId: "simulated" },
      gate: { ...gate, standingGrant: () => standing },
      runs: { checkVersion: () => Promise.reject(new Error("No schedule names a version.")) },
    });
  }

  async open(): Promise<void> {
    await this.#lease.start();
    this.isServing = true;
    this.#poller.start();
  }

  /** Shuts down as on SIGTERM. */
  async close(): Promise<void> {
    this.isServing = false;
    await this.#poller.close();
    await this.#lease.close();
  }
}

function asRow(run: { readonly sessionId: string; readonly status: string } | undefined) {
  const output = JSON.stringify({ content: "done", contentType: "str" });
  return run && { ...run, output, input: JSON.stringify({ message: "do" }) };
}
