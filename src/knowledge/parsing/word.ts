/** Writes Word documents as Markdown. */
import type { Archive } from "./archive.ts";
import { readXml } from "./office-xml.ts";
import { oneLine } from "./rows.ts";
import type { TextBuilder } from "./text-builder.ts";

/** Writes the text of a document: headings, paragraphs, lists, tables and notes. @throws Unreadable */
export function parseWord(archive: Archive, text: TextBuilder): void {
  const styles = stylesOf(archive);
  for (const part of ["document", "footnotes", "endnotes"]) writePart(archive, `word/${part}.xml`, styles, text);
}

/** Styles of paragraphs, by their ids. */
interface Styles {
  /** Levels of headings. */
  readonly levels: ReadonlyMap<string, number>;
  /** Styles of items of lists. */
  readonly items: ReadonlySet<string>;
}

function stylesOf(archive: Archive): Styles {
  const levels = new Map<string, number>();
  const items = new Set<string>();
  let style = "";
  readXml(archive, "word/styles.xml", {
    open(name, attributes) {
      const value = attributes["w:val"] ?? "";
      if (name === "w:style") style = attributes["w:styleId"] ?? "";
      else if (name === "w:numPr") items.add(style);
      else if (name === "w:name") {
        const level = /^title$/i.test(value) ? "1" : /^heading ([1-9])$/i.exec(value)?.[1];
        if (level !== undefined) levels.set(style, Number(level));
      } else if (name === "w:outlineLvl" && style !== "" && !levels.has(style) && Number(value) < 9)
        levels.set(style, Number(value) + 1);
    },
    close(name) {
      if (name === "w:style") style = "";
    },
  });
  return { levels, items };
}

function writePart(archive: Archive, part: string, { levels, items }: Styles, text: TextBuilder): void {
  let [paragraph, style, isItem, wasItem, inText] = ["", "", false, false, false];
  /** Alternatives for old programs repeat the text. */
  let fallbacks = 0;
  /** Cells of the rows that are open: tables may be in cells. */
  const rows: string[][] = [];

  const endParagraph = (): void => {
    const content = paragraph.trim();
    paragraph = "";
    if (content === "") return;
    const row = rows.at(-1);
    if (wasItem && !isItem) text.add("\n");
    wasItem = isItem;
    const level = levels.get(style);
    if (row) row[row.length - 1] = `${row.at(-1) ?? ""} ${content}`;
    else if (level !== undefined) text.paragraph(`${"#".repeat(Math.min(level, 6))} ${oneLine(content)}`);
    else if (isItem) text.add(`- ${content}\n`);
    else text.paragraph(content.replace(/^(#+\s)/gm, "\\$1"));
  };

  readXml(archive, part, {
    open(name, attributes) {
      if (name === "mc:Fallback") fallbacks += 1;
      if (fallbacks > 0) return;
      if (name === "w:p") [style, isItem] = ["", false];
      else if (name === "w:pStyle") {
        style = attributes["w:val"] ?? "";
        isItem ||= items.has(style);
      } else if (name === "w:numPr") isItem = true;
      else if (name === "w:t") inText = true;
      else if (name === "w:tab") paragraph += "\t";
      else if (name === "w:br" || name === "w:cr") paragraph += "\n";
      else if (name === "w:noBreakHyphen") paragraph += "-";
      else if (name === "w:tr") rows.push([]);
      else if (name === "w:tc") rows.at(-1)?.push("");
    },
    text(content) {
      if (inText) paragraph += content;
    },
    close(name) {
      if (name === "mc:Fallback") fallbacks -= 1;
      if (fallbacks > 0) return;
      if (name === "w:t") inText = false;
      else if (name === "w:p") endParagraph();
      else if (name === "w:tr") {
        const line = (rows.pop() ?? []).map(oneLine).join(" | ");
        const outer = rows.at(-1);
        if (outer) outer[outer.length - 1] = `${outer.at(-1) ?? ""} ${line}`;
        else if (line.trim() !== "") text.add(`| ${line} |\n`);
      } else if (name === "w:tbl" && rows.length === 0) text.add("\n");
    },
  });
}
