/** Replicas of one database, and the faults that are injected into them. */
import { execFile, execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Settings } from "../../src/model/settings.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { StreamClient } from "../support/stream-client.ts";
import type { ChaosDatabase } from "./database.ts";
import type { Random } from "./random.ts";

const app = fileURLToPath(new URL("./app.ts", import.meta.url));
const launcher = fileURLToPath(new URL("../../bin/troupe.mjs", import.meta.url));

/** Leases and intervals shorter than the defaults, for more events in the same time. */
export const settings: Partial<Settings> = {
  leaseDuration: 3_000,
  leaseRenewInterval: 700,
  sweepInterval: 300,
  followPollInterval: 500,
  heartbeatInterval: 500,
  shutdownTimeout: 1_000,
  compactionInterval: 500,
  scheduleSweepInterval: 1_000,
  maxCatchUpFires: 10_000,
  maxScheduleRecords: 100_000,
  // Three kills during one turn of a run can happen by chance here, so the limit of stalled takeovers is higher.
  maxStalledTakeovers: 30,
};

/** `killOne` and `reload` are for replicas with several processes. */
export type Fault = "kill" | "stop" | "term" | "database" | "killOne" | "reload";

/** How often each fault is chosen. */
export type Weights = Readonly<Partial<Record<Fault, number>>>;
const usual: Weights = { kill: 5, stop: 3, term: 3, database: 1 };
const withProcesses: Weights = { kill: 2, stop: 3, term: 2, database: 1, killOne: 5, reload: 2 };

interface Slot {
  server: ServerProcess;
  /** Whether a fault of this replica is active. */
  isImpaired: boolean;
  /** Whether it is a process of the previous release. */
  isPrevious: boolean;
}

/** How replicas are started. */
interface ReplicaKind {
  /** Launcher of the previous release. Default: this release. */
  readonly previous?: string | undefined;
  /** Server processes of each replica. Default: one, without a primary process. */
  readonly processes?: number | undefined;
}

export class Replicas implements AsyncDisposable {
  /** Number of injected faults by kind. */
  readonly counts: Partial<Record<Fault, number>>;
  readonly #database: ChaosDatabase;
  readonly #effects: string;
  readonly #random: Random;
  readonly #weights: Weights;
  readonly #slots: Slot[] = [];
  /** Launcher of the previous release, until the schema is of this release: then the previous one can run, and cannot start. */
  #previous: string | undefined;
  #isDisturbed = false;
  readonly #processes: number | undefined;
  readonly #first: Fault[];
  readonly #working = new Set<Promise<void>>();

