/** Writes the rows of workbooks as lines. */
import type { Archive } from "./archive.ts";
import { readXml, relationsOf } from "./office-xml.ts";
import { RowWriter } from "./rows.ts";
import type { TextBuilder } from "./text-builder.ts";
import { Unreadable } from "./unreadable.ts";

/** Columns of a sheet (the limit of Excel). */
const maxColumns = 16_384;

/** Writes the visible sheets in their order. @throws Unreadable */
export function parseSheets(archive: Archive, text: TextBuilder): void {
  const workbook = "xl/workbook.xml";
  const relations = relationsOf(archive, workbook);
  const sheets: { readonly name: string; readonly part: string }[] = [];
  let startsIn1904 = false;
  readXml(archive, workbook, {
    open(element, attributes) {
      if (element === "workbookPr") startsIn1904 = /^(1|true)$/.test(attributes.date1904 ?? "");
      if (element !== "sheet" || /hidden/i.test(attributes.state ?? "")) return;
      const relation = relations.get(attributes["r:id"] ?? "");
      if (relation?.type === "worksheet") sheets.push({ name: attributes.name ?? "", part: relation.target });
    },
  });
  const cells: CellForms = { strings: sharedStrings(archive), dates: dateStyles(archive), startsIn1904 };
  for (const { name, part } of sheets)
    writeRows(archive, part, cells, new RowWriter(text, sheets.length > 1 ? `[${name}] ` : ""));
}

interface CellForms {
  readonly strings: readonly string[];
  /** Whether each style is that of a date. */
  readonly dates: readonly boolean[];
  readonly startsIn1904: boolean;
}

function sharedStrings(archive: Archive): readonly string[] {
  const strings: string[] = [];
  let [value, inText, inPhonetic] = ["", false, false];
  readXml(archive, "xl/sharedStrings.xml", {
    open(name) {
      if (name === "si") value = "";
      else if (name === "t") inText = true;
      else if (name === "rPh") inPhonetic = true;
    },
    text(content) {
      if (inText && !inPhonetic) value += content;
    },
    close(name) {
      if (name === "si") strings.push(value);
      else if (name === "t") inText = false;
      else if (name === "rPh") inPhonetic = false;
    },
  });
  return strings;
}

/** Numbers of the formats of dates that every workbook has (ECMA-376 part 1, section 18.8.30). */
const builtInDate = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 45 && id <= 47);

function dateStyles(archive: Archive): readonly boolean[] {
  const own = new Map<number, boolean>();
  const styles: boolean[] = [];
  let inCells = false;
  readXml(archive, "xl/styles.xml", {
    open(name, attributes) {
      const id = Number(attributes.numFmtId);
      // Quoted texts and colours are no fields of a date.
      if (name === "numFmt")
        own.set(id, /[ymdhs]/i.test((attributes.formatCode ?? "").replace(/"[^"]*"|\[[^\]]*\]|\\./g, "")));
      else if (name === "cellXfs") inCells = true;
      else if (name === "xf" && inCells) styles.push(own.get(id) ?? builtInDate(id));
    },
    close(name) {
      if (name === "cellXfs") inCells = false;
    },
  });
  return styles;
}

function writeRows(archive: Archive, part: string, forms: CellForms, rows: RowWriter): void {
  let row: string[] = [];
  let [type, style, value, column, isValue] = ["", 0, "", 0, false];
  readXml(archive, part, {
    open(name, attributes) {
      if (name === "row") [row, column] = [[], 0];
      else if (name === "c") {
        [type, style, value] = [attributes.t ?? "n", Number(attributes.s ?? 0), ""];
        column = columnOf(attributes.r) ?? column;
        if (column >= maxColumns) throw new Unreadable("The workbook has a row with too many columns.");
      } else if (name === "v" || name === "t") isValue = true;
      else if (name === "rPh") type = "phonetic";
    },
    text(content) {
      if (isValue && type !== "phonetic") value += content;
    },
    close(name) {
      if (name === "v" || name === "t") isValue = false;
      else if (name === "c") {
        while (row.length < column) row.push("");
        row[column] = shown(type, value, style, forms);
        column += 1;
      } else if (name === "row") rows.add(row);
    },
  });
}

/** The place of a column from 0: `B2` is in 1. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? "")?.[0];
  if (letters === undefined) return undefined;
  let place = 0;
  for (const letter of letters) place = place * 26 + letter.charCodeAt(0) - 64;
  return place - 1;
}

const dayLength = 86_400_000;

function shown(type: string, value: string, style: number, { strings, dates, startsIn1904 }: CellForms): string {
  if (type === "s") return strings[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  if (type !== "n" || value === "" || !dates[style]) return value;
  const days = Number(value);
  // Days since the end of 1899, or since 1904; 1900 counts as a leap year there.
  const epoch = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const date = new Date(epoch + Math.round(days * 86_400) * 1_000);
  if (Number.isNaN(date.getTime()) || days < 0) return value;
  const iso = date.toISOString();
  if (days < 1) return iso.slice(11, 19);
  return date.getTime() % dayLength === 0 ? iso.slice(0, 10) : iso.slice(0, 19).replace("T", " ");
}
