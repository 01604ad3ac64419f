/** Division of documents: sizes, overlaps and headings, and documents that are made to occupy the server. */
import { describe, expect, test } from "vitest";
import type { Chunking } from "../../src/define/knowledge.ts";
import { divide, type ParsedDocument } from "../../src/knowledge/chunking/chunks.ts";
import { semanticPieces } from "../../src/knowledge/chunking/semantic.ts";
import { textEmbedder } from "../../src/knowledge/embedder.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { cleanText } from "../../src/knowledge/parsing/text-builder.ts";
import { countTokens } from "../../src/knowledge/tokens.ts";

type Chunker = Parameters<typeof divide>[1];

const documentOf = (text: string): ParsedDocument => ({ text: cleanText(text), pages: [], form: "text" });

async function chunksOf(text: string, chunker: Chunker, chunking: Chunking = {}): Promise<readonly string[]> {
  const document = documentOf(text);
  return (await divide(document, chunker, chunking)).map(({ start, end }) => document.text.slice(start, end));
}

describe("chunks", () => {
  test("contain whole sentences up to their size, and begin with the end of the chunk before", async () => {
    const sentences = ["One two three.", "Four five six.", "Seven eight nine.", "Ten eleven twelve."];
    expect(await chunksOf(sentences.join(" "), "sentence", { size: 8, overlap: 4 })).toEqual([
      sentences.slice(0, 2).join(" "),
      sentences.slice(1, 3).join(" "),
      sentences.slice(2, 4).join(" "),
    ]);
  });

  test("repeat nothing for which the next sentence leaves no room", async () => {
    const sentences = ["One two three.", "Four.", "Five six seven eight nine ten."];
    expect(await chunksOf(sentences.join(" "), "sentence", { size: 7, overlap: 2 })).toEqual([
      sentences.slice(0, 2).join(" "),
      sentences[2],
    ]);
  });

  test.each(["sentence", "fixed", "row", "markdown"] as const)(
    "by %s are not larger than their size",
    async (chunker) => {
      const text = `${"word ".repeat(500)}\n\n${"x".repeat(5_000)}\n${"A sentence. ".repeat(100)}`;
      const chunks = await chunksOf(text, chunker, { size: 50, overlap: 10 });
      expect(Math.max(...chunks.map(countTokens))).toBeLessThanOrEqual(50);
      expect(new Set(chunks.join(" ").split(/\s+/))).toContain("word");
    },
  );

  test("of rows do not overlap", async () => {
    const rows = Array.from({ length: 10 }, (_, place) => `row ${place}`);
    const chunks = await chunksOf(rows.join("\n"), "row", { size: 6, overlap: 3 });
    expect(chunks.flatMap((chunk) => chunk.split("\n"))).toEqual(rows);
  });

  test("have the headings above them; marks in code and in words are no marks of headings", async () => {
    const text = [
      ...[
        "Before.",
        "# One ##",
        "a",
        "## C#",
        "b",
        "```",
        "# code",
        "```",
        "#no heading",
        "# ",
        `# ${"x".repeat(300)}`,
      ],
      ...["c", "#### Deep", "d", "## Two", "e"],
    ].join("\n");
    const pieces = await divide(documentOf(text), "markdown", {});
    expect(pieces.map(({ headings }) => headings)).toEqual([
      [],
      ["One"],
      ["One", "C#"],
      ["x".repeat(200)],
      ["x".repeat(200), "Deep"],
      ["x".repeat(200), "Two"],
    ]);
  });

  test("of semantic division join near sentences", async () => {
    const document = documentOf("Cats sleep. Cats sleep long. Rockets fly fast.");
    const embedder = textEmbedder(lexicalEmbedder());
    const pieces = await semanticPieces(document, {}, embedder, new AbortController().signal);
    expect(pieces.map(({ start, end }) => document.text.slice(start, end))).toEqual([document.text]);
    const small = await semanticPieces(document, { size: 7 }, embedder, new AbortController().signal);
    expect(small.map(({ start, end }) => document.text.slice(start, end))).toEqual([
      "Cats sleep. Cats sleep long.",
      "Rockets fly fast.",
    ]);
  });
});

describe("a hostile document", () => {
  test.each([
    ["a heading with long white space", `# a${" ".repeat(100_000)}b`],
    ["a heading of many marks", `# a${" #".repeat(100_000)}b`],
    ["a line of marks", `${"#".repeat(200_000)}b`],
    ["white space alone between two words", `a${"\n".repeat(1_000_000)}b`],
  ])("with %s is divided into few small chunks", async (_, text) => {
    const pieces = await divide(documentOf(text), "markdown", {});
    expect(pieces.length).toBeLessThan(1_000);
    for (const { start, end, headings } of pieces) expect(end - start + headings.join("").length).toBeLessThan(30_000);
  });

  test.each([
    ["chunks", "sentence", "word ".repeat(60_000)],
    ["chunks of sections", "markdown", "# a\n".repeat(60_000)],
  ] as const)("with too many %s is rejected", async (_, chunker, text) => {
    await expect(divide(documentOf(text), chunker, { size: 1, overlap: 0 })).rejects.toThrow(
      "The document has more than 50000 chunks: divide it into smaller documents, or use larger chunks.",
    );
  });

  test("with too many sentences is rejected by semantic division before any request", async () => {
    const embedder = { ...textEmbedder(lexicalEmbedder()), embed: () => Promise.reject(new Error("no request")) };
    const document = documentOf("a.\n".repeat(60_000));
    await expect(semanticPieces(document, {}, embedder, new AbortController().signal)).rejects.toThrow(
      "The document has more than 50000 sentences",
    );
  });
});
