/** Determines the kind of a file, by its content first, and by its name and its declared type where the content leaves a choice. */
import { Unreadable } from "./unreadable.ts";

/** Kinds of files that knowledge bases read. */
export type FileKind = "text" | "markdown" | "html" | "csv" | "json" | "pdf" | "docx" | "pptx" | "excel";

/** What is known about a file. */
export interface FileFacts {
  readonly fileName: string | null;
  /** As the origin declares it; a hint only. */
  readonly mediaType: string | null;
  /** The kind that the caller chose. */
  readonly reader?: string | undefined;
}

/** A kind of file, as clients see it. */
export interface FileReader {
  readonly name: string;
  readonly description: string;
  readonly extensions: readonly string[];
  readonly mediaType: string;
}

const office = "application/vnd.openxmlformats-officedocument";

/** The kinds, with their names, extensions and media types. */
export const fileReaders: Readonly<Record<FileKind, FileReader>> = {
  text: { name: "Text", description: "Plain text.", extensions: [".txt", ".log", ".rst"], mediaType: "text/plain" },
  markdown: {
    ...{ name: "Markdown", description: "Markdown, divided by its headings." },
    ...{ extensions: [".md", ".markdown", ".mdx"], mediaType: "text/markdown" },
  },
  html: {
    ...{ name: "HTML", description: "The main content of a page, as Markdown." },
    ...{ extensions: [".html", ".htm", ".xhtml"], mediaType: "text/html" },
  },
  csv: {
    ...{ name: "CSV", description: "Rows of a table, each with the names of its columns." },
    ...{ extensions: [".csv", ".tsv"], mediaType: "text/csv" },
  },
  json: {
    ...{ name: "JSON", description: "Values with their paths; an array of objects and JSON Lines are rows." },
    ...{ extensions: [".json", ".jsonl", ".ndjson"], mediaType: "application/json" },
  },
  pdf: {
    ...{ name: "PDF", description: "The text of a PDF, with its pages.", extensions: [".pdf"] },
    mediaType: "application/pdf",
  },
  docx: {
    ...{ name: "Word", description: "The text of a Word document, with its headings and tables." },
    ...{ extensions: [".docx"], mediaType: `${office}.wordprocessingml.document` },
  },
  pptx: {
    ...{ name: "PowerPoint", description: "The slides of a presentation, as pages, with their notes." },
    ...{ extensions: [".pptx"], mediaType: `${office}.presentationml.presentation` },
  },
  excel: {
    ...{ name: "Excel", description: "Rows of the sheets of a workbook, each with the names of its columns." },
    ...{ extensions: [".xlsx"], mediaType: `${office}.spreadsheetml.sheet` },
  },
};

const kinds = Object.keys(fileReaders) as readonly FileKind[];

/** Media types of texts that are not the main one of their kind. */
const otherTypes: Readonly<Record<string, FileKind>> = {
  ...{ "text/x-markdown": "markdown", "application/xhtml+xml": "html", "application/csv": "csv" },
  ...{ "text/tab-separated-values": "csv", "application/x-ndjson": "json", "application/jsonl": "json" },
};

/** The kinds whose bytes are a text. */
const textKinds: ReadonlySet<FileKind> = new Set(["text", "markdown", "html", "csv", "json"]);

/** Whether a text names a kind of file. */
export function isFileKind(text: string): text is FileKind {
  return Object.hasOwn(fileReaders, text);
}

/** Returns the kind of a file. `zip`: the entries of the archive decide. @throws Unreadable for a kind that is not read */
export function kindOf(bytes: Buffer, { fileName, mediaType, reader }: FileFacts): FileKind | "zip" {
  const content = kindOfContent(bytes);
  if (content !== "text") return content;
  // The text of a document may contain the mark of PDF files, too.
  if (isNamedPdf(fileName, mediaType) && bytes.subarray(0, 1_024).includes("%PDF-")) return "pdf";
  if (reader !== undefined && isFileKind(reader) && textKinds.has(reader)) return reader;
  return kindOfText(bytes, fileName, mediaType);
}

function kindOfContent(bytes: Buffer): "pdf" | "zip" | "text" {
  if (/^(?:\xef\xbb\xbf)?\s*%PDF-/.test(bytes.toString("latin1", 0, 64))) return "pdf";
  if (startsWith(bytes, [0x50, 0x4b, 0x03, 0x04])) return "zip";
  if (startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0]))
    throw new Unreadable(
      "The file is a password-protected Office file or has an old Office format (DOC, PPT, XLS): save it without a password as DOCX, PPTX or XLSX.",
    );
  const isWide = startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff]);
  if (!isWide && bytes.subarray(0, 65_536).includes(0))
    throw new Unreadable(
      "The file has no text: knowledge bases read PDF, DOCX, PPTX, XLSX, CSV, JSON, HTML, Markdown and text.",
    );
  return "text";
}

function kindOfText(bytes: Buffer, fileName: string | null, mediaType: string | null): FileKind {
  const extension = /\.[a-z0-9]+$/i.exec(fileName ?? "")?.[0].toLowerCase();
  const byName = kinds.find((kind) => textKinds.has(kind) && fileReaders[kind].extensions.includes(extension ?? ""));
  if (byName) return byName;
  const start = bytes.subarray(0, 1_024).toString("latin1");
  if (/^(?:\xef\xbb\xbf)?\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html)\b/i.test(start)) return "html";
  const type = mediaType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const byType = kinds.find((kind) => textKinds.has(kind) && fileReaders[kind].mediaType === type);
  return byType ?? otherTypes[type] ?? (type.endsWith("+json") ? "json" : "text");
}

function isNamedPdf(fileName: string | null, mediaType: string | null): boolean {
  return /\.pdf$/i.test(fileName ?? "") || /^application\/pdf\b/i.test(mediaType ?? "");
}

function startsWith(bytes: Buffer, start: readonly number[]): boolean {
  return start.every((value, place) => bytes[place] === value);
}
