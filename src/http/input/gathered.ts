/** Bytes that arrive. A client may send each byte as a chunk, and a buffer for each of them would take a hundred times the memory of its byte. */

/** Chunks that are joined to one. */
const maxLoose = 256;

export class Gathered {
  #joined: Buffer[] = [];
  #loose: Buffer[] = [];
  #length = 0;

  /** Bytes that were added since the last `take`. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    this.#loose.push(chunk);
    this.#length += chunk.length;
    if (this.#loose.length < maxLoose) return;
    this.#joined.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** All bytes, which are not kept any more. */
  take(): Buffer {
    const bytes = Buffer.concat([...this.#joined, ...this.#loose], this.#length);
    this.#joined = [];
    this.#loose = [];
    this.#length = 0;
    return bytes;
  }
}
