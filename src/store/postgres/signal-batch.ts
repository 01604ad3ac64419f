/** Wake-up signals for other processes, collected for a few milliseconds and encoded as one short text. */
import type { Signal } from "../contract/signals.ts";

/** A notification of Postgres holds less than 8,000 bytes. */
const maxBytes = 7_000;
/** This many keys never fit into a notification. */
const maxKeys = 4_000;

const letters = { run: "r", cancel: "c", deleted: "d", steer: "s" } as const;
type KeyedTopic = keyof typeof letters;
const topics = Object.keys(letters) as KeyedTopic[];

/** Deduplicated signals. A batch that grows too large becomes `all`. */
export class SignalBatch {
  #isAll = false;
  #isWork = false;
  readonly #keys: Record<KeyedTopic, Set<number>> = {
    ...{ run: new Set(), cancel: new Set(), deleted: new Set(), steer: new Set() },
  };

  get isEmpty(): boolean {
    return !this.#isAll && !this.#isWork && topics.every((topic) => this.#keys[topic].size === 0);
  }

  add(signal: Signal): void {
    if (signal.topic === "all") this.#isAll = true;
    else if (signal.topic === "work") this.#isWork = true;
    else if (!this.#isAll) this.#keys[signal.topic].add(signal.key);
    if (topics.some((topic) => this.#keys[topic].size > maxKeys)) this.#isAll = true;
    if (this.#isAll) for (const topic of topics) this.#keys[topic].clear();
  }

  /** The encoded text: `a` for all; otherwise `w` and lists of keys in base 36, such as `w r1,2k c7`. */
  toString(): string {
    const words = this.#isWork ? ["w"] : [];
    for (const topic of topics) {
      const keys = this.#keys[topic];
      if (keys.size > 0) words.push(letters[topic] + [...keys].map((key) => key.toString(36)).join(","));
    }
    const text = words.join(" ");
    return this.#isAll || text.length > maxBytes ? "a" : text;
  }
}

/** Decodes such a text. An unknown text counts as `all`. */
export function parseSignals(text: string): readonly Signal[] {
  const signals: Signal[] = [];
  for (const word of text.split(" ")) {
    const topic = topics.find((name) => letters[name] === word[0]);
    if (word === "w") {
      signals.push({ topic: "work" });
    } else if (topic === undefined) {
      return [{ topic: "all" }];
    } else {
      for (const key of word.slice(1).split(",")) signals.push({ topic, key: Number.parseInt(key, 36) });
    }
  }
  return signals;
}
