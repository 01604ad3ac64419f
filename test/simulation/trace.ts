/** What happened in a history, line by line: for people, and to tell two histories apart. */
import { createHash } from "node:crypto";

export class Trace {
  readonly #lines: string[] = [];
  readonly #time: () => number;

  constructor(time: () => number) {
    this.#time = time;
  }

  add(who: string, what: string): void {
    this.#lines.push(`${this.#time().toFixed(2).padStart(9)}  ${who.padEnd(9)} ${what}`);
  }

  /** The last lines. */
  tail(count: number): readonly string[] {
    return this.#lines.slice(-count);
  }

  get length(): number {
    return this.#lines.length;
  }

  /** The same for two histories in which the same happened at the same times. */
  hash(): string {
    return createHash("sha256").update(this.#lines.join("\n")).digest("hex").slice(0, 16);
  }
}
