/** Files in processes: a hostile file fails alone, in bounded time and memory, and with a message. */
import { readFile } from "node:fs/promises";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { FileParser, type ParseBounds } from "../../src/knowledge/parsing/file-parser.ts";
import type { ParsedFile } from "../../src/knowledge/parsing/parse.ts";
import { testRuntime } from "../support/runtime.ts";
import { pdf, zip } from "./support/archives.ts";

const MiB = 1_024 * 1_024;

function parserOf(bounds: Partial<ParseBounds> = {}): (name: string, content: string | Buffer) => Promise<ParsedFile> {
  const parser = new FileParser(testRuntime.clock, bounds);
  return (fileName, content) =>
    parser.parse(Buffer.from(content as string), { fileName, mediaType: null }, new AbortController().signal);
}

async function file(name: string): Promise<Buffer> {
  return await readFile(new URL(`files/${name}`, import.meta.url));
}

describe("files in processes", () => {
  test("a PDF has its text, page by page", async () => {
    const { text, pages } = await parserOf()("pages.pdf", await file("pages.pdf"));
    expect(pages.map((start, place) => text.slice(start, pages[place + 1]).trim())).toEqual([
      "The first page is about cursors.",
      "The second page is about leases.",
    ]);
  });

  test("a PDF without text is refused with the reason", async () => {
    const empty = pdf(deflateSync(Buffer.from("0 0 m")), "/FlateDecode");
    await expect(parserOf()("scan.pdf", empty)).rejects.toThrow(/^The PDF has no text/);
  });

  test("more files than processes are parsed one after another", async () => {
    const parse = parserOf();
    const costs = await file("costs.xlsx");
    const parsed = await Promise.all(Array.from({ length: 5 }, () => parse("costs.xlsx", costs)));
    expect(new Set(parsed.map(({ text }) => text)).size).toBe(1);
  });

  test("a file whose client cancels is given up", async () => {
    const gone = AbortSignal.abort(new Error("cancelled"));
    const parsing = new FileParser(testRuntime.clock).parse(
      await file("costs.xlsx"),
      { fileName: null, mediaType: null },
      gone,
    );
    await expect(parsing).rejects.toThrow("cancelled");
  });
});

describe("hostile files", () => {
  /** Millions of rows without cells. */
  const endless = sheet("<row></row>".repeat(7_000_000));
  /** Many small values. */
  const wide = `[${"{},".repeat(6_000_000)}{}]`;
  /** 400 MiB of spaces, compressed twice. */
  const bomb = pdf(deflateSync(deflateSync(Buffer.alloc(400 * MiB, " "))), "[/FlateDecode /FlateDecode]");

  test.each([
    ["a workbook that takes too long", "a.xlsx", endless, { timeout: 300 }, /takes more than 0.3 s/],
    ["JSON that needs too much memory", "a.json", wide, { maxMemoryBytes: 64 * MiB }, /too much memory/],
    ["a PDF that expands to gigabytes", "a.pdf", bomb, { maxMemoryBytes: 64 * MiB }, /too much memory/],
    [
      "a page of deeply nested elements",
      "b.html",
      `<html>${"<div>".repeat(300_000)}`,
      { timeout: 60_000 },
      /^The file /,
    ],
    [
      "an archive that expands to gigabytes",
      "a.docx",
      zip({ "word/document.xml": Buffer.alloc(200 * MiB, " ") }),
      {},
      /expands to more data/,
    ],
    [
      "a workbook with too many columns",
      "a.xlsx",
      sheet('<row><c r="XFE1"><v>1</v></c></row>'),
      {},
      /too many columns/,
    ],
    [
      "a workbook with too much text",
      "a.xlsx",
      sheet('<row><c t="str"><v>many words</v></c></row>'.repeat(200_000)),
      { maxCharacters: 1_000_000 },
      /more than 1000000 characters/,
    ],
    [
      "a Word document of nested tables",
      "a.docx",
      zip({ "word/document.xml": "<w:tbl><w:tr><w:tc>".repeat(100_000) }),
      {},
      /nested too deeply/,
    ],
    [
      "a PDF with garbage",
      "a.pdf",
      `%PDF-1.7\n${"<< /Kids [1 0 R] >> obj ".repeat(1_000)}`,
      {},
      /^The (PDF|file) is damaged/,
    ],
  ] as const)(
    "%s fails with a message, and another file is parsed meanwhile",
    async (_, name, content, bounds, message) => {
      const parse = parserOf(bounds);
      const costs = await file("costs.xlsx");
      const [hostile, other] = await Promise.allSettled([
        parse(name, content as Buffer),
        parserOf()("costs.xlsx", costs),
      ]);
      expect(hostile).toMatchObject({
        status: "rejected",
        reason: { name: "Unreadable", message: expect.stringMatching(message) },
      });
      expect(other.status).toBe("fulfilled");
    },
  );
});

function sheet(rows: string): Buffer {
  return zip({
    "xl/workbook.xml": '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels":
      '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
}
