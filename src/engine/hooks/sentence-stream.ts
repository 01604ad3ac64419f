/**
 * Redacts a text while it arrives. It returns whole sentences and lines only: no finding of a redactor that works by windows contains such an end, so the
 * parts together equal the redacted text.
 */
export class SentenceStream {
  readonly #redact: (text: string) => string;
  /** Pieces without an end. They are joined once: joining a text at each piece would take quadratic time. */
  #held: string[] = [];
  #last = "";
  #shown: string[] = [];

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  /** The redacted text that was returned so far. */
  get shown(): string {
    return this.#shown.join("");
  }

  /** Adds text that is not empty; returns the redacted text up to the last end of a sentence or a line. */
  push(delta: string): string {
    const cut = endIn(this.#last, delta);
    this.#last = delta.at(-1) ?? this.#last;
    if (cut === 0) {
      this.#held.push(delta);
      return "";
    }
    this.#held.push(delta.slice(0, cut));
    const text = this.end();
    if (cut < delta.length) this.#held.push(delta.slice(cut));
    return text;
  }

  /** Returns the rest. */
  end(): string {
    const text = this.#redact(this.#held.join(""));
    this.#held = [];
    this.#shown.push(text);
    return text;
  }
}

/** Returns the place after the last line break, or after the last white space that follows a sentence; 0 if there is none. */
function endIn(before: string, delta: string): number {
  for (let place = delta.length; place > 0; place--) {
    const last = delta[place - 1];
    if (last === "\n") return place;
    if ((last === " " || last === "\t") && /[.!?]/.test(place > 1 ? (delta[place - 2] as string) : before))
      return place;
  }
  return 0;
}
