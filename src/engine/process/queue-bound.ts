/** Keeps the queue of background runs from growing without a bound, and one user from filling it. */
import { TroupeError, usualRetryAfter } from "../../errors.ts";
import { Shares } from "../../model/shares.ts";
import type { AcceptedRun } from "../contract.ts";
import type { EngineParts } from "../parts.ts";

/** Milliseconds for which a count is good enough. Others start runs, too: the bound is passed by what they start meanwhile. */
const freshness = 1_000;

/** The same for a count that refuses a start: some runs may have begun since. */
const freshnessAtBound = 100;

export class QueueBound {
  readonly #parts: Pick<EngineParts, "store" | "runtime" | "settings">;
  /** Runs that wait, by user; nobody's have an empty name. Those of the last count, with those let in here that it may not have. */
  #waiting = new Shares();
  /** The latter of them, by user. */
  readonly #letIn = new Shares();
  /** Users of those of them that are recorded: a count that begins now has them. */
  readonly #recorded: string[] = [];
  #countedAt = -Infinity;
  #counting: Promise<void> | undefined;

  constructor(parts: Pick<EngineParts, "store" | "runtime" | "settings">) {
    this.#parts = parts;
  }

  /**
   * Lets one more run of a user (null for nobody's) into the queue, and keeps its place while it is being recorded.
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

  /** The place is taken where it is found: others look as soon as there is an await. */
  async #enter(user: string): Promise<void> {
    await this.#countIfOlder(freshness);
    if (this.#refusalFor(user)) await this.#countIfOlder(freshnessAtBound);
    const refusal = this.#refusalFor(user);
    if (refusal) throw new TroupeError("tooManyRequests", refusal, { retryAfter: usualRetryAfter });
    this.#waiting.add(user, 1);
    this.#letIn.add(user, 1);
  }

  #leave(user: string): void {
    this.#waiting.add(user, -1);
    this.#letIn.add(user, -1);
  }

  /** A single user may have half of the queue, nine a tenth each. What belongs to no user may fill it. */
  #refusalFor(user: string): string | undefined {
    const { queueLimit } = this.#parts.settings;
    const own = this.#waiting.of(user);
    const until = "more can be started when some of them have begun.";
    if (this.#waiting.total >= queueLimit) return `${queueLimit} background runs wait already: ${until}`;
    if (own >= this.#waiting.shareOf(user, queueLimit))
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
    const waiting = new Shares(await store.queued(settings.queueLimit));
    for (const user of this.#recorded.splice(0, before)) this.#letIn.add(user, -1);
    for (const [user, runs] of this.#letIn) waiting.add(user, runs);
    this.#waiting = waiting;
    this.#countedAt = runtime.clock.monotonic();
  }
}
