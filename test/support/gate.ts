/** A gate at which scripts wait until the test opens it. */
export class Gate {
  /** Number of callers that wait or have passed. */
  arrived = 0;
  /** Number of callers that have passed. */
  passed = 0;
  #allowed = 0;
  #waiting: (() => void)[] = [];

  /** Resolves when the gate is open for this caller. */
  async pass(): Promise<void> {
    this.arrived++;
    this.#tell();
    while (this.passed >= this.#allowed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.passed++;
  }

  /** Lets `count` more callers pass; without a number, all callers. */
  open(places: number = Number.POSITIVE_INFINITY): void {
    this.#allowed += places;
    this.#tell();
  }

  /** Resolves when `count` callers have arrived. */
  async crowd(size: number): Promise<void> {
    while (this.arrived < size) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
