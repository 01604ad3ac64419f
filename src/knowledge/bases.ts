/** The knowledge bases of a platform, with their embedders. */
import type { Chunking, Knowledge } from "../define/knowledge.ts";
import type { TextEmbedder } from "./embedder.ts";
import type { TextReranker } from "./reranker.ts";

/** A knowledge base that is ready for use. */
export interface KnowledgeBase {
  readonly id: string;
  readonly definition: Knowledge;
  readonly embedder: TextEmbedder;
  readonly chunking: Chunking;
  /** Undefined: results keep the order of the search. */
  readonly reranker: TextReranker | undefined;
}

/** Knowledge bases by id, in the order of their definition. */
export type KnowledgeBases = ReadonlyMap<string, KnowledgeBase>;
