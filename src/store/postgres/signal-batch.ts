/** Wake-up signals for other processes, collected for a few milliseconds and encoded as one short text. */
import type { Signal } from "../contract/signals.ts";

/** A notification of Postgres holds less than 8,000 bytes. */
const maxBytes = 7_000;
/** This many keys never fit into a notification. */
const maxKeys = 4_000;

/** Words of the topics without keys. */
const words = { work: "w", components: "v" } as const;
type PlainTopic = keyof typeof words;
const plainTopics = Object.keys(words) as PlainTopic[];

const letters = { run: "r", cancel: "c", deleted: "d", steer: "s" } as const;
type KeyedTopic = keyof typeof letters;
const topics = Object.keys(letters) as KeyedTopic[];

/** Deduplicated signals. A batch that grows too large becomes `all`. */
export class SignalBatch {
  #isAll = false;
  readonly #plain = new Set<PlainTopic>();
  readonly #keys: Record<KeyedTopic, Set<number>> = {
    ...{ run: new Set(), cancel: new Set(), deleted: new Set(), steer: new Set() },
  };

  get isEmpty(): boolean {
    return !this.#isAll && this.#plain.size === 0 && topics.every((topic) => this.#keys[topic].size === 0);
  }

  add(signal: Signal): void {
    if (signal.topic === "all") this.#isAll = true;
    else if (!("key" in signal)) this.#plain.add(signal.topic);
    else if (!this.#isAll) this.#keys[signal.topic].add(signal.key);
    if (topics.some((topic) => this.#keys[topic].size > maxKeys)) this.#isAll = true;
    if (this.#isAll) for (const topic of topics) this.#keys[topic].clear();
  }

  /** The encoded text: `a` for all; otherwise `w`, `v` and lists of keys in base 36, such as `w r1,2k c7`. */
  toString(): string {
    const parts: string[] = [...this.#plain].map((topic) => words[topic]);
    for (const topic of topics) {
      const keys = this.#keys[topic];
      if (keys.size > 0) parts.push(letters[topic] + [...keys].map((key) => key.toString(36)).join(","));
    }
    const text = parts.join(" ");
    return this.#isAll || text.length > maxBytes ? "a" : text;
  }
}

/** Decodes such a text. An unknown text counts as `all`. */
export function parseSignals(text: string): readonly Signal[] {
  const signals: Signal[] = [];
  for (const word of text.split(" ")) {
    const topic = topics.find((name) => letters[name] === word[0]);
    const plain = plainTopics.find((name) => words[name] === word);
    if (plain !== undefined) {
      signals.push({ topic: plain });
    } else if (topic === undefined) {
      return [{ topic: "all" }];
    } else {
      for (const key of word.slice(1).split(",")) signals.push({ topic, key: Number.parseInt(key, 36) });
    }
  }
  return signals;
}
