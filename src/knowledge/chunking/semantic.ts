/** Divides a document where the meaning of neighbouring sentences differs most. */
import type { Chunking } from "../../define/knowledge.ts";
import type { TextEmbedder } from "../embedder.ts";
import { countTokens } from "../tokens.ts";
import { type ParsedDocument, sentencesOf } from "./chunks.ts";
import type { Piece, Span } from "./spans.ts";

/** Share of the boundaries between sentences that divide the document. */
const divided = 0.1;

/** Divides a document. A chunk has at most `chunking.size` tokens, unless one sentence is longer. @throws IngestionRejected, the error of the embedder */
export async function semanticPieces(
  { text }: ParsedDocument,
  { size = 400 }: Chunking,
  embedder: TextEmbedder,
  signal: AbortSignal,
): Promise<readonly Piece[]> {
  const sentences = await sentencesOf(text);
  const distances = await distancesOf(text, sentences, embedder, signal);
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
  return pieces;
}

/** Returns the distance of each sentence from the next one. Only the embeddings of one batch are in memory. */
async function distancesOf(
  text: string,
  sentences: readonly Span[],
  embedder: TextEmbedder,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const size = await embedder.batchSize();
  const distances: number[] = [];
  let before: Float32Array | undefined;
  for (let first = 0; first < sentences.length; first += size) {
    signal.throwIfAborted();
    const texts = sentences.slice(first, first + size).map(({ start, end }) => text.slice(start, end));
    for (const vector of (await embedder.embed(texts, signal)).vectors) {
      if (before) distances.push(distance(before, vector));
      before = vector;
    }
  }
  return distances;
}

/** Cosine distance. */
function distance(one: Float32Array, other: Float32Array): number {
  let [product, first, second] = [0, 0, 0];
  for (let place = 0; place < one.length; place++) {
    const [a, b] = [one[place] ?? 0, other[place] ?? 0];
    product += a * b;
    first += a * a;
    second += b * b;
  }
  return first === 0 || second === 0 ? 1 : 1 - product / Math.sqrt(first * second);
}
