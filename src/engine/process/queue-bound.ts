/** Keeps the queue of background runs from growing without a bound. */
import { TroupeError, usualRetryAfter } from "../../errors.ts";
import type { EngineParts } from "../parts.ts";

/** Milliseconds for which a count is good enough. Others start runs, too: the bound is passed by what they start meanwhile. */
const freshness = 1_000;

/** The same for a count that refuses a start: some runs may have begun since. */
const freshnessAtBound = 100;

export class QueueBound {
  readonly #parts: Pick<EngineParts, "store" | "runtime" | "settings">;
  #counted = 0;
  #countedAt = -Infinity;
  #counting: Promise<void> | undefined;
  /** Started here since the count. */
  #started = 0;

  constructor(parts: Pick<EngineParts, "store" | "runtime" | "settings">) {
    this.#parts = parts;
  }

  /** Lets one more run into the queue. @throws TroupeError `tooManyRequests` */
  async admit(): Promise<void> {
    const { settings } = this.#parts;
    await this.#countIfOlder(freshness);
    if (this.#isFull) await this.#countIfOlder(freshnessAtBound);
    if (this.#isFull) {
      throw new TroupeError(
        "tooManyRequests",
        `${settings.queueLimit} background runs wait already: more can be started when some of them have begun.`,
        { retryAfter: usualRetryAfter },
      );
    }
    this.#started++;
  }

  get #isFull(): boolean {
    return this.#counted + this.#started >= this.#parts.settings.queueLimit;
  }

  async #countIfOlder(milliseconds: number): Promise<void> {
    if (this.#parts.runtime.clock.monotonic() - this.#countedAt < milliseconds) return;
    this.#counting ??= this.#count().finally(() => {
      this.#counting = undefined;
    });
    await this.#counting;
  }

  async #count(): Promise<void> {
    const { store, runtime, settings } = this.#parts;
    this.#started = 0;
    this.#counted = await store.queued(settings.queueLimit);
    this.#countedAt = runtime.clock.monotonic();
  }
}
