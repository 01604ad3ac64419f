/** Something that scripts wait for until the test lets them go on. */
export class Gate {
  /** How many wait or have passed. */
  arrived = 0;
  /** How many have passed. */
  passed = 0;
  #allowed = 0;
  #waiting: (() => void)[] = [];

  /** Resolves when it is open for whoever comes now. */
  async pass(): Promise<void> {
    this.arrived++;
    this.#tell();
    while (this.passed >= this.#allowed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.passed++;
  }

  /** Lets so many more pass; without a number, everybody. */
  open(places: number = Number.POSITIVE_INFINITY): void {
    this.#allowed += places;
    this.#tell();
  }

  /** Resolves when so many have come. */
  async crowd(size: number): Promise<void> {
    while (this.arrived < size) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
