/** The trace of a history, line by line: for readers, and to compare two histories. */
import { createHash } from "node:crypto";

const timeWidth = 9;

function withoutTime(line: string): string {
  return line.slice(timeWidth);
}

export class Trace {
  readonly #lines: string[] = [];
  readonly #time: () => number;

  constructor(time: () => number) {
    this.#time = time;
  }

  add(who: string, what: string): void {
    this.#lines.push(`${this.#time().toFixed(2).padStart(timeWidth)}  ${who.padEnd(9)} ${what}`);
  }

  /**
   * Returns the last lines. Consecutive repetitions of one actor are one line with a count; so are lease renewals and other periodic work without a
   * result, of any processes.
   */
  tail(count: number): readonly string[] {
    const told: { line: string; times: number }[] = [];
    for (const line of this.#lines) {
      const last = told.at(-1);
      const isSame = last && (withoutTime(last.line) === withoutTime(line) || [last.line, line].every(isRoutine));
      if (isSame) last.times++;
      else told.push({ line, times: 1 });
    }
    return told.slice(-count).map(({ line, times }) => (times === 1 ? line : `${line} (${times} times)`));
  }

  get length(): number {
    return this.#lines.length;
  }

  /** Equal for two histories with the same events at the same times. */
  hash(): string {
    return createHash("sha256").update(this.#lines.join("\n")).digest("hex").slice(0, 16);
  }
}

function isRoutine(line: string): boolean {
  return / (renew|until overdue null|forgetUsage undefined)$/.test(line.trimEnd());
}