  private constructor(
    database: ChaosDatabase,
    effects: string,
    random: Random,
    weights: Weights,
    { previous, processes }: ReplicaKind,
  ) {
    this.#processes = processes;
    this.#first = Object.keys(weights) as Fault[];
    this.counts = Object.fromEntries(this.#first.map((fault) => [fault, 0]));
    this.#database = database;
    this.#effects = effects;
    this.#random = random;
    this.#weights = weights;
    this.#previous = previous;
  }

  /** Starts replicas. */
  static async start(
    size: number,
    database: ChaosDatabase,
    effects: string,
    random: Random,
    weights?: Weights,
    kind: ReplicaKind = {},
  ): Promise<Replicas> {
    const chosen = weights ?? (kind.processes === undefined ? usual : withProcesses);
    const replicas = new Replicas(database, effects, random, chosen, kind);
    const servers = await Promise.all(Array.from({ length: size }, () => replicas.#start()));
    const isPrevious = kind.previous !== undefined;
    for (const server of servers) replicas.#slots.push({ server, isImpaired: false, isPrevious });
    return replicas;
  }

  /** Migrates the database to this release. From now on, processes that start are of this release. */
  async migrate(): Promise<void> {
    this.#previous = undefined;
    const migrate = [launcher, "migrate", "--database", this.#database.url];
    for (let tries = 1; ; tries++) {
      try {
        await promisify(execFile)(process.execPath, migrate);
        return;
      } catch (error) {
        // The database may be down.
        if (tries === 20) throw error;
        await sleep(500);
      }
    }
  }

  /** Replaces one process of the previous release that has no fault, as a rolling update does. Returns how many are left. */
  async replaceOne(): Promise<number> {
    const slot = this.#slots.find(({ isPrevious, isImpaired }) => isPrevious && !isImpaired);
    if (slot) await this.#hurt(slot, "term");
    return this.#slots.filter(({ isPrevious }) => isPrevious).length;
  }

  /** A client of a random replica, in any state. */
  client(random: Random): StreamClient {
    return random.pick(this.#slots).server.client;
  }

  /**
   * Injects a fault into one replica or into the database; the fault ends by itself. Each kind occurs once before the choice is random. At least
   * one replica stays without a fault.
   */
  strike(): void {
    const whole = this.#slots.filter(({ isImpaired }) => !isImpaired);
    if (whole.length < 2) return;
    const fault = this.#first.shift() ?? this.#random.weighted(this.#weights as Record<Fault, number>);
    if (fault === "database" && this.#isDisturbed) return;
    this.#do(fault, fault === "database" ? this.#disturbDatabase() : this.#hurt(this.#random.pick(whole), fault));
  }

  /** Waits until all faults have ended. */
  async mended(): Promise<void> {
    await Promise.all(this.#working);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mended().catch(() => undefined);
    await Promise.all(this.#slots.map(({ server }) => server.crash()));
  }

  #start(): Promise<ServerProcess> {
    const database = { kind: "postgres", url: this.#database.url } as const;
    const env = { TEST_EFFECTS: this.#effects };
    const several = this.#processes === undefined ? {} : { processes: this.#processes };
    if (this.#previous === undefined) return startServerProcess(database, settings, { app, env, ...several });
    const previous = { launcher: this.#previous, env: { ...env, TEST_RELEASE: "previous" } };
    return startServerProcess(database, settings, { app, ...previous });
  }

  #do(fault: Fault, work: Promise<void>): void {
    this.counts[fault] = (this.counts[fault] ?? 0) + 1;
    // A failure is kept, and `mended` throws it.
    const settled = work.then(() => void this.#working.delete(settled));
    this.#working.add(settled);
    settled.catch((error: unknown) => console.error(error));
  }

  async #hurt(slot: Slot, fault: Exclude<Fault, "database">): Promise<void> {
    slot.isImpaired = true;
    const { server } = slot;
    if (fault === "stop") {
      const pid = this.#processOf(server);
      if (pid !== undefined) signalIfThere(pid, "SIGSTOP");
      // Shorter than the lease, or much longer.
      await sleep(this.#random.between(200, 9_000));
      if (pid !== undefined) signalIfThere(pid, "SIGCONT");
    } else if (fault === "killOne") {
      const pid = this.#processOf(server);
      if (pid !== undefined) signalIfThere(pid, "SIGKILL");
      await sleep(this.#random.between(0, 2_000));
    } else if (fault === "reload") {
      server.signal("SIGHUP");
      await sleep(this.#random.between(0, 5_000));
    } else {
      server.signal(fault === "kill" ? "SIGKILL" : "SIGTERM");
      const { code } = await server.exited;
      if (fault === "term" && code !== 0)
        throw new Error(`A replica exited with ${code} on SIGTERM:\n${server.output}`);
      await sleep(this.#random.between(0, 2_000));
      slot.isPrevious = this.#previous !== undefined;
      slot.server = await this.#restart();
    }
    slot.isImpaired = false;
  }

  /** One of the replica's server processes; undefined while there is none. */
  #processOf(server: ServerProcess): number | undefined {
    if (this.#processes === undefined) return server.pid;
    try {
      const pids = execFileSync("pgrep", ["-P", String(server.pid)], { encoding: "utf8" })
        .trim()
        .split("\n");
      return Number(this.#random.pick(pids));
    } catch {
      return undefined;
    }
  }

  /** Restarts a process that exits with an error because the database is unavailable. */
  async #restart(): Promise<ServerProcess> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#start();
      } catch (error) {
        if (tries === 20 || String(error).includes("nothing in")) throw error;
        await sleep(500);
      }
    }
  }

  async #disturbDatabase(): Promise<void> {
    this.#isDisturbed = true;
    await this.#database.disturb(this.#random);
    this.#isDisturbed = false;
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
