/** A session's state in a run: an object that definitions change, and what they changed since it was last stored. */
import type { StatePatch } from "../store/seam.ts";

export class SessionState {
  /** What definitions read and write. */
  readonly value: Record<string, unknown>;
  readonly #stored = new Map<string, string>();

  /** @param stored JSON text of an object */
  constructor(stored: string) {
    this.value = JSON.parse(stored) as Record<string, unknown>;
    for (const [key, item] of Object.entries(this.value)) this.#stored.set(key, JSON.stringify(item));
  }

  /** Changed top-level keys, or null; a key that is gone is null in the patch. What is taken counts as stored. */
  takePatch(): StatePatch | null {
    const patch: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(this.value)) {
      const text = JSON.stringify(item);
      if (text === undefined || text === this.#stored.get(key)) continue;
      this.#stored.set(key, text);
      patch[key] = JSON.parse(text);
    }
    for (const key of this.#stored.keys()) {
      if (key in this.value) continue;
      this.#stored.delete(key);
      patch[key] = null;
    }
    return Object.keys(patch).length > 0 ? patch : null;
  }
}
