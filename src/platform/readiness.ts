/** Whether this process can serve requests, for load balancers. */
import type { Engine } from "../engine/contract.ts";
import type { Readiness, UnreadyReason } from "../http/transport/services.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Store } from "../store/contract/store.ts";
import { within } from "./within.ts";

/** Maximum milliseconds to wait for the database. */
const maxWait = 1_000;

/** Milliseconds for which the database's state is not read again: anybody may call the check. */
const freshness = 500;

/** A server that received a readiness check within this time, in milliseconds, is taken to be behind a load balancer. */
export const checkedRecently = 60_000;

/** Dependencies of `ProcessReadiness`. */
export interface ReadinessParts {
  readonly store: Pick<Store, "availability" | "isMigrated">;
  readonly engine: Pick<Engine, "acceptance">;
  readonly runtime: Pick<Runtime, "clock">;
  readonly settings: Pick<Settings, "drainDuration">;
  /** Called at each readiness check. */
  readonly onChecked?: (() => void) | undefined;
}

export class ProcessReadiness implements Readiness {
  readonly #parts: ReadinessParts;
  #isLeaving = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #database: Promise<UnreadyReason | undefined> = Promise.resolve(undefined);
  #databaseReadAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  async reasons(): Promise<readonly UnreadyReason[]> {
    const { engine, runtime, onChecked } = this.#parts;
    this.#checkedAt = runtime.clock.monotonic();
    onChecked?.();
    if (this.#isLeaving) return ["shutting_down"];
    const database = await this.#databaseState();
    if (this.#isLeaving) return ["shutting_down"];
    if (database) return [database];
    return engine.acceptance.open ? [] : ["not_accepting"];
  }

  /**
   * Reports from now on that the process is shutting down. Resolves when load balancers have had the time to notice: `drainDuration` after the call,
   * or at once if none has checked recently. With `isChecked`, a load balancer has checked another process on the same port.
   */
  async leave(isChecked = false): Promise<void> {
    const { runtime, settings } = this.#parts;
    this.#isLeaving = true;
    if (!isChecked && runtime.clock.monotonic() - this.#checkedAt > checkedRecently) return;
    await runtime.clock.sleep(settings.drainDuration);
  }

  #databaseState(): Promise<UnreadyReason | undefined> {
    const now = this.#parts.runtime.clock.monotonic();
    if (now - this.#databaseReadAt > freshness) {
      this.#databaseReadAt = now;
      this.#database = this.#readDatabase();
    }
    return this.#database;
  }

  async #readDatabase(): Promise<UnreadyReason | undefined> {
    const { store, runtime } = this.#parts;
    if (!store.availability.available) return "database";
    const read = store.isMigrated().then(
      (isMigrated): UnreadyReason | undefined => (isMigrated ? undefined : "migrations"),
      (): UnreadyReason => "database",
    );
    return await within(runtime.clock, maxWait, read, "database");
  }
}
