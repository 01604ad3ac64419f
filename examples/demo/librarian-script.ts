/** The script of the librarian: it searches the documentation, and answers with the best part of it. */
import type { ScriptedCall, ScriptedTurn } from "troupe/testing";

interface Found {
  readonly source: number;
  readonly document: string;
  readonly headings?: readonly string[];
  readonly content_id: string;
  readonly chunk: number;
  readonly text: string;
}

/** Answers from the results of a search. */
export function librarian({ message, results }: ScriptedCall): ScriptedTurn {
  const result = results.at(-1);
  if (!result)
    return { toolCalls: [{ name: "search_knowledge_base", input: { query: message } }], wait: 350, delay: 30 };
  if (result.isError) return slowly(`I could not search the documentation: ${result.text}`);
  const { results: found } = JSON.parse(result.text) as { readonly results: readonly Found[] };
  const [best, next] = found
    .map((one) => ({ ...one, answer: firstSentences(one.text), fit: fitOf(one, message) }))
    .filter(({ answer }) => answer !== "")
    .sort((one, other) => other.fit - one.fit || before(one, other));
  if (!best) return slowly("The documentation has no answer to that, or is still being read. Ask again in a moment.");
  const more = next && next.document !== best.document ? `\n\nSee also: ${placeOf(next)} [${next.source}]` : "";
  return slowly(`${best.answer} [${best.source}]\n\nThis is from ${placeOf(best)}.${more}`);
}

/** The first part of a section explains what the others add to. */
function before(one: Found, other: Found): number {
  return one.content_id === other.content_id ? one.chunk - other.chunk : 0;
}

/** The share of a heading's words that the question contains, by their beginnings. */
function fitOf({ headings = [] }: Found, question: string): number {
  const asked = wordsOf(question);
  const words = wordsOf(headings.at(-1) ?? "");
  return words.filter((word) => asked.includes(word)).length / Math.max(1, words.length);
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word.length > 3)
    .map((word) => word.slice(0, 5));
}

function placeOf({ document, headings = [] }: Found): string {
  return headings.length > 1 ? `“${headings.at(-1)}” in “${document}”` : `“${document}”`;
}

/** The first sentences of a part, without headings, tables and code. */
function firstSentences(text: string): string {
  const prose = text
    .replace(/```[\s\S]*?(?:```|$)/g, "")
    .split(/\n{2,}/)
    .filter((paragraph) => /^[\p{L}`*[]/u.test(paragraph))
    .join(" ")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ");
  const [sentences = ""] = /^(?:.*?[.:!?](?= |$)){1,3}/.exec(prose) ?? [];
  return sentences.slice(0, 600).trim().replace(/:$/, ".");
}

function slowly(text: string): ScriptedTurn {
  return { text, wait: 250, delay: () => 20 + Math.random() * 15 };
}
