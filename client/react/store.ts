/** A value outside of React that components can subscribe to. */

/** Milliseconds between two notifications while a run streams: about one frame of a display. */
const frame = 16;

export class Store<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  readonly get = (): Value => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Changes the value and notifies at once. */
  set(value: Value): void {
    this.#value = value;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Calls `read` for the new value and notifies, once for all calls of about one frame. */
  setSoon(read: () => Value): void {
    this.#timer ??= setTimeout(() => this.set(read()), frame);
  }
}
