/** Divides a document where the meaning of neighbouring sentences differs most. */
import type { Chunking } from "../../define/knowledge.ts";
import type { TextEmbedder } from "../embedder.ts";
import { countTokens } from "../tokens.ts";
import { type ParsedDocument, type Piece, sentencesOf } from "./chunks.ts";

/** Share of the boundaries between sentences that divide the document. */
const divided = 0.1;

/** Divides a document. A chunk has at most `chunking.size` tokens, unless one sentence is longer. */
export async function semanticPieces(
  { text }: ParsedDocument,
  { size = 400 }: Chunking,
  embedder: TextEmbedder,
  signal: AbortSignal,
): Promise<readonly Piece[]> {
  const sentences = (await sentencesOf(text)).filter(({ start, end }) => text.slice(start, end).trim() !== "");
  const vectors = await embedAll(
    sentences.map(({ start, end }) => text.slice(start, end)),
    embedder,
    signal,
  );
  const distances = sentences.slice(1).map((_, place) => distance(vectors[place], vectors[place + 1]));
  const limit =
    [...distances].sort((one, other) => other - one)[Math.floor(distances.length * divided)] ??
    Number.POSITIVE_INFINITY;
  const pieces: Piece[] = [];
  let tokens = 0;
  sentences.forEach(({ start, end }, place) => {
    const own = countTokens(text.slice(start, end));
    const last = pieces.at(-1);
    const isNear = place > 0 && (distances[place - 1] ?? 0) <= limit;
    if (last && isNear && tokens + own <= size) {
      pieces[pieces.length - 1] = { ...last, end };
      tokens += own;
    } else {
      pieces.push({ start, end, headings: [] });
      tokens = own;
    }
  });
  return pieces.map(({ start, end, headings }) => {
    const part = text.slice(start, end);
    const first = start + part.length - part.trimStart().length;
    return { start: first, end: first + part.trim().length, headings };
  });
}

async function embedAll(
  texts: readonly string[],
  embedder: TextEmbedder,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const size = await embedder.batchSize();
  const vectors: Float32Array[] = [];
  for (let first = 0; first < texts.length; first += size)
    vectors.push(...(await embedder.embed(texts.slice(first, first + size), signal)).vectors);
  return vectors;
}

/** Cosine distance. */
function distance(one: Float32Array | undefined, other: Float32Array | undefined): number {
  if (!one || !other) return 0;
  let [product, first, second] = [0, 0, 0];
  for (let place = 0; place < one.length; place++) {
    const [a, b] = [one[place] ?? 0, other[place] ?? 0];
    product += a * b;
    first += a * a;
    second += b * b;
  }
  return first === 0 || second === 0 ? 1 : 1 - product / Math.sqrt(first * second);
}
