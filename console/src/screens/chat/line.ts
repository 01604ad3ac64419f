/** A line to the server that a person can cut, to see that a run resumes without losing an event. */

export class Line {
  #cut = new AbortController();
  #restored: Promise<void> = Promise.resolve();

  /** Ends all connections over this line. New ones wait until the line is restored. */
  cut(milliseconds: number): void {
    this.#restored = new Promise((resolve) => setTimeout(resolve, milliseconds));
    this.#cut.abort(new Error("The connection was cut."));
    this.#cut = new AbortController();
  }

  readonly fetch: typeof fetch = async (input, init) => {
    await this.#restored;
    init?.signal?.throwIfAborted();
    const signals = init?.signal ? [init.signal, this.#cut.signal] : [this.#cut.signal];
    return await fetch(input, { ...init, signal: AbortSignal.any(signals) });
  };
}
