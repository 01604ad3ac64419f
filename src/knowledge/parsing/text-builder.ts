/** Collects the text of a document, up to a bound. */
import { Unreadable } from "./unreadable.ts";

/** Characters that no text needs, and that databases reject: controls except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes them
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/** Max characters of white space in a row: the size of a chunk is in tokens, and white space has none. */
const maxBlank = 200;

/** Returns a text without control characters, lone surrogates and long white space, with line feeds as the ends of lines. */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(controls, " ")
    .replace(/\s{2,}/g, (blank) => blank.slice(0, maxBlank))
    .toWellFormed();
}

/** The text of a document, and where its pages begin. */
export class TextBuilder {
  readonly #max: number;
  readonly #parts: string[] = [];
  readonly #pages: number[] = [];
  #length = 0;

  /** With a bound in characters. */
  constructor(max: number) {
    this.#max = max;
  }

  get length(): number {
    return this.#length;
  }

  /** @throws Unreadable when the text is too long */
  add(text: string): void {
    const part = cleanText(text);
    this.#length += part.length;
    if (this.#length > this.#max) throw new Unreadable(`The document has more than ${this.#max} characters of text.`);
    this.#parts.push(part);
  }

  /** Adds a paragraph, followed by an empty line. */
  paragraph(text: string): void {
    if (text.trim() !== "") this.add(`${text.trim()}\n\n`);
  }

  /** The next text begins a page. */
  page(): void {
    this.#pages.push(this.#length);
  }

  end(): { readonly text: string; readonly pages: readonly number[] } {
    return { text: this.#parts.join(""), pages: this.#pages };
  }
}
