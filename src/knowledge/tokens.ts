/** An estimate of the number of tokens of a text. Tokenizers differ between models; sizes of chunks need no exact number. */

const parts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]/gu;

/** Average letters and digits of a token. */
const letters = 6;
const digits = 3;

/** Returns about the number of tokens that models count. */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [part] of text.matchAll(parts))
    tokens += Math.ceil(part.length / (/^\p{N}/u.test(part) ? digits : letters));
  return tokens;
}
