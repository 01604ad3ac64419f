/** Seeded random numbers. Every use has its own stream, so that removing one use does not change the others. */
import type { Randomness } from "../../src/model/runtime.ts";

/** A stream of numbers (sfc32), the same for the same seed and name. */
export class Random implements Randomness {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number, name: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (let place = 0; place < name.length; place++) hash = Math.imul(hash ^ name.charCodeAt(place), 0x01000193);
    this.#a = hash | 0;
    this.#b = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
    this.#c = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35) | 0;
    for (let round = 0; round < 12; round++) this.#next();
  }

  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    return this.#next() / 0x1_0000_0000;
  }

  /** Returns an integer; both bounds are inclusive. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1));
  }

  between(from: number, to: number): number {
    return from + this.fraction() * (to - from);
  }

  /** Returns a number that is mostly near the lower bound and sometimes far above it. */
  skewed(from: number, to: number): number {
    return from + this.fraction() ** 4 * (to - from);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.fraction() * items.length)] as T;
  }

  uuid(): string {
    const [a, b, c, d] = [this.#hex(), this.#hex(), this.#hex(), this.#hex()];
    return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${d}`;
  }

  #hex(): string {
    return this.#next().toString(16).padStart(8, "0");
  }

  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return sum >>> 0;
  }
}
