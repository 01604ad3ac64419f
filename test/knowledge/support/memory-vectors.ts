/** A store of embeddings in memory. */
import { defineKnowledge } from "../../../src/define/knowledge.ts";
import type { VectorPoint, VectorSearch, VectorStore } from "../../../src/define/vector-store.ts";
import type { KnowledgeBases } from "../../../src/knowledge/bases.ts";
import { textEmbedder } from "../../../src/knowledge/embedder.ts";
import { lexicalEmbedder } from "../../../src/knowledge/lexical-embedder.ts";

/** Knowledge bases with the ids of the tests, and one vector store. */
export function basesWith(vectors: VectorStore): KnowledgeBases {
  const ids = ["docs", "find", "again", "owners", "filters", "claims"];
  return new Map(
    ids.map((id) => {
      const definition = defineKnowledge({ id, embedder: lexicalEmbedder(), vectors });
      return [id, { id, definition, chunking: {}, embedder: textEmbedder(lexicalEmbedder()), reranker: undefined }];
    }),
  );
}

/** A store whose vectors tests read. */
export interface MemoryVectors extends VectorStore {
  readonly points: Map<string, VectorPoint>;
  /** Set: the next calls fail. */
  isDown: boolean;
}

/** Makes a store. Without `isFiltering`, a search returns the vectors of all owners, knowledge bases and documents. */
export function memoryVectors(id: string, isFiltering = true): MemoryVectors {
  const points = new Map<string, VectorPoint>();
  const check = (): void => {
    if (store.isDown) throw new Error("The connection is refused.");
  };
  const matches = (point: VectorPoint, { knowledgeId, owners, filters }: VectorSearch): boolean =>
    !isFiltering ||
    (point.knowledgeId === knowledgeId &&
      (owners?.includes(point.owner) ?? true) &&
      filters.every(
        (filter) => !("equals" in filter) || filter.equals === null || point.metadata[filter.member] === filter.equals,
      ));
  const store: MemoryVectors = {
    id,
    points,
    isDown: false,
    async upsert(some) {
      check();
      for (const point of some) points.set(point.id, point);
    },
    async read({ embedder, ids }) {
      check();
      const found = ids.flatMap((one) => points.get(one) ?? []).filter((point) => point.embedder === embedder);
      return new Map(found.map((point) => [point.id, point.vector]));
    },
    async setMetadata(document, metadata) {
      check();
      for (const point of points.values())
        if (point.document === document) points.set(point.id, { ...point, metadata });
    },
    async delete(document, ids) {
      check();
      for (const point of [...points.values()])
        if (point.document === document && (ids === "all" || ids.includes(point.id))) points.delete(point.id);
    },
    async search(search) {
      check();
      return [...points.values()]
        .filter((point) => point.embedder === search.embedder && matches(point, search))
        .map((point) => ({ id: point.id, distance: distanceOf(point.vector, search.vector) }))
        .sort((one, other) => one.distance - other.distance)
        .slice(0, search.limit);
    },
  };
  return store;
}

function distanceOf(one: Float32Array, other: Float32Array): number {
  let [product, first, second] = [0, 0, 0];
  for (const [place, value] of one.entries()) {
    const against = other[place] ?? 0;
    product += value * against;
    first += value * value;
    second += against * against;
  }
  return 1 - product / Math.sqrt(first * second);
}
