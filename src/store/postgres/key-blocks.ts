/** Run keys of a process: a block is reserved at a time, the next one before the last is used up. */

/** How far the sequence of the first migration steps. */
const blockSize = 64;
const reserveAt = 16;

/** Hands out keys; `reserve` answers the first of the next block. */
export class KeyBlocks {
  readonly #reserve: () => Promise<number>;
  readonly #blocks: { next: number; readonly end: number }[] = [];
  #reserving: Promise<void> | undefined;

  constructor(reserve: () => Promise<number>) {
    this.#reserve = reserve;
  }

  next(): number | Promise<number> {
    const block = this.#blocks[0];
    if (block === undefined) return this.#wait();
    const key = block.next++;
    if (block.next === block.end) this.#blocks.shift();
    const left = this.#blocks.reduce((keys, { next, end }) => keys + end - next, 0);
    // One that fails is tried again when the keys are needed.
    if (left < reserveAt) this.#extend().catch(() => undefined);
    return key;
  }

  async #wait(): Promise<number> {
    await this.#extend();
    return this.next();
  }

  #extend(): Promise<void> {
    this.#reserving ??= this.#reserve()
      .then((first) => {
        this.#blocks.push({ next: first, end: first + blockSize });
      })
      .finally(() => {
        this.#reserving = undefined;
      });
    return this.#reserving;
  }
}
