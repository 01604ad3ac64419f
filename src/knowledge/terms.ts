/** Terms of texts for the lexical index: words in lower case, without accents, reduced to their English stems. */
import { stemmer } from "stemmer";

/** Words that say nothing about a text. */
const stopWords: ReadonlySet<string> = new Set(
  (
    "a an and are as at be but by can do does for from had has have how i if in into is it its me my no not of on or our so such that the their " +
    "then there these they this to was we were what when where which who why will with would you your"
  ).split(" "),
);

/** Longer runs of letters are data, not words. */
const maxLength = 64;

const words = /[\p{L}\p{N}\p{M}]+/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** Returns the terms of a text, in order and with repetitions. They consist of letters and digits. */
export function termsOf(text: string): readonly string[] {
  const terms: string[] = [];
  for (const [word] of text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .matchAll(words)) {
    if (!unspaced.test(word)) add(terms, word);
    else for (const { segment, isWordLike } of segmenter.segment(word)) if (isWordLike) add(terms, segment);
  }
  return terms;
}

function add(terms: string[], word: string): void {
  if (word.length <= maxLength && !stopWords.has(word)) terms.push(stemmer(word));
}
