/**
 * Stores embeddings outside of the database, for knowledge bases with a vector store. The database remains the truth: a chunk is embedded when its row
 * names its embedder. A vector is stored before the row is marked, and removed before the row is deleted. A crash in between repeats the call, and loses nothing.
 */
import type { VectorMetadata, VectorPoint, VectorStore } from "../../define/vector-store.ts";
import { abortable } from "../../model/abortable.ts";
import type { Content, KnowledgeReader, KnowledgeStore, NearestVector } from "../../store/contract/knowledge.ts";
import type { KnowledgeBases } from "../bases.ts";
import { VectorStoreUnavailable } from "../failures.ts";

/** Milliseconds of a call of a vector store, and of a search: a caller waits for it. */
const timeout = 60_000;
const searchTimeout = 15_000;

/** Returns the store of documents with the vector stores of its knowledge bases. */
export function withVectorStores(store: KnowledgeStore, bases: KnowledgeBases): KnowledgeStore {
  const stores = new Set([...bases.values()].flatMap(({ definition: { vectors } }) => vectors ?? []));
  if (stores.size === 0) return store;
  const storeOf = (knowledgeId: string): VectorStore | undefined => bases.get(knowledgeId)?.definition.vectors;
  const exclusively = inTurns();

  /** Removes the vectors first: their ids are known as long as the rows exist. */
  async function sweep(contentKey: number, isRestart: boolean): Promise<boolean> {
    const { content, keys } = await store.swept(contentKey, isRestart);
    const ids = content ? keys.map((key) => idOf(contentKey, key)) : "all";
    // A knowledge base may have had another one of the stores.
    if (ids.length > 0) for (const vectors of stores) await vectors.delete(String(contentKey), ids, deadline());
    if (content && keys.length === 0) return false;
    return (await store.sweep(contentKey, isRestart, keys)) || keys.length > 0;
  }

  async function addVectors(...[job, contentKey, embedder, found]: Parameters<KnowledgeStore["addVectors"]>) {
    const keys = [...found.keys()];
    for (;;) {
      const content = await store.read(contentKey);
      if (!content) return false;
      const { metadata, knowledgeId } = content;
      const vectors = storeOf(knowledgeId);
      if (!vectors) return await store.addVectors(job, contentKey, embedder, found);
      // Another claim may have given the keys of removed chunks to other chunks.
      if ((await store.markEmbedded(job, contentKey, embedder, [], metadata)) === "lost") return false;
      const points = [...found].map(([key, vector]) => toPoint(content, embedder, key, vector));
      await vectors.upsert(points, deadline());
      const result = await store.markEmbedded(job, contentKey, embedder, keys, metadata);
      if (result === "stored") return true;
      if (result === "changed") continue;
      // Their chunks may have been removed before the vectors were stored. Those that exist belong to the holder of the job.
      const present = await store.present(contentKey, keys);
      const gone = keys.filter((key) => !present.has(key)).map((key) => idOf(contentKey, key));
      if (gone.length > 0) await vectors.delete(String(contentKey), gone, deadline());
      return false;
    }
  }

  return {
    ...store,

    async knownVectors(content, embedder, chunks, signal) {
      const vectors = storeOf(content.knowledgeId);
      if (!vectors || content.generation === 0) return new Map();
      const keys = chunks.map(({ key }) => key);
      const twins = await store.twins(content.key, embedder, keys);
      if (twins.size === 0) return new Map();
      const ids = [...new Set(twins.values())].map((key) => idOf(content.key, key));
      const found = await vectors.read({ embedder, ids }, deadline(signal));
      return new Map(
        [...twins].flatMap(([key, source]) => {
          const vector = found.get(idOf(content.key, source));
          return vector ? [[key, vector] as const] : [];
        }),
      );
    },

    addVectors: (job, contentKey, embedder, found) =>
      exclusively(contentKey, () => addVectors(job, contentKey, embedder, found)),

    sweep: (contentKey, isRestart = false) => exclusively(contentKey, () => sweep(contentKey, isRestart)),

    async refreshMetadata(contentKey) {
      for (let stored: string | undefined; ; ) {
        const content = await store.read(contentKey);
        const vectors = content && storeOf(content.knowledgeId);
        const current = content && JSON.stringify(content.metadata);
        // A call with earlier metadata may have ended last.
        if (!vectors || current === stored) return;
        await vectors.setMetadata(String(contentKey), metadataOf(content), deadline());
        stored = current;
      }
    },

    async search(search) {
      const vectors = storeOf(search.knowledgeId);
      if (!vectors) return await store.search(search);
      const { embedder, knowledgeId, filters } = search;
      const owners = ownersOf(search.reader);
      return await store.search(search, async (vector, limit) => {
        try {
          const wanted = { embedder, vector, knowledgeId, owners, filters, limit };
          const late = AbortSignal.timeout(searchTimeout);
          return (await abortable(vectors.search(wanted, late), late)).flatMap(({ id, distance }) =>
            toNearest(id, distance),
          );
        } catch (error) {
          throw new VectorStoreUnavailable(error);
        }
      });
    },

    prepareVectors: async (dimensions, knowledgeId) =>
      storeOf(knowledgeId) ? undefined : await store.prepareVectors(dimensions, knowledgeId),
  };
}

function deadline(signal?: AbortSignal): AbortSignal {
  const late = AbortSignal.timeout(timeout);
  return signal ? AbortSignal.any([signal, late]) : late;
}

/** On SQLite, keys of chunks are used again; keys of documents are not. */
function idOf(contentKey: number, chunkKey: number): string {
  return `${contentKey}-${chunkKey}`;
}

function toNearest(id: string, distance: number): readonly NearestVector[] {
  const [contentKey, chunkKey] = id.split("-").map(Number);
  if (!Number.isSafeInteger(contentKey) || !Number.isSafeInteger(chunkKey)) return [];
  return [{ contentKey: contentKey as number, chunkKey: chunkKey as number, distance }];
}

function toPoint(content: Content, embedder: string, key: number, vector: Float32Array): VectorPoint {
  const { key: contentKey, knowledgeId, userId } = content;
  return {
    ...{ id: idOf(contentKey, key), embedder, vector, knowledgeId, document: String(contentKey) },
    ...{ owner: userId ?? "", metadata: metadataOf(content) },
  };
}

function metadataOf({ metadata }: Content): VectorMetadata {
  return metadata ?? {};
}

function ownersOf(reader: KnowledgeReader): readonly string[] | undefined {
  return reader === null ? undefined : ["", reader.userId];
}

/** Runs work on the same document one after another: a late call must not meet a chunk that has the key of a removed one. */
function inTurns(): <Result>(key: number, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<number, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).catch(() => undefined).then(work);
    last.set(key, turn);
    const end = (): void => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(end, end);
    return turn;
  };
}
