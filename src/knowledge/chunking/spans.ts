/** Parts of texts, by their offsets. */

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A piece of a document: the text of a chunk. */
export interface Piece extends Span {
  readonly headings: readonly string[];
}

/** The lines of a text, with their ends. */
export function* linesOf(text: string): Generator<Span> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    yield { start, end: end < 0 ? text.length : end + 1 };
    start = end < 0 ? text.length : end + 1;
  }
}
