/** Replicas of one database, and what is done to them. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Settings } from "../../src/model/settings.ts";
import type { PostgresServer } from "../support/postgres-server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { StreamClient } from "../support/stream-client.ts";
import type { Random } from "./random.ts";

const app = fileURLToPath(new URL("./app.ts", import.meta.url));

/** Leases and looks shorter than the defaults: more happens in the same time. */
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
  // Three kills within one turn of a run happen here by chance: it is not the run that kills its process.
  maxStalledTakeovers: 30,
};

const faults = ["kill", "stop", "term", "database"] as const;
export type Fault = (typeof faults)[number];

const weights: Readonly<Record<Fault, number>> = { kill: 5, stop: 3, term: 3, database: 1 };

interface Slot {
  server: ServerProcess;
  /** Something is being done to it. */
  isImpaired: boolean;
}

export class Replicas implements AsyncDisposable {
  /** How often each was done. */
  readonly counts: Record<Fault, number> = { kill: 0, stop: 0, term: 0, database: 0 };
  readonly #postgres: PostgresServer;
  readonly #effects: string;
  readonly #random: Random;
  readonly #slots: Slot[] = [];
  #isRestarting = false;
  readonly #first: Fault[] = [...faults];
  readonly #working = new Set<Promise<void>>();

  private constructor(postgres: PostgresServer, effects: string, random: Random) {
    this.#postgres = postgres;
    this.#effects = effects;
    this.#random = random;
  }

  static async start(size: number, postgres: PostgresServer, effects: string, random: Random): Promise<Replicas> {
    const replicas = new Replicas(postgres, effects, random);
    const servers = await Promise.all(Array.from({ length: size }, () => replicas.#start()));
    for (const server of servers) replicas.#slots.push({ server, isImpaired: false });
    return replicas;
  }

  /** A client of some replica, whatever state that one is in. */
  client(random: Random): StreamClient {
    return random.pick(this.#slots).server.client;
  }

  /**
   * Does something to one of them, or to the database; it is mended by itself. Each kind comes once before chance decides. One replica at
   * least is left alone.
   */
  strike(): void {
    const whole = this.#slots.filter(({ isImpaired }) => !isImpaired);
    if (whole.length < 2) return;
    const fault = this.#first.shift() ?? this.#random.weighted(weights);
    if (fault === "database" && this.#isRestarting) return;
    this.#do(fault, fault === "database" ? this.#restartDatabase() : this.#hurt(this.#random.pick(whole), fault));
  }

  /** Waits until everything is mended. */
  async mended(): Promise<void> {
    await Promise.all(this.#working);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mended().catch(() => undefined);
    await Promise.all(this.#slots.map(({ server }) => server.crash()));
  }

  #start(): Promise<ServerProcess> {
    const database = { kind: "postgres", url: this.#postgres.url } as const;
    return startServerProcess(database, settings, { app, env: { TEST_EFFECTS: this.#effects } });
  }

  #do(fault: Fault, work: Promise<void>): void {
    this.counts[fault]++;
    // What fails stays, to be told by `mended`.
    const settled = work.then(() => void this.#working.delete(settled));
    this.#working.add(settled);
    settled.catch((error: unknown) => console.error(error));
  }

  async #hurt(slot: Slot, fault: Exclude<Fault, "database">): Promise<void> {
    slot.isImpaired = true;
    const { server } = slot;
    if (fault === "stop") {
      server.signal("SIGSTOP");
      // Shorter than the lease, or much longer.
      await sleep(this.#random.between(200, 9_000));
      server.signal("SIGCONT");
    } else {
      server.signal(fault === "kill" ? "SIGKILL" : "SIGTERM");
      const { code } = await server.exited;
      if (fault === "term" && code !== 0) throw new Error(`A replica ended with ${code} on SIGTERM:\n${server.output}`);
      await sleep(this.#random.between(0, 2_000));
      slot.server = await this.#restart();
    }
    slot.isImpaired = false;
  }

  /** A process that starts while the database is away ends with an error: somebody starts it again. */
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

  async #restartDatabase(): Promise<void> {
    this.#isRestarting = true;
    await (this.#random.fraction() < 0.5 ? this.#postgres.kill() : this.#postgres.stop());
    await sleep(this.#random.between(0, 1_500));
    await this.#postgres.restart();
    this.#isRestarting = false;
  }
}
