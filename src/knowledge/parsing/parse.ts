/** Parses files of every kind that knowledge bases read. The libraries are loaded when the first file needs them. */
import type { ParsedDocument } from "../chunking/chunks.ts";
import { declaredEncoding, decodeText } from "./decode.ts";
import { type FileFacts, type FileKind, fileReaders, isFileKind, kindOf } from "./kinds.ts";
import { TextBuilder } from "./text-builder.ts";
import { Unreadable } from "./unreadable.ts";

/** A parsed file. */
export interface ParsedFile extends ParsedDocument {
  /** The media type of its kind. */
  readonly mediaType: string;
}

/** Bounds of one file. */
export interface FileBounds {
  /** Characters of its text. */
  readonly maxCharacters: number;
  /** Bytes that a compressed file may expand to. */
  readonly maxExpandedBytes: number;
}

/** Parses a file. @throws Unreadable; any other error is a fault of the file, too, because parsing depends on nothing else */
export async function parseFile(bytes: Buffer, facts: FileFacts, bounds: FileBounds): Promise<ParsedFile> {
  const found = kindOf(bytes, facts);
  const text = new TextBuilder(bounds.maxCharacters);
  const { kind, form } =
    found === "zip" ? await parseOffice(bytes, text, bounds) : await parseAs(found, bytes, facts, text);
  const { reader } = facts;
  if (reader !== undefined && isFileKind(reader) && reader !== kind)
    throw new Unreadable(`The file is not a ${fileReaders[reader].name} file, but a ${fileReaders[kind].name} file.`);
  return { ...text.end(), form, mediaType: fileReaders[kind].mediaType };
}

interface Parsed {
  readonly kind: FileKind;
  readonly form: ParsedDocument["form"];
}

async function parseAs(kind: FileKind, bytes: Buffer, { mediaType }: FileFacts, text: TextBuilder): Promise<Parsed> {
  if (kind === "pdf") {
    const { parsePdf } = await import("./pdf.ts");
    await parsePdf(bytes, text);
    return { kind, form: "text" };
  }
  const source = decodeText(bytes, declaredEncoding(mediaType, kind === "html" ? bytes : undefined));
  if (kind === "html") {
    const { parseHtml } = await import("./html.ts");
    parseHtml(source, text);
    return { kind, form: "markdown" };
  }
  if (kind === "csv") {
    const { parseCsv } = await import("./csv.ts");
    parseCsv(source, text);
    return { kind, form: "table" };
  }
  if (kind === "json") {
    const { parseJson } = await import("./json.ts");
    return { kind, form: parseJson(source, text) ? "table" : "text" };
  }
  text.add(source);
  return { kind, form: kind === "markdown" ? "markdown" : "text" };
}

async function parseOffice(bytes: Buffer, text: TextBuilder, { maxExpandedBytes }: FileBounds): Promise<Parsed> {
  const { Archive } = await import("./archive.ts");
  const archive = new Archive(bytes, maxExpandedBytes);
  if (archive.has("word/document.xml")) {
    const { parseWord } = await import("./word.ts");
    parseWord(archive, text);
    return { kind: "docx", form: "markdown" };
  }
  if (archive.has("ppt/presentation.xml")) {
    const { parseSlides } = await import("./slides.ts");
    parseSlides(archive, text);
    return { kind: "pptx", form: "markdown" };
  }
  if (archive.has("xl/workbook.xml")) {
    const { parseSheets } = await import("./sheets.ts");
    parseSheets(archive, text);
    return { kind: "excel", form: "table" };
  }
  throw new Unreadable("The file is an archive: knowledge bases read DOCX, PPTX and XLSX, but no other archives.");
}

/** Whether a file is so simple that it needs no process of its own: a small text. */
export function isPlainText(bytes: Buffer, facts: FileFacts): boolean {
  if (bytes.length > maxInline) return false;
  const kind = kindOf(bytes, facts);
  return kind === "text" || kind === "markdown";
}

/** Bytes whose decoding takes about a millisecond. */
const maxInline = 512 * 1_024;
