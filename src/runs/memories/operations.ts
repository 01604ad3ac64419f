/** The changes of memories that a model proposes: their schemas, and their conversion to changes of the store. */
import { z } from "zod";
import { modelLimits } from "../../engine/memory/tools.ts";
import { type AnswerSchema, schemaOf } from "../../engine/model-call/answer-schema.ts";
import type { Memory, MemorySource } from "../../model/memory.ts";
import type { MemoryChange } from "../../store/contract/memories.ts";

/** Max operations of one extraction. */
const maxOperations = 20;

const memory = z.string().min(1).max(modelLimits.memory);
const topics = z.array(z.string().min(1).max(modelLimits.topic)).max(modelLimits.topics);

/** Members are required, because strict modes of providers know no optional ones. */
const extraction = z.object({
  operations: z
    .array(
      z.object({
        action: z.enum(["add", "update", "delete"]),
        number: z.int().nullable().describe("The number of the known memory that is updated or deleted. Null to add."),
        memory: memory.nullable().describe("The fact, for add and update. Null to delete."),
        topics: topics.nullable().describe("Topics of the fact, in one or two words each. Null: none, or unchanged."),
      }),
    )
    .max(maxOperations),
});

const merge = z.object({
  memories: z.array(
    z.object({
      numbers: z.array(z.int()).min(1).describe("The numbers of the memories that this one replaces."),
      memory: memory.describe("The fact."),
      topics,
    }),
  ),
});

/** Schema of the answer to an extraction. */
export function extractionSchema(): AnswerSchema {
  return schemaOf(extraction, "Memories", "memory_operations");
}

/** Schema of the answer to a merge. */
export function mergeSchema(): AnswerSchema {
  return schemaOf(merge, "Memories", "merged_memories");
}

/**
 * Converts an extraction's answer. Operations on unknown memories are dropped, and so are texts that are known already.
 * @param known the memories that the model has seen, in the order of their numbers, from 1
 * @param newId makes the id of an added memory
 */
export function toChanges(
  value: unknown,
  known: readonly Memory[],
  source: MemorySource,
  newId: () => string,
): readonly MemoryChange[] {
  const { operations } = value as z.output<typeof extraction>;
  const texts = new Set(known.map((one) => normalized(one.memory)));
  const touched = new Set<string>();
  return operations.flatMap(({ action, number, memory: text, topics: names }): MemoryChange[] => {
    if (action === "add") {
      if (text === null || texts.has(normalized(text))) return [];
      texts.add(normalized(text));
      return [{ kind: "add", id: newId(), memory: text, topics: names ?? [], ...source }];
    }
    const target = number === null ? undefined : known[number - 1];
    if (!target || touched.has(target.id)) return [];
    touched.add(target.id);
    if (action === "delete") return [{ kind: "delete", id: target.id }];
    if (text === null || (text === target.memory && names === null)) return [];
    return [{ kind: "update", id: target.id, memory: text, topics: names ?? undefined, source }];
  });
}

/** The changes of a merge, and the memories that remain. */
export interface Merge {
  readonly changes: readonly MemoryChange[];
  /** The memories as they will be, except for times and revisions. */
  readonly memories: readonly Memory[];
}

/**
 * Converts a merge's answer. A memory that no number names stays as it is, and each number counts once: a model cannot lose memories by omission.
 * @param given the memories that the model has seen, in the order of their numbers, from 1
 */
export function toMerge(value: unknown, given: readonly Memory[]): Merge {
  const { memories } = value as z.output<typeof merge>;
  const taken = new Set<number>();
  const changes: MemoryChange[] = [];
  const kept: Memory[] = [];
  for (const { numbers, memory: text, topics: names } of memories) {
    const free = [...new Set(numbers)].filter((number) => given[number - 1] && !taken.has(number));
    const merged = free.map((number) => given[number - 1] as Memory);
    const [first, ...others] = merged;
    if (!first) continue;
    for (const number of free) taken.add(number);
    const isSame = others.length === 0 && text === first.memory && names.join() === first.topics.join();
    const source: MemorySource = { ...first, origin: "optimization" };
    if (!isSame) changes.push({ kind: "update", id: first.id, memory: text, topics: names, source });
    for (const { id } of others) changes.push({ kind: "delete", id });
    kept.push(isSame ? first : { ...first, memory: text, topics: names, origin: "optimization" });
  }
  const untouched = given.filter((_, place) => !taken.has(place + 1));
  return { changes, memories: [...kept, ...untouched] };
}

function normalized(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, " ");
}
