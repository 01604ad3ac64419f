/** Admission control: limits the runs and memory of this process, and each user's share of them. */
import { defaultRetryAfter, TroupeError } from "../../errors.ts";
import type { Engine } from "../contract.ts";
import type { EngineParts } from "../parts.ts";
import type { LiveRuns } from "./live-runs.ts";

/** A request to start or continue a run. */
export interface AdmissionRequest {
  /** The run's user; null for a run without a user. */
  readonly user: string | null;
  /** Number of characters of the input. */
  readonly size: number;
  /** Whether its run waits in the queue of background runs, which has its own limits. */
  readonly isQueued?: boolean;
}

const until = "more can be started when some of them have ended.";

export class Admission {
  readonly #parts: EngineParts;
  readonly #live: LiveRuns;
  /** Admitted requests in progress: each may start a run at any moment. */
  readonly #admitted = new Set<Promise<unknown>>();
  /** Callbacks that answer callers still waiting for an admitted request. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(parts: EngineParts, live: LiveRuns) {
    this.#parts = parts;
    this.#live = live;
  }

  /** Rejects every further request. */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Answers every waiting caller with `unavailable`. Admitted requests continue, and can query whether their caller was answered. */
  rejectWaiting(): void {
    for (const reject of [...this.#waiting]) reject();
  }

  /** Resolves when all requests admitted so far have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#admitted);
  }

  get acceptance(): Engine["acceptance"] {
    const reason = this.#refusal;
    return reason === undefined ? { open: true } : { open: false, reason, retryAfter: defaultRetryAfter };
  }

  get #refusal(): string | undefined {
    const { role, store, settings, memory } = this.#parts;
    if (role === "worker") return "This process executes runs and takes no starts (role worker).";
    if (this.#isClosed) return "The server is shutting down.";
    if (!store.availability.available) return "The database does not answer.";
    if (this.#live.size + this.#admitted.size >= settings.maxLiveRuns)
      return "The server executes as many runs as it may.";
    if (memory.isFull) return "The server's runs hold as much memory as they may.";
    return undefined;
  }

  /**
   * Runs `begin` if the process accepts work. A shutdown waits for it.
   * @throws TroupeError `unavailable`, or `tooManyRequests` for a user whose share is used up
   */
  async admit<T>(request: AdmissionRequest, begin: (isWithdrawn: () => boolean) => Promise<T>): Promise<T> {
    const { acceptance } = this;
    if (!acceptance.open)
      throw new TroupeError("unavailable", acceptance.reason, { retryAfter: acceptance.retryAfter });
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined) throw new TroupeError("tooManyRequests", refusal, { retryAfter: defaultRetryAfter });
    const { user, size } = request;
    const { users } = this.#live;
    const held = this.#parts.memory.open(user);
    held.add(size);
    users.add(user, 1);
    let isWithdrawn = false;
    const beginning = begin(() => isWithdrawn);
    const ended = beginning.catch((error: unknown) => {
      if (isWithdrawn)
        this.#parts.runtime.log.info({ error }, "A start whose caller was rejected during an outage has ended.");
    });
    this.#admitted.add(ended);
    return await new Promise<T>((resolve, reject) => {
      const rejectNow = (): void => {
        isWithdrawn = true;
        this.#waiting.delete(rejectNow);
        reject(new TroupeError("unavailable", "The database does not answer.", { retryAfter: defaultRetryAfter }));
      };
      const end = (): void => {
        this.#waiting.delete(rejectNow);
        this.#admitted.delete(ended);
        users.add(user, -1);
        held.release();
      };
      this.#waiting.add(rejectNow);
      // Release the capacity before the caller continues.
      beginning.finally(end).then(resolve, reject);
    });
  }

  #refusalOf({ user, isQueued = false }: AdmissionRequest): string | undefined {
    const { memory, settings } = this.#parts;
    const { users } = this.#live;
    if (!user || isQueued) return undefined;
    const runs = users.of(user);
    if (runs >= users.shareOf(user, settings.maxLiveRuns))
      return `${runs} runs of this user are executed already: ${until}`;
    if (memory.isFullFor(user)) return `The runs of this user hold as much memory as they may: ${until}`;
    return undefined;
  }
}
