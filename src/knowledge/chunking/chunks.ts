/** Divides parsed documents into chunks. Every chunk is a piece of the parsed text, with its offsets. */
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

/** Divides a document by everything but `semantic`. */
export function divide(
  document: ParsedDocument,
  chunker: Exclude<Chunker, "semantic">,
  { size = 400, overlap = 40 }: Chunking,
): readonly Piece[] {
  const { text } = document;
  const sections = chunker === "markdown" ? sectionsOf(text) : [{ start: 0, end: text.length, headings: [] }];
  return sections.flatMap((section) => {
    const units = unitsOf(text, section, chunker, size);
    return join(text, units, size, chunker === "row" ? 0 : overlap).map((span) => ({
      ...trimmed(text, span),
      headings: section.headings,
    }));
  });
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

/** Headings of Markdown outside of fenced code. */
function sectionsOf(text: string): readonly Piece[] {
  const sections: Piece[] = [];
  let path: { readonly level: number; readonly title: string }[] = [];
  let start = 0;
  let fence: string | undefined;
  const close = (end: number): void => {
    if (text.slice(start, end).trim() !== "") sections.push({ start, end, headings: path.map(({ title }) => title) });
    start = end;
  };
  for (const line of linesOf(text)) {
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

function linesOf(text: string): readonly Span[] {
  const lines: Span[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    lines.push({ start, end: end < 0 ? text.length : end + 1 });
    start = end < 0 ? text.length : end + 1;
  }
  return lines;
}

/** The smallest parts that a chunk does not divide, unless one is larger than a chunk. */
function unitsOf(text: string, section: Span, chunker: Chunker, size: number): readonly Span[] {
  if (chunker === "fixed") return wordsOf(text, section);
  const within = (span: Span): Span => ({ start: span.start + section.start, end: span.end + section.start });
  const part = text.slice(section.start, section.end);
  const units = chunker === "row" ? linesOf(part) : sentencesOf(part);
  return units.map(within).flatMap((unit) => (tokensOf(text, unit) > size ? wordsOf(text, unit) : [unit]));
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });

/** Sentences of a text; an empty line ends a sentence, too. */
export function sentencesOf(text: string): readonly Span[] {
  const sentences: Span[] = [];
  for (const { segment, index } of segmenter.segment(text))
    sentences.push({ start: index, end: index + segment.length });
  return sentences;
}

function wordsOf(text: string, { start, end }: Span): readonly Span[] {
  return [...text.slice(start, end).matchAll(/\S{1,64}\s*|\s+/g)].map((word) => ({
    start: start + word.index,
    end: start + word.index + word[0].length,
  }));
}

function tokensOf(text: string, { start, end }: Span): number {
  return countTokens(text.slice(start, end));
}

/** Joins units to chunks of at most `size` tokens, which begin with the last units of the chunk before. */
function join(text: string, units: readonly Span[], size: number, overlap: number): readonly Span[] {
  const sizes = units.map((unit) => tokensOf(text, unit));
  const chunks: Span[] = [];
  for (let first = 0; first < units.length; ) {
    let next = first;
    for (let sum = 0; next < units.length && (next === first || sum + (sizes[next] ?? 0) <= size); next++)
      sum += sizes[next] ?? 0;
    chunks.push({ start: (units[first] as Span).start, end: (units[next - 1] as Span).end });
    if (next === units.length) break;
    let repeated = next;
    for (let sum = 0; repeated - 1 > first && sum + (sizes[repeated - 1] ?? 0) <= overlap; repeated--)
      sum += sizes[repeated - 1] ?? 0;
    first = repeated;
  }
  return chunks.filter(({ start, end }) => text.slice(start, end).trim() !== "");
}

function trimmed(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const before = part.length - part.trimStart().length;
  return { start: start + before, end: start + before + part.trim().length };
}
