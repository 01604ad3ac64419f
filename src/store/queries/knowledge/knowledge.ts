/** The store of documents. */
import type { KnowledgeStore } from "../../contract/knowledge.ts";
import type { Database } from "../../database.ts";
import { backgroundUsage } from "../usage/background.ts";
import { citationQueries } from "./citations.ts";
import { contentQueries } from "./contents.ts";
import { hasTextIndex, postgresKnowledge, sqliteKnowledge } from "./dialects.ts";
import { ingestionQueries } from "./ingestions.ts";
import { chunkSearch } from "./search.ts";
import { vectorTable } from "./vector-table.ts";

/** Makes the store of documents of a database. */
export function knowledgeStore(database: Database): KnowledgeStore {
  const forms = database.dialect.name === "sqlite" ? sqliteKnowledge : postgresKnowledge;
  const vectors = vectorTable(database);
  const addUsage = backgroundUsage(database);
  return {
    ...contentQueries(database),
    ...citationQueries(database),
    ...ingestionQueries(database, forms),
    findsWords: hasTextIndex(database),
    search: chunkSearch(database, forms, vectors),
    countUsage: (usage) => database.write(() => addUsage(usage)),
    prepareVectors: (dimensions) => vectors.prepare(dimensions),
    buildIndex: (dimensions, signal) => vectors.build(dimensions, signal),
    // The database has all embeddings: `addChunks` copies known ones, and searches read the metadata of the contents.
    knownVectors: async () => new Map(),
    refreshMetadata: async () => undefined,
  };
}
