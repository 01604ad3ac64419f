/** Text that compresses about as well as prose: words by Zipf's law from an invented vocabulary, the same in every run of the bench. */

/** A small generator of pseudo-random numbers (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const syllables =
  "an ber co di el fa gre hu in jo ka lor me nu op pel qui ra sen ti ur va wen xi yo ze ment tion ing ed".split(" ");

const random = seeded(7);
const vocabulary = Array.from({ length: 4000 }, (_, rank) => {
  const length = 1 + Math.floor(random() * (rank < 100 ? 1.6 : 3));
  return Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join("");
});

/** `count` pieces of text as a model streams them, each of about `characters` characters. By default a piece is a word with the space before it. */
export function pieces(count: number, characters = 0, seed = 1): string[] {
  const next = seeded(seed);
  return Array.from({ length: count }, () => {
    let piece = "";
    do piece += ` ${vocabulary[Math.floor(vocabulary.length ** next()) - 1]}`;
    while (piece.length < characters);
    return characters > 0 ? piece.slice(0, characters) : piece;
  });
}
