/** Lets in what may begin a run here: as much as the process can execute, and of each user only a share of it. */
import { TroupeError, usualRetryAfter } from "../../errors.ts";
import type { Engine } from "../contract.ts";
import type { EngineParts } from "../parts.ts";
import type { LiveRuns } from "./live-runs.ts";

/** What is to be let in. */
export interface Entrant {
  /** Whose run it will be; null for no user's. */
  readonly user: string | null;
  /** Characters of what it brings. */
  readonly size: number;
  /** Whether its run waits in the queue of background runs, which has shares of its own. */
  readonly isQueued?: boolean;
}

const until = "more can be started when some of them have ended.";

export class Admission {
  readonly #parts: EngineParts;
  readonly #live: LiveRuns;
  /** What was let in and is not over: a run may begin at any moment. */
  readonly #entering = new Set<Promise<unknown>>();
  /** Callers that wait for what was let in, to be told that it is given up. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(parts: EngineParts, live: LiveRuns) {
    this.#parts = parts;
    this.#live = live;
  }

  /** Lets nothing in from now on. */
  close(): void {
    this.#isClosed = true;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Answers every caller that still waits with `unavailable`. What was let in goes on, and can ask whether its caller was answered so. */
  giveUp(): void {
    for (const giveUp of [...this.#waiting]) giveUp();
  }

  /** Resolves when what was let in so far is over. */
  async settled(): Promise<void> {
    await Promise.all(this.#entering);
  }

  get acceptance(): Engine["acceptance"] {
    const reason = this.#refusal;
    return reason === undefined ? { open: true } : { open: false, reason, retryAfter: usualRetryAfter };
  }

  get #refusal(): string | undefined {
    const { role, store, settings, memory } = this.#parts;
    if (role === "worker") return "This process executes runs and takes no starts (role worker).";
    if (this.#isClosed) return "The server is shutting down.";
    if (!store.availability.available) return "The database does not answer.";
    if (this.#live.size + this.#entering.size >= settings.maxLiveRuns)
      return "The server executes as many runs as it may.";
    if (memory.isFull) return "The server's runs hold as much memory as they may.";
    return undefined;
  }

  /**
   * Lets it in, while anything is let in. An end of the process waits for it.
   * @throws TroupeError `unavailable`, or `tooManyRequests` for a user who has a whole share
   */
  async letIn<T>(entrant: Entrant, begin: (isGivenUp: () => boolean) => Promise<T>): Promise<T> {
    const { acceptance } = this;
    if (!acceptance.open)
      throw new TroupeError("unavailable", acceptance.reason, { retryAfter: acceptance.retryAfter });
    const refusal = this.#refusalOf(entrant);
    if (refusal !== undefined) throw new TroupeError("tooManyRequests", refusal, { retryAfter: usualRetryAfter });
    const { user, size } = entrant;
    const { users } = this.#live;
    const held = this.#parts.memory.open(user);
    held.add(size);
    users.add(user, 1);
    let isGivenUp = false;
    const beginning = begin(() => isGivenUp);
    const settled = beginning.catch((error: unknown) => {
      if (isGivenUp) this.#parts.runtime.log.info({ error }, "A start that was given up during an outage has ended.");
    });
    this.#entering.add(settled);
    return await new Promise<T>((resolve, reject) => {
      const giveUp = (): void => {
        isGivenUp = true;
        this.#waiting.delete(giveUp);
        reject(new TroupeError("unavailable", "The database does not answer.", { retryAfter: usualRetryAfter }));
      };
      const end = (): void => {
        this.#waiting.delete(giveUp);
        this.#entering.delete(settled);
        users.add(user, -1);
        held.release();
      };
      this.#waiting.add(giveUp);
      // The places are given back before the caller goes on.
      beginning.finally(end).then(resolve, reject);
    });
  }

  #refusalOf({ user, isQueued = false }: Entrant): string | undefined {
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
