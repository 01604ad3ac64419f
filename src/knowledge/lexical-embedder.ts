/** An embedder that needs no model: texts with the same words, or parts of words, have similar vectors. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { termsOf } from "./terms.ts";

const dimensions = 512;

/** Texts between two turns of the event loop. */
const textsPerTurn = 4;

/** Weight of a part of a word, against the word itself. */
const partWeight = 0.4;
const partLength = 4;

/**
 * Makes an embedding model that hashes the words of a text, and their parts of four letters, into 512 dimensions. It runs in the process, without a key
 * and without a download. It is lexical: it finds the same and similar words, and no synonyms. Use a model of a provider for those.
 */
export function lexicalEmbedder(): EmbeddingModelV4 {
  return {
    specificationVersion: "v4",
    provider: "troupe",
    modelId: "lexical-1",
    maxEmbeddingsPerCall: 1_000,
    supportsParallelCalls: false,
    async doEmbed({ values, abortSignal }) {
      const embeddings: number[][] = [];
      for (const [place, value] of values.entries()) {
        if (place % textsPerTurn === textsPerTurn - 1) await nextTurn();
        abortSignal?.throwIfAborted();
        embeddings.push(embed(value));
      }
      return { embeddings, warnings: [] };
    },
  };
}

function embed(text: string): number[] {
  const weights = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    weights.set(feature, (weights.get(feature) ?? 0) + weight);
  };
  for (const term of termsOf(text)) {
    add(term, 1);
    const word = `^${term}$`;
    for (let start = 0; start + partLength <= word.length; start++)
      add(word.slice(start, start + partLength), partWeight);
  }
  const vector = new Array<number>(dimensions).fill(0);
  for (const [feature, weight] of weights) {
    const code = hash(feature);
    const place = (code >>> 1) % dimensions;
    // Two features in one place cancel each other out as often as they add up.
    vector[place] =
      (vector[place] ?? 0) + (code & 1 ? 1 : -1) * (1 + Math.log(Math.max(weight, partWeight) / partWeight));
  }
  return vector;
}

/** FNV-1a, with a final mix because only its low bits are used. */
function hash(text: string): number {
  let code = 0x811c9dc5;
  for (let place = 0; place < text.length; place++) code = Math.imul(code ^ text.charCodeAt(place), 0x01000193);
  code = Math.imul(code ^ (code >>> 16), 0x85ebca6b);
  return (code ^ (code >>> 13)) >>> 0;
}
