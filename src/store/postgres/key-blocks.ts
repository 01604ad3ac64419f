/** Run keys of a process: reserved in blocks, the next one before the current one is used up. */

/** Increment of the sequence in the first migration. */
const blockSize = 64;
const reserveAt = 16;

/** Hands out keys. `reserve` returns the first key of the next block. */
export class KeyBlocks {
  readonly #reserve: () => Promise<number>;
  readonly #blocks: { next: number; readonly end: number }[] = [];
  #reserving: Promise<void> | undefined;
  #generation = 0;

  constructor(reserve: () => Promise<number>) {
    this.#reserve = reserve;
  }

  next(): number | Promise<number> {
    const block = this.#blocks[0];
    if (block === undefined) return this.#wait();
    const key = block.next++;
    if (block.next === block.end) this.#blocks.shift();
    const left = this.#blocks.reduce((keys, { next, end }) => keys + end - next, 0);
    // A failed reservation is retried when the keys are needed.
    if (left < reserveAt) this.#extend().catch(() => undefined);
    return key;
  }

  /** Forgets the reserved keys. A block that is being reserved is forgotten, too. */
  clear(): void {
    this.#blocks.length = 0;
    this.#reserving = undefined;
    this.#generation += 1;
  }

  async #wait(): Promise<number> {
    await this.#extend();
    return this.next();
  }

  #extend(): Promise<void> {
    if (this.#reserving !== undefined) return this.#reserving;
    const generation = this.#generation;
    const reserving = this.#reserve()
      .then((first) => {
        if (generation === this.#generation) this.#blocks.push({ next: first, end: first + blockSize });
      })
      .finally(() => {
        if (this.#reserving === reserving) this.#reserving = undefined;
      });
    this.#reserving = reserving;
    return reserving;
  }
}
