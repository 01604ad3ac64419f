/** A session's state in a run: an object that definitions change, and its changes since it was last stored. */
import type { StatePatch } from "../../store/contract/store.ts";
import { RunFailure } from "../loops/contract.ts";

export class SessionState {
  /** The object that definitions read and write. */
  readonly value: Record<string, unknown>;
  #stored: ReadonlyMap<string, string>;

  /** @param stored JSON text of an object */
  constructor(stored: string) {
    this.value = JSON.parse(stored) as Record<string, unknown>;
    this.#stored = new Map(Object.entries(this.value).map(([key, item]) => [key, JSON.stringify(item)]));
  }

  /** Approximate number of characters of the state's JSON. */
  get size(): number {
    let size = 0;
    for (const [key, text] of this.#toTexts(false)) size += key.length + text.length;
    return size;
  }

  /**
   * Returns the changed and removed top-level keys, or null if none changed. The returned changes count as stored.
   * @param whole if true, a value that cannot be written is a failure; otherwise its key keeps the stored value
   * @throws RunFailure
   */
  takePatch({ whole }: { readonly whole: boolean } = { whole: true }): StatePatch | null {
    const now = this.#toTexts(whole);
    const changed = [...now].filter(([key, text]) => text !== this.#stored.get(key));
    const remove = [...this.#stored.keys()].filter((key) => !now.has(key));
    this.#stored = now;
    if (changed.length + remove.length === 0) return null;
    return { set: Object.fromEntries(changed.map(([key, text]) => [key, JSON.parse(text)])), remove };
  }

  #toTexts(whole: boolean): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (const [key, item] of Object.entries(this.value)) {
      const text = this.#toText(key, item, whole);
      if (text !== undefined) texts.set(key, text);
    }
    return texts;
  }

  #toText(key: string, item: unknown, whole: boolean): string | undefined {
    try {
      return JSON.stringify(item);
    } catch (error) {
      if (!whole) return this.#stored.get(key);
      throw new RunFailure(
        "invalid_session_state",
        `The session's state holds something under "${key}" that cannot be written as JSON.`,
        error,
      );
    }
  }
}
