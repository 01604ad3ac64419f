/** Divides parsed documents into chunks. Every chunk is a piece of the parsed text, with its offsets. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Chunker, Chunking } from "../../define/knowledge.ts";
import { countTokens } from "../tokens.ts";

/** A parsed document. */
export interface ParsedDocument {
  readonly text: string;
  /** Offsets where pages begin, in order; empty for a document without pages. The first page has the number 1. */
  readonly pages: readonly number[];
  /** Decides the chunker where neither the caller nor the knowledge base chose one. */
  readonly form: "text" | "markdown" | "table";
}

/** A piece of a document. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly headings: readonly string[];
}

/** Returns the chunker of a document. */
export function chunkerOf({ form }: ParsedDocument, { chunker }: Chunking): Chunker {
  if (chunker !== undefined) return chunker;
  return form === "markdown" ? "markdown" : form === "table" ? "row" : "sentence";
}

/** Divides a document by everything but `semantic`. The event loop turns between parts of the document. */
export async function divide(
  document: ParsedDocument,
  chunker: Exclude<Chunker, "semantic">,
  { size = 400, overlap = 40 }: Chunking,
): Promise<readonly Piece[]> {
  const { text } = document;
  const pieces: Piece[] = [];
  const sections = chunker === "markdown" ? await sectionsOf(text) : [{ start: 0, end: text.length, headings: [] }];
  let begun = 0;
  for (const section of sections) {
    const units: Unit[] = [];
    for (const block of blocksOf(text, section)) {
      if (block.end - begun > blockLength) {
        await nextTurn();
        begun = block.start;
      }
      units.push(...unitsOf(text, block, chunker, size));
    }
    for (const span of join(text, units, size, chunker === "row" ? 0 : overlap))
      pieces.push({ ...trimmed(text, span), headings: section.headings });
  }
  return pieces;
}

/** Number of the page that contains an offset; null for a document without pages. */
export function pageAt({ pages }: ParsedDocument, offset: number): number | null {
  if (pages.length === 0) return null;
  return Math.max(1, pages.findLastIndex((start) => start <= offset) + 1);
}

interface Span {
  readonly start: number;
  readonly end: number;
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

/** Headings of Markdown outside of fenced code. */
async function sectionsOf(text: string): Promise<readonly Piece[]> {
  const sections: Piece[] = [];
  let path: { readonly level: number; readonly title: string }[] = [];
  let start = 0;
  let fence: string | undefined;
  const close = (end: number): void => {
    if (text.slice(start, end).trim() !== "") sections.push({ start, end, headings: path.map(({ title }) => title) });
    start = end;
  };
  let begun = 0;
  for (const line of linesOf(text)) {
    if (line.end - begun > 16 * blockLength) {
      await nextTurn();
      begun = line.start;
    }
    const content = text.slice(line.start, line.end);
    const mark = /^ {0,3}(```+|~~~+)/.exec(content)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    const heading = fence === undefined ? /^ {0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(content) : null;
    if (!heading?.[1] || heading[2] === undefined) continue;
    close(line.start);
    const level = heading[1].length;
    path = [...path.filter((above) => above.level < level), { level, title: heading[2] }];
  }
  close(text.length);
  return sections;
}

function* linesOf(text: string): Generator<Span> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    yield { start, end: end < 0 ? text.length : end + 1 };
    start = end < 0 ? text.length : end + 1;
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

/** Sentences of a text; a line end ends a sentence, too. The event loop turns between parts of the text. */
export async function sentencesOf(text: string): Promise<readonly Span[]> {
  const sentences: Span[] = [];
  for (const block of blocksOf(text, { start: 0, end: text.length })) {
    for (const { start, end } of sentencesIn(text.slice(block.start, block.end)))
      sentences.push({ start: start + block.start, end: end + block.start });
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

/** Joins units to chunks of at most `size` tokens, which begin with the last units of the chunk before. */
function join(text: string, units: readonly Unit[], size: number, overlap: number): readonly Span[] {
  const sizeOf = (place: number): number => units[place]?.tokens ?? 0;
  const chunks: Span[] = [];
  for (let first = 0; first < units.length; ) {
    let next = first;
    for (let sum = 0; next < units.length && (next === first || sum + sizeOf(next) <= size); next++)
      sum += sizeOf(next);
    chunks.push({ start: (units[first] as Unit).start, end: (units[next - 1] as Unit).end });
    if (next === units.length) break;
    let repeated = next;
    for (let sum = 0; repeated - 1 > first && sum + sizeOf(repeated - 1) <= overlap; repeated--)
      sum += sizeOf(repeated - 1);
    first = repeated;
  }
  return chunks.filter(({ start, end }) => text.slice(start, end).trim() !== "");
}

function trimmed(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const before = part.length - part.trimStart().length;
  return { start: start + before, end: start + before + part.trim().length };
}
