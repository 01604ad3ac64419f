/** Sources of answers and of searches, as the console reads them from events, records and results of tools. */
import { describe, expect, test } from "vitest";
import { sourcesIn } from "../../../console/src/components/source.ts";

const place = { content_id: "c1", knowledge_id: "manual", chunk: 4, page: 2, headings: ["Runs", "Resuming"] };
const shown = {
  place: { knowledgeId: "manual", contentId: "c1", chunk: 4 },
  part: "page 2 › Runs › Resuming",
  url: undefined,
};

describe("sources", () => {
  test("a citation of a document has its number, its place in the knowledge base, and its text", () => {
    const citations = {
      documents: [{ document_title: "runs.md", cited_text: "A client resumes", source: 1, ...place }],
    };
    expect(sourcesIn(citations)).toEqual([{ title: "runs.md", number: 1, text: "A client resumes", ...shown }]);
  });

  test("the result of a search and references have the same places", () => {
    const result = JSON.stringify({
      note: "…",
      results: [{ document: "runs.md", source: 3, text: "It resumes", ...place }],
    });
    expect(sourcesIn(result)).toEqual([{ title: "runs.md", number: 3, text: "It resumes", ...shown }]);
    const references = [{ query: "resume", references: [{ name: "runs.md", meta_data: { source: 3, ...place } }] }];
    expect(sourcesIn(references)).toEqual([{ title: "runs.md", number: 3, text: undefined, ...shown }]);
  });

  test("citations of a provider keep their titles and addresses; an address of another scheme is no link", () => {
    const urls = [{ url: "https://example.com/a", title: "A" }, { url: "javascript:alert(1)" }];
    const documents = [{ document_title: "report.pdf", file_name: "report.pdf", url: "file:///etc/passwd" }];
    expect(sourcesIn({ documents, urls }).map(({ title, url, place: at }) => [title, url, at])).toEqual([
      ["report.pdf", undefined, undefined],
      ["A", "https://example.com/a", undefined],
    ]);
  });

  test.each([undefined, null, "", "[1, 2", "text", 3, [1], { results: [1, {}, { title: "x" }] }, { documents: {} }])(
    "%j has no sources",
    (value) => expect(sourcesIn(value)).toEqual([]),
  );
});
