/** Seeded random numbers. Processes and clocks are real, so a seed repeats the choices, not the run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive), by mulberry32. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer; both bounds are inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)] as T;
  }

  /** Returns one of the names, with its weight as probability. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = Object.keys(weights) as Name[];
    let left = this.fraction() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return names[0] as Name;
  }
}
