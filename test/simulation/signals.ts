/** Wake-ups between simulated processes: lost, doubled, late and out of order as the plan says. */
import type { Signal, Signals } from "../../src/store/seam.ts";
import { localSignals } from "../../src/store/signals-local.ts";
import type { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

export class SimulatedSignals implements Signals {
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #local: Signals;

  constructor(world: World, process: SimulatedProcess) {
    this.#world = world;
    this.#process = process;
    this.#local = localSignals(process.runtime.log);
  }

  publish(signal: Signal): void {
    this.#local.publish(signal);
    const { processes, faults } = this.#world;
    if (faults.isAway(this.#process.slot)) return;
    for (const other of processes) if (other && other !== this.#process) other.signals.carry(signal);
  }

  /** Brings a signal of another process, if it arrives. */
  carry(signal: Signal): void {
    const { faults, random, scheduler } = this.#world;
    const { loss, delay } = faults.noise;
    if (faults.isAway(this.#process.slot) || random.chance(loss)) return;
    const times = random.chance(0.05) ? 2 : 1;
    for (let n = 0; n < times; n++) {
      scheduler.after(random.skewed(0.1, delay), this.#process.owner, () => this.#local.publish(signal));
    }
  }

  listen(listener: (signal: Signal) => void): () => void {
    return this.#local.listen(listener);
  }

  close(): Promise<void> {
    return this.#local.close();
  }
}
