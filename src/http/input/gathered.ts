/** Collects the bytes of a body. A client may send each byte as its own chunk, and one buffer per byte takes 200 times the memory. */

/** Number of chunks that are joined into one buffer. */
const maxLoose = 256;

export class Gathered {
  #joined: Buffer[] = [];
  #loose: Buffer[] = [];
  #length = 0;

  /** Number of bytes added since the last `take`. */
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

  /** Returns all bytes and forgets them. */
  take(): Buffer {
    const bytes = Buffer.concat([...this.#joined, ...this.#loose], this.#length);
    this.#joined = [];
    this.#loose = [];
    this.#length = 0;
    return bytes;
  }
}
