/** The newest committed frames of one run, in memory, shared by its followers and bounded in bytes (L8). */
import { framesFrom } from "../model/frame.ts";

/** Frames read from a ring, in the form that it stores them. */
export interface RingRead {
  readonly first: number;
  readonly last: number;
  readonly bytes: Buffer;
}

/** This many consecutive small pieces are merged into one: at token speed a run would otherwise keep one buffer per event. */
const piecesPerMerge = 32;
const smallBytes = 2 * 1024;

/** Size at which merging pieces for a reader that lags behind stops. */
const joinBytes = 64 * 1024;

export class Ring {
  readonly #limit: number;
  /** Entries before `#start` are empty and removed in batches, so that dropping a piece is cheap. */
  #pieces: (RingRead | undefined)[] = [];
  #start = 0;
  #bytes = 0;
  /** Number of small pieces at the end that are not merged yet. */
  #unmerged = 0;

  /** @param limit max bytes kept; a piece larger than that is not kept at all */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds committed frames. */
  push(first: number, last: number, bytes: Buffer): void {
    this.#pieces.push({ first, last, bytes });
    this.#bytes += bytes.length;
    this.#unmerged = bytes.length < smallBytes ? this.#unmerged + 1 : 0;
    this.trim(this.#limit);
    if (this.#unmerged === piecesPerMerge) this.#merge();
  }

  /** Drops the oldest pieces until at most `limit` bytes are left. */
  trim(limit: number): void {
    while (this.#bytes > limit && this.#start < this.#pieces.length) {
      this.#bytes -= (this.#pieces[this.#start] as RingRead).bytes.length;
      this.#pieces[this.#start] = undefined;
      this.#start++;
    }
    if (this.#start > 64 && this.#start * 2 > this.#pieces.length) {
      this.#pieces = this.#pieces.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Merges the small pieces at the end into one. */
  #merge(): void {
    this.#unmerged = 0;
    const start = Math.max(this.#start, this.#pieces.length - piecesPerMerge);
    const pieces = this.#pieces.splice(start) as RingRead[];
    const [oldest] = pieces;
    const newest = pieces.at(-1);
    if (!oldest || !newest) return;
    const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
    this.#pieces.push({ first: oldest.first, last: newest.last, bytes });
  }

  /** Some or all frames from `cursor + 1` on; undefined when the first of them is not in memory. */
  after(cursor: number): RingRead | undefined {
    const pieces = this.#pieces;
    const wanted = cursor + 1;
    let place = pieces.length - 1;
    if (
      place < this.#start ||
      (pieces[place] as RingRead).last < wanted ||
      (pieces[this.#start] as RingRead).first > wanted
    )
      return undefined;
    if ((pieces[place] as RingRead).first > wanted) place = this.#search(wanted);
    const piece = pieces[place] as RingRead;
    const head = framesFrom(piece.bytes, piece.first, wanted);
    if (place === pieces.length - 1) return { first: wanted, last: piece.last, bytes: head };
    const joined = [head];
    let size = head.length;
    let last = piece.last;
    for (let next = place + 1; next < pieces.length && size < joinBytes; next++) {
      const more = pieces[next] as RingRead;
      joined.push(more.bytes);
      size += more.bytes.length;
      last = more.last;
    }
    return { first: wanted, last, bytes: joined.length === 1 ? head : Buffer.concat(joined, size) };
  }

  /** Index of the piece that contains the event index. */
  #search(index: number): number {
    let low = this.#start;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pieces[middle] as RingRead).last < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
