/** Divides Markdown by its headings. Documents come from strangers, so the time grows only with the length of the text. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { refuseMore } from "./bounds.ts";
import { linesOf, type Piece, type Span } from "./spans.ts";

/** Characters that are read between two turns of the event loop. */
const perTurn = 262_144;

/** Max characters of a heading: every chunk below it repeats it. */
const maxHeading = 200;

/** Returns the sections of a text, with the headings above each. Lines of fenced code are no headings. @throws IngestionRejected */
export async function sectionsOf(text: string): Promise<readonly Piece[]> {
  const sections: Piece[] = [];
  let path: readonly Heading[] = [];
  let start = 0;
  let fence: string | undefined;
  const close = (end: number): void => {
    if (isBlank(text, start, end)) return;
    sections.push({ start, end, headings: path.map(({ title }) => title) });
    refuseMore(sections.length);
  };
  let turned = 0;
  for (const line of linesOf(text)) {
    if (line.end - turned > perTurn) {
      await nextTurn();
      turned = line.start;
    }
    const mark = fenceIn(text, line);
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    const heading = fence === undefined ? headingIn(text, line) : undefined;
    if (!heading) continue;
    close(line.start);
    start = line.start;
    path = [...path.filter(({ level }) => level < heading.level), heading];
  }
  close(text.length);
  return sections;
}

interface Heading {
  readonly level: number;
  readonly title: string;
}

/** The beginning of a line, which decides what it is. */
function beginningOf(text: string, { start, end }: Span, length: number): string {
  return text.slice(start, Math.min(end, start + length));
}

function fenceIn(text: string, line: Span): string | undefined {
  return /^ {0,3}(`{3,}|~{3,})/.exec(beginningOf(text, line, maxHeading))?.[1];
}

function headingIn(text: string, line: Span): Heading | undefined {
  const content = beginningOf(text, line, 2 * maxHeading);
  const mark = /^ {0,3}(#{1,6})[ \t]/.exec(content);
  if (!mark?.[1]) return undefined;
  const title = withoutMarks(content.slice(mark[0].length).trim()).slice(0, maxHeading).toWellFormed().trim();
  return title === "" ? undefined : { level: mark[1].length, title };
}

/** Removes the marks at the end of a heading: `## Title ##`. Those of a word, such as `C#`, stay. */
function withoutMarks(title: string): string {
  let end = title.length;
  while (title[end - 1] === "#") end--;
  return end === 0 || /\s/.test(title[end - 1] ?? "") ? title.slice(0, end).trimEnd() : title;
}

function isBlank(text: string, start: number, end: number): boolean {
  return text.slice(start, end).trim() === "";
}
