/** Selects the memories that fit a text, by words that both contain and by age. */
import type { Memory } from "../../model/memory.ts";

/** Max distinct words of the text that are compared. */
const maxWords = 500;

/** Weight of the age: the latest memory counts half as much as the memory that fits best. */
const recencyWeight = 0.5;

/** Tokens of the source of a memory in the prompt, at least. */
const minFrame = 12;

/** Estimates the tokens of a text: a quarter of its bytes, which is close for most languages and models. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * Orders memories: those that fit the text best and are the latest come first. A word counts more the fewer memories contain it, so that words like "the"
 * need no list.
 * @param memories the latest first
 */
export function rankMemories<One extends Pick<Memory, "memory" | "topics">>(
  memories: readonly One[],
  text: string,
): readonly One[] {
  const wanted = wordsOf(text, maxWords);
  const words = memories.map(({ memory, topics }) => wordsOf(`${memory} ${topics.join(" ")}`));
  const counts = new Map<string, number>();
  for (const own of words) for (const word of own) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weightOf = (word: string): number => Math.log(1 + memories.length / (counts.get(word) ?? 1));
  const fits = words.map((own) => {
    let sum = 0;
    for (const word of own) if (counts.has(word)) sum += weightOf(word);
    return sum;
  });
  const best = Math.max(...fits, Number.MIN_VALUE);
  return memories
    .map((memory, place) => ({
      memory,
      score: (fits[place] as number) / best + recencyWeight * (1 - place / memories.length),
    }))
    .sort((one, other) => other.score - one.score)
    .map(({ memory }) => memory);
}

/**
 * Takes memories in their order while they fit into the budget; one that does not fit is left out.
 * @param show the text of a memory in the prompt
 */
export function withinBudget<One extends Pick<Memory, "memory">>(
  memories: readonly One[],
  maxTokens: number,
  show: (memory: One) => string,
): readonly string[] {
  let left = maxTokens;
  const texts: string[] = [];
  for (const memory of memories) {
    // The shown text is longer: most memories beyond the budget need not be shown.
    if (memory.memory.length / 4 + minFrame > left) continue;
    const text = show(memory);
    const tokens = estimateTokens(text);
    if (tokens > left) continue;
    left -= tokens;
    texts.push(text);
  }
  return texts;
}

function wordsOf(text: string, most = Number.POSITIVE_INFINITY): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    words.add(word);
    if (words.size >= most) break;
  }
  return words;
}
