/** Texts of files: kinds are found by content and name, and tables, JSON, HTML and Office files become texts that name what their values are. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type FileBounds, type ParsedFile, parseFile } from "../../src/knowledge/parsing/parse.ts";
import { zip } from "./support/archives.ts";

const bounds: FileBounds = { maxCharacters: 100_000, maxExpandedBytes: 1_000_000 };

async function parse(
  content: string | Buffer,
  fileName: string | null,
  mediaType: string | null = null,
  reader?: string,
): Promise<ParsedFile> {
  return await parseFile(Buffer.from(content as string), { fileName, mediaType, reader }, bounds);
}

describe("kinds of files", () => {
  test.each([
    ["# Title", "a.md", null, "text/markdown"],
    ["# Title", "a", "text/markdown; charset=utf-8", "text/markdown"],
    ["# Title", "a.txt", "text/markdown", "text/plain"],
    ["<!doctype html><p>x", "a", "text/plain", "text/html"],
    ["\ufeff<!-- x -->\n<HTML><p>x", null, null, "text/html"],
    ['{"a":1}', null, "application/problem+json", "application/json"],
    ["a,b\n1,2", "a.CSV", "text/plain", "text/csv"],
    ["a\tb\n1\t2", null, "text/tab-separated-values", "text/csv"],
    ["A PDF begins with %PDF-1.7.", "notes.txt", null, "text/plain"],
    ["a,b\n1,2", "a.csv", "application/pdf", "text/csv"],
  ])("%j with the name %s and the type %s is read as %s", async (content, name, type, expected) => {
    expect((await parse(content, name, type)).mediaType).toBe(expected);
  });

  test("the reader that the caller chose is used for texts", async () => {
    expect(await parse("<p>x</p>", "a.html", "text/html", "text")).toMatchObject({ text: "<p>x</p>", form: "text" });
  });

  test.each([
    ["an image", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]), "a.txt", undefined, /^The file has no text/],
    ["an old Office file", Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0]), "a.doc", undefined, /old Office format/],
    ["another archive", zip({ "a.txt": "x" }), "a.docx", undefined, /^The file is an archive/],
    ["the beginning of an archive", Buffer.from("PK\x03\x04xyz"), "a.docx", undefined, /not a complete archive/],
    [
      "an archive without its end",
      zip({ "word/document.xml": "x" }).subarray(0, 60),
      "a.docx",
      undefined,
      /not a complete archive/,
    ],
    ["a text that is read as a PDF", Buffer.from("x"), "a.pdf", "pdf", /^The file is not a PDF file, but a Text file/],
  ])("%s is refused", async (_, content, name, reader, message) => {
    await expect(parse(content, name, null, reader)).rejects.toThrow(message);
  });
});

describe("texts of files", () => {
  test("rows of a table name their columns, whatever its delimiter is", async () => {
    const rows = 'Name;City\n"Ada; Lovelace";London\n"two\nlines";\n;\n';
    expect(await parse(rows, "a.csv")).toMatchObject({
      text: "Name: Ada; Lovelace; City: London\nName: two lines\n",
      form: "table",
    });
    expect((await parse("1,2\n3,4\n", "a.csv")).text).toBe("1; 2\n3; 4\n");
  });

  test("values of JSON have their paths, and an array of objects consists of rows", async () => {
    const nested = '{"name":"x","sizes":[1,2],"parts":[{"id":1},{"id":null}]}';
    expect(await parse(nested, "a.json")).toMatchObject({
      text: "name: x\nsizes: 1, 2\nparts[0].id: 1\n",
      form: "text",
    });
    const rows = { text: "id: 1; tag.name: a\nid: 2\n", form: "table" };
    expect(await parse('[{"id":1,"tag":{"name":"a"}},{"id":2}]', "a.json")).toMatchObject(rows);
    expect(await parse('{"id":1,"tag":{"name":"a"}}\n{"id":2}\n', "a.jsonl")).toMatchObject(rows);
    await expect(parse('{"id":1}\n{"id":', "a.jsonl")).rejects.toThrow(/^Line 2 is not valid JSON/);
    await expect(parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`, "a.json")).rejects.toThrow(/nested deeper than 100/);
  });

  test("a page of HTML becomes Markdown without navigation, scripts and addresses", async () => {
    const paragraph = "A run is a durable, numbered log that every reader follows by its cursor, and misses nothing. ";
    const page = `<!doctype html><title>Runs</title><nav><a href="/x">Elsewhere</a></nav><script>secret()</script><article><h2>Logs</h2>
      <p>${paragraph.repeat(5)}<a href="https://x.example/long">A link</a></p><table><tr><th>Key</th><th>Value</th></tr><tr><td>a</td><td>1</td></tr></table></article>`;
    const { text, form } = await parse(page, null, "text/html");
    expect(form).toBe("markdown");
    expect(text).toMatch(/^# Runs\n\n## Logs\n\n/);
    expect(text).toContain("| Key | Value |\n| a | 1 |");
    expect(text).toContain("A link");
    expect(text).not.toMatch(/Elsewhere|secret|x\.example/);
  });

  test("texts in other encodings are decoded, and contain nothing that a database rejects", async () => {
    expect((await parse(Buffer.from("caf\xe9", "latin1"), "a.txt")).text).toBe("café");
    expect((await parse(Buffer.from("\ufeffcafé", "utf16le"), "a.txt")).text).toBe("café");
    const html = Buffer.from("<html><meta charset=iso-8859-2><p>\xb1", "latin1");
    expect((await parse(html, null)).text.trim()).toBe("ą");
    expect((await parse("a\r\nb\u0001c", "a.txt")).text).toBe("a\nb c");
  });

  test("a Word document has its headings, lists and tables", async () => {
    expect(await parse(await file("handbook.docx"), null)).toMatchObject({
      text: "# Handbook\n\n# Leases\n\nA process renews its lease every two seconds.\n\n- One item\n- Another item\n\n## Limits\n\n| Setting | Value |\n| Uploads | 64 MiB |\n\nThe end, with ümlauts.\n\n",
      form: "markdown",
    });
  });

  test("a presentation has a page for each slide, with its notes", async () => {
    const { text, pages, form } = await parse(await file("talk.pptx"), null);
    expect({ form, slides: pages.map((start, place) => text.slice(start, pages[place + 1])) }).toEqual({
      form: "markdown",
      slides: [
        "# Why logs\n\nA run is a log.\n\nNotes: Say it slowly.\n\n",
        "# What follows\n\nA cursor never skips.\n\n",
      ],
    });
  });

  test("a workbook has the rows of its visible sheets, with dates", async () => {
    expect(await parse(await file("costs.xlsx"), null)).toMatchObject({
      text: "[Costs] Item: Rent; Amount: 1200.5; Paid on: 2026-11-23; Done: TRUE\n[Costs] Item: Paper; Amount: 7; Done: FALSE\n[People] Name: Ada; City: London\n",
      form: "table",
    });
  });

  test("a text that is longer than the bound is refused", async () => {
    await expect(parse("x".repeat(100_001), "a.txt")).rejects.toThrow(/more than 100000 characters/);
  });

  test("an archive that expands to more than the bound is refused", async () => {
    const bomb = zip({ "word/document.xml": Buffer.alloc(2_000_000, " ") });
    expect(bomb.length).toBeLessThan(5_000);
    await expect(parse(bomb, "a.docx")).rejects.toThrow(/expands to more data/);
  });
});

async function file(name: string): Promise<Buffer> {
  return await readFile(new URL(`files/${name}`, import.meta.url));
}
