/** Writes presentations as Markdown: every slide is a page, with its title as a heading. */
import type { Archive } from "./archive.ts";
import { readXml, relationsOf } from "./office-xml.ts";
import { oneLine } from "./rows.ts";
import type { TextBuilder } from "./text-builder.ts";

/** Writes the slides in their order, each with its notes. @throws Unreadable */
export function parseSlides(archive: Archive, text: TextBuilder): void {
  const presentation = "ppt/presentation.xml";
  const relations = relationsOf(archive, presentation);
  const slides: string[] = [];
  readXml(archive, presentation, {
    open(name, attributes) {
      const slide = name === "p:sldId" ? relations.get(attributes["r:id"] ?? "") : undefined;
      if (slide) slides.push(slide.target);
    },
  });
  for (const slide of slides) {
    text.page();
    writeShapes(archive, slide, text);
    const notes = [...relationsOf(archive, slide).values()].find(({ type }) => type === "notesSlide");
    if (notes) writeShapes(archive, notes.target, text, "Notes: ");
  }
}

/** Placeholders that say nothing about a slide. */
const ignored: ReadonlySet<string> = new Set(["dt", "ftr", "sldNum", "hdr", "sldImg"]);

/** Writes the texts of a slide, or of its notes with a `prefix`. */
function writeShapes(archive: Archive, part: string, text: TextBuilder, prefix = ""): void {
  let [placeholder, paragraph, inText] = ["", "", false];
  let row: string[] | undefined;
  let title: string[] | undefined;
  readXml(archive, part, {
    open(name, attributes) {
      if (name === "p:sp") placeholder = "";
      else if (name === "p:ph") placeholder = attributes.type ?? "body";
      else if (name === "p:txBody" && prefix === "" && /^(title|ctrTitle)$/.test(placeholder)) title = [];
      else if (name === "a:t") inText = true;
      else if (name === "a:br") paragraph += "\n";
      else if (name === "a:tr") row = [];
      else if (name === "a:tc") row?.push("");
    },
    text(content) {
      if (inText) paragraph += content;
    },
    close(name) {
      if (name === "a:t") inText = false;
      else if (name === "a:p") {
        const content = paragraph.trim();
        paragraph = "";
        if (content === "" || ignored.has(placeholder)) return;
        if (title) title.push(content);
        else if (row) row[row.length - 1] = `${row.at(-1) ?? ""} ${content}`;
        else text.paragraph(prefix + content);
      } else if (name === "p:txBody" && title) {
        text.paragraph(`# ${oneLine(title.join(" "))}`);
        title = undefined;
      } else if (name === "a:tr") {
        text.add(`| ${(row ?? []).map(oneLine).join(" | ")} |\n`);
        row = undefined;
      } else if (name === "a:tbl") text.add("\n");
    },
  });
}
