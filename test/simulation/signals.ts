/** Signals between simulated processes, coalesced as on Postgres: lost, doubled, late and reordered by the plan. */

import type { Signal, Signals } from "../../src/store/contract/signals.ts";
import { parseSignals, SignalBatch } from "../../src/store/postgres/signal-batch.ts";
import { localSignals } from "../../src/store/sqlite/signals.ts";
import type { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

/** Milliseconds within which signals are coalesced. */
const gatherTime = 5;

export class SimulatedSignals implements Signals {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #local: Signals;
  #batch = new SignalBatch();

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
    this.#local = localSignals(process.runtime.log);
  }

  publish(signal: Signal): void {
    this.#local.publish(signal);
    if (this.#world.plan.processes === 1) return;
    if (this.#batch.isEmpty) this.#world.scheduler.after(gatherTime, this.#process.owner, () => this.#send());
    this.#batch.add(signal);
  }

  publishHere(signal: Signal): void {
    this.#local.publish(signal);
  }

  /** The signal connection is restored: followers re-read everything. */
  reconnect(): void {
    this.#deliver("a");
  }

  listen(listener: (signal: Signal) => void): () => void {
    return this.#local.listen(listener);
  }

  close(): Promise<void> {
    this.#send();
    return this.#local.close();
  }

  #send(): void {
    if (this.#batch.isEmpty) return;
    const text = this.#batch.toString();
    this.#batch = new SignalBatch();
    const { processes, faults } = this.#world;
    if (faults.isAway(this.#process.slot)) return;
    for (const other of processes) if (other && other !== this.#process) other.signals.#carry(text);
  }

  /** Delivers signals of another process, if they arrive. */
  #carry(text: string): void {
    const { faults, random } = this.#world;
    if (this.#process.isDead || faults.isAway(this.#process.slot) || random.chance(faults.noise.loss)) return;
    this.#deliver(text);
    if (random.chance(0.05)) this.#deliver(text);
  }

  #deliver(text: string): void {
    const { faults, random, scheduler } = this.#world;
    scheduler.after(random.skewed(0.1, faults.noise.delay), this.#process.owner, () => {
      for (const signal of parseSignals(text)) this.#local.publish(signal);
    });
  }
}
