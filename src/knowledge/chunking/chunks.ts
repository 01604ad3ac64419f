/** Divides parsed documents into chunks. Every chunk is a piece of the parsed text, with its offsets. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Chunker, Chunking } from "../../define/knowledge.ts";
import { countTokens } from "../tokens.ts";
import { refuseMore } from "./bounds.ts";
import { sectionsOf } from "./sections.ts";
import { linesOf, type Piece, type Span } from "./spans.ts";

/** A parsed document. */
export interface ParsedDocument {
  readonly text: string;
  /** Offsets where pages begin, in order; empty for a document without pages. The first page has the number 1. */
  readonly pages: readonly number[];
  /** Decides the chunker where neither the caller nor the knowledge base chose one. */
  readonly form: "text" | "markdown" | "table";
}

/** Returns the chunker of a document. */
export function chunkerOf({ form }: ParsedDocument, { chunker }: Chunking): Chunker {
  if (chunker !== undefined) return chunker;
  return form === "markdown" ? "markdown" : form === "table" ? "row" : "sentence";
}

/** Divides a document by everything but `semantic`. The event loop turns between parts of the document. @throws IngestionRejected */
export async function divide(
  document: ParsedDocument,
  chunker: Exclude<Chunker, "semantic">,
  { size = 400, overlap = 40 }: Chunking,
): Promise<readonly Piece[]> {
  const { text } = document;
  const pieces: Piece[] = [];
  const sections = chunker === "markdown" ? await sectionsOf(text) : [{ start: 0, end: text.length, headings: [] }];
  let turned = 0;
  for (const section of sections) {
    const joiner = new Joiner({ size, overlap: chunker === "row" ? 0 : overlap }, (span) => {
      pieces.push({ ...trimmed(text, span), headings: section.headings });
      refuseMore(pieces.length);
    });
    for (const block of blocksOf(text, section)) {
      if (block.end - turned > blockLength) {
        await nextTurn();
        turned = block.start;
      }
      for (const unit of unitsOf(text, block, chunker, size)) joiner.add(unit);
    }
    joiner.end();
  }
  return pieces;
}

/** Number of the page that contains an offset; null for a document without pages. */
export function pageAt({ pages }: ParsedDocument, offset: number): number | null {
  if (pages.length === 0) return null;
  return Math.max(1, pages.findLastIndex((start) => start <= offset) + 1);
}

/** A part of a document that a chunk contains as a whole. */
interface Unit extends Span {
  readonly tokens: number;
}

/** Characters that are divided between two turns of the event loop: a few milliseconds. */
const blockLength = 16_384;

/** Divides a span between lines. A line end is also the end of a sentence, so no sentence is divided unless it is longer than a block. */
function* blocksOf(text: string, { start, end }: Span): Generator<Span> {
  for (let first = start; first < end; ) {
    const limit = first + blockLength;
    const line = limit < end ? text.lastIndexOf("\n", limit - 1) + 1 : end;
    const next = line > first ? line : Math.min(limit, end);
    yield { start: first, end: next };
    first = next;
  }
}

/** The smallest parts that a chunk does not divide, unless one is larger than a chunk. */
function unitsOf(text: string, block: Span, chunker: Chunker, size: number): readonly Unit[] {
  const measured = (span: Span): Unit => ({ ...span, tokens: countTokens(text.slice(span.start, span.end)) });
  if (chunker === "fixed") return wordsOf(text, block).map(measured);
  const part = text.slice(block.start, block.end);
  const units = chunker === "row" ? linesOf(part) : sentencesIn(part);
  return [...units].flatMap(({ start, end }) => {
    const unit = measured({ start: start + block.start, end: end + block.start });
    return unit.tokens > size ? wordsOf(text, unit).map(measured) : [unit];
  });
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });

function* sentencesIn(text: string): Generator<Span> {
  for (const { segment, index } of segmenter.segment(text)) yield { start: index, end: index + segment.length };
}

/** Sentences of a text; a line end ends a sentence, too. The event loop turns between parts of the text. @throws IngestionRejected */
export async function sentencesOf(text: string): Promise<readonly Span[]> {
  const sentences: Span[] = [];
  for (const block of blocksOf(text, { start: 0, end: text.length })) {
    for (const { start, end } of sentencesIn(text.slice(block.start, block.end))) {
      const span = trimmed(text, { start: start + block.start, end: end + block.start });
      if (span.end > span.start) sentences.push(span);
    }
    refuseMore(sentences.length, "sentences");
    await nextTurn();
  }
  return sentences;
}

function wordsOf(text: string, { start, end }: Span): readonly Span[] {
  return [...text.slice(start, end).matchAll(/\S{1,64}\s*|\s+/g)].map((word) => ({
    start: start + word.index,
    end: start + word.index + word[0].length,
  }));
}

/** Joins units to chunks of at most `size` tokens. A chunk begins with the last units of the chunk before, as far as there is room for them. */
class Joiner {
  readonly #size: number;
  readonly #overlap: number;
  readonly #emit: (span: Span) => void;
  #units: Unit[] = [];
  #tokens = 0;
  /** Whether a unit is in no earlier chunk. */
  #hasNew = false;

  constructor({ size, overlap }: { readonly size: number; readonly overlap: number }, emit: (span: Span) => void) {
    this.#size = size;
    this.#overlap = overlap;
    this.#emit = emit;
  }

  /** @throws what `emit` throws */
  add(unit: Unit): void {
    const last = this.#units.at(-1);
    // White space belongs to the unit before it, so that the units of a chunk are at most its tokens.
    if (unit.tokens === 0) {
      if (last) this.#units[this.#units.length - 1] = { ...last, end: unit.end };
      return;
    }
    const isFull = (): boolean => this.#tokens + unit.tokens > this.#size;
    if (this.#hasNew && isFull()) this.#endChunk();
    while (!this.#hasNew && this.#units.length > 0 && isFull()) this.#tokens -= this.#units.shift()?.tokens ?? 0;
    this.#units.push(unit);
    this.#tokens += unit.tokens;
    this.#hasNew = true;
  }

  /** Emits the last chunk. */
  end(): void {
    if (this.#hasNew) this.#endChunk();
  }

  #endChunk(): void {
    const [first] = this.#units;
    const last = this.#units.at(-1);
    if (first && last) this.#emit({ start: first.start, end: last.end });
    let repeated = this.#units.length;
    let tokens = 0;
    for (; repeated > 1; repeated--) {
      const next = tokens + (this.#units[repeated - 1]?.tokens ?? 0);
      if (next > this.#overlap) break;
      tokens = next;
    }
    this.#units = this.#units.slice(repeated);
    this.#tokens = tokens;
    this.#hasNew = false;
  }
}

function trimmed(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const before = part.length - part.trimStart().length;
  return { start: start + before, end: start + before + part.trim().length };
}
