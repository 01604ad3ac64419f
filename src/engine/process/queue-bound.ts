/** Bounds the queue of background runs, and each user's share of it. */
import { defaultRetryAfter, TroupeError } from "../../errors.ts";
import { Shares } from "../../model/shares.ts";
import type { AcceptedRun } from "../contract.ts";
import type { EngineParts } from "../parts.ts";

/** Milliseconds for which a count is valid. Other processes start runs, too, so the bound may be exceeded by the runs they start meanwhile. */
const freshness = 1_000;

/** Milliseconds for which a count may reject starts: queued runs may have started since. */
const freshnessAtBound = 100;

export class QueueBound {
  readonly #parts: Pick<EngineParts, "store" | "runtime" | "settings">;
  /** Waiting runs by user (empty name for runs without a user): the last count, plus runs admitted here that the count may not include. */
  #waiting = new Shares();
  /** Runs admitted here that the last count may not include, by user. */
  readonly #admitted = new Shares();
  /** Users of admitted runs that are recorded: the next count includes these runs. */
  readonly #recorded: string[] = [];
  #countedAt = -Infinity;
  #counting: Promise<void> | undefined;

  constructor(parts: Pick<EngineParts, "store" | "runtime" | "settings">) {
    this.#parts = parts;
  }

  /**
   * Admits one more run of a user (null for a run without a user) to the queue, and holds its place while it is being recorded.
   * @throws TroupeError `tooManyRequests`
   */
  async admit<Run extends Pick<AcceptedRun, "isRepeated">>(
    userId: string | null,
    record: () => Promise<Run>,
  ): Promise<Run> {
    const user = userId ?? "";
    await this.#enter(user);
    let run: Run | undefined;
    try {
      run = await record();
      return run;
    } finally {
      if (run?.isRepeated === false) this.#recorded.push(user);
      else this.#leave(user);
    }
  }

  /** Checks and takes the place without an await in between, so that no other start can take it. */
  async #enter(user: string): Promise<void> {
    await this.#countIfOlder(freshness);
    if (this.#refusalFor(user)) await this.#countIfOlder(freshnessAtBound);
    const refusal = this.#refusalFor(user);
    if (refusal) throw new TroupeError("tooManyRequests", refusal, { retryAfter: defaultRetryAfter });
    this.#waiting.add(user, 1);
    this.#admitted.add(user, 1);
  }

  #leave(user: string): void {
    this.#waiting.add(user, -1);
    this.#admitted.add(user, -1);
  }

  /** A single user may use half of the queue, nine users a tenth each. Runs without a user may fill it. */
  #refusalFor(user: string): string | undefined {
    const { maxQueuedRuns } = this.#parts.settings;
    const own = this.#waiting.of(user);
    const until = "more can be started when some of them have begun.";
    if (this.#waiting.total >= maxQueuedRuns) return `${maxQueuedRuns} background runs wait already: ${until}`;
    if (own >= this.#waiting.shareOf(user, maxQueuedRuns))
      return `${own} background runs of this user wait already: ${until}`;
    return undefined;
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
    const before = this.#recorded.length;
    const waiting = new Shares(await store.countQueued(settings.maxQueuedRuns));
    for (const user of this.#recorded.splice(0, before)) this.#admitted.add(user, -1);
    for (const [user, runs] of this.#admitted) waiting.add(user, runs);
    this.#waiting = waiting;
    this.#countedAt = runtime.clock.monotonic();
  }
}
