/** The messages that callers put into a root run of this process: they wait here until the run's loop takes them. */
import type { PlacedMessage } from "../../model/run/message.ts";
import type { NumberedMessage } from "../../model/run/steering.ts";
import type { EngineParts } from "../parts.ts";
import { retryWhileUnavailable } from "../process/retry-while-unavailable.ts";

/** Dependencies of an inbox. */
export interface InboxParts extends Pick<EngineParts, "store" | "runtime" | "settings"> {
  /** Ends the wait for an unavailable database. */
  readonly signal: AbortSignal;
}

export class Inbox {
  readonly #parts: InboxParts;
  readonly #key: number;
  /** Number of the last message that the run has taken. */
  #taken: number;
  #waiting: NumberedMessage[] = [];
  #reading: Promise<void> | undefined;
  /** Whether messages may have been accepted since the last read began. */
  #isStale: boolean;
  #turn: AbortController | undefined;

  /**
   * @param accepted number of messages that the run had accepted when this process claimed it
   * @param messages the stored messages of the run: those that it took from callers have numbers
   */
  constructor(
    parts: InboxParts,
    { key, accepted }: { readonly key: number; readonly accepted: number },
    messages: readonly PlacedMessage[],
  ) {
    this.#parts = parts;
    this.#key = key;
    this.#taken = takenIn(messages);
    this.#isStale = accepted > this.#taken;
  }

  /** Number of the last message that the run has taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether the loop must look for messages before its next step. */
  get mayHaveMessages(): boolean {
    return this.#isStale || this.#reading !== undefined || this.#waiting.length > 0;
  }

  /** Called when a message may have been accepted. Reads it, and stops the model request in progress if the message interrupts. */
  notify(): void {
    this.#isStale = true;
    void this.#read().then(
      () => this.#interrupt(),
      (error: unknown) => {
        if (!this.#parts.signal.aborted)
          this.#parts.runtime.log.warn(
            { error },
            "Messages to a live run could not be read; the run reads them later.",
          );
      },
    );
  }

  /** The waiting messages, in order. They count as taken. */
  async take(): Promise<readonly NumberedMessage[]> {
    while (this.#isStale || this.#reading) await this.#read();
    const found = this.#waiting;
    this.#waiting = [];
    this.#taken = found.at(-1)?.number ?? this.#taken;
    return found;
  }

  /** Begins a model request; the signal aborts if a message interrupts it. Call `endTurn` afterwards. */
  beginTurn(): AbortSignal {
    this.#turn = new AbortController();
    this.#interrupt();
    return this.#turn.signal;
  }

  endTurn(): void {
    this.#turn = undefined;
  }

  #interrupt(): void {
    if (this.#waiting.some(({ mode }) => mode === "interrupt")) this.#turn?.abort(new TurnInterrupted());
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readNew().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNew(): Promise<void> {
    const { store, signal } = this.#parts;
    while (this.#isStale) {
      this.#isStale = false;
      const last = this.#waiting.at(-1)?.number ?? this.#taken;
      try {
        const found = await retryWhileUnavailable(this.#parts, signal, () => store.steeringMessages(this.#key, last));
        this.#waiting.push(...found.filter(({ number }) => number > (this.#waiting.at(-1)?.number ?? this.#taken)));
      } catch (error) {
        this.#isStale = true;
        throw error;
      }
    }
  }
}

/** The reason with which a message stops a model request. */
export class TurnInterrupted extends Error {
  override readonly name = "TurnInterrupted";

  constructor() {
    super("A message interrupts the model request.");
  }
}

function takenIn(messages: readonly PlacedMessage[]): number {
  return messages.reduce((last, { message }) => {
    const number = message.role === "user" ? message.steering : undefined;
    return Math.max(last, number ?? 0);
  }, 0);
}
