/** Rules about documents: who may see and change them, which knowledge base a caller names, and what a document's id is. */
import { createHash } from "node:crypto";
import { TroupeError } from "../../errors.ts";
import type { KnowledgeBase, KnowledgeBases } from "../../knowledge/bases.ts";
import type { TextEmbedder } from "../../knowledge/embedder.ts";
import { type KnowledgeQuery, type SearchResult, searchKnowledge } from "../../knowledge/search.ts";
import { isInSource } from "../../knowledge/sources/paths.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import type {
  Chunk,
  CitationPage,
  CitationPosition,
  Content,
  ContentCitation,
  ContentPage,
  ContentQuery,
  KnowledgeReader,
  NewContent,
} from "../../store/contract/knowledge.ts";
import { AddressRejected, readTargetUrl } from "../outbound/addresses.ts";
import type { RunParts } from "../parts.ts";
import { authorize, isPermitted } from "../permissions.ts";
import { type FilePage, type FileQuery, listFiles } from "./files.ts";
import { usageOfSearch } from "./usage.ts";

/** A document that a caller adds. */
export type NewDocument = Omit<NewContent, "id" | "knowledgeId" | "userId">;

/** The calls on documents. A document that the caller may not see does not exist for it. */
export interface KnowledgeCalls {
  readonly bases: KnowledgeBases;
  /** All knowledge bases, with the number of documents that the caller sees. */
  listBases(caller: Principal): Promise<readonly { readonly base: KnowledgeBase; readonly documents: number }[]>;
  /**
   * The knowledge base that a caller names by its id or by its database; the only one if it names none.
   * @throws TroupeError `notFound`, or `badRequest` for no name where there are several
   */
  base(choice: { readonly knowledgeId?: string | undefined; readonly databaseId?: string | undefined }): KnowledgeBase;
  /** Stores a document and begins its ingestion: the document of an isolated caller is private, other documents are shared. The same document again replaces it. @throws TroupeError `conflict` while it is being ingested with other bytes */
  add(caller: Principal, base: KnowledgeBase, document: NewDocument): Promise<Content>;
  /** Lists the files of a source. @throws TroupeError `notFound` for an unknown source, `badRequest` for a prefix outside of it, `unavailable` */
  files(base: KnowledgeBase, sourceId: string, query: FileQuery, signal: AbortSignal): Promise<FilePage>;
  /** @throws TroupeError `validation` for a position of a listing in another order */
  list(
    caller: Principal,
    base: KnowledgeBase,
    query: Omit<ContentQuery, "knowledgeId" | "reader">,
  ): Promise<ContentPage>;
  /** @throws TroupeError `notFound` */
  find(caller: Principal, base: KnowledgeBase, id: string): Promise<Content>;
  /** A shared document, for code that adds it; undefined if there is none. */
  stored(base: KnowledgeBase, id: string): Promise<Content | undefined>;
  chunks(caller: Principal, base: KnowledgeBase, id: string, from: number, limit: number): Promise<readonly Chunk[]>;
  /**
   * The completed runs that cite a document, as far as the caller may see and read them, the latest first. A page may have fewer than `limit` although there
   * is a next one. @throws TroupeError `notFound`
   */
  citations(
    caller: Principal,
    base: KnowledgeBase,
    id: string,
    page: { readonly limit: number; readonly after?: CitationPosition | undefined },
  ): Promise<CitationPage>;
  /** @throws TroupeError `notFound`, `forbidden` for a shared document and an isolated caller */
  change(
    caller: Principal,
    base: KnowledgeBase,
    id: string,
    change: Partial<Pick<Content, "name" | "description" | "metadata">>,
  ): Promise<Content>;
  /** Ingests a document again. @throws TroupeError `conflict` while it is being ingested */
  retry(caller: Principal, base: KnowledgeBase, id: string): Promise<Content>;
  /** Ends a running ingestion; the chunks of the last complete one stay. */
  cancel(caller: Principal, base: KnowledgeBase, id: string): Promise<Content>;
  /** Removes a document; one that does not exist is removed already. */
  remove(caller: Principal, base: KnowledgeBase, id: string): Promise<void>;
  /** Removes all documents of a knowledge base; for an isolated caller, its own. */
  removeAll(caller: Principal, base: KnowledgeBase): Promise<void>;
  /**
   * @throws TroupeError `badRequest` for a search by words without an index of words, `badGateway` if the embedding model fails and the search needs it, `unavailable` if the vector store does, `unsupported` for too
   * many chunks without an index
   */
  search(
    caller: Principal,
    base: KnowledgeBase,
    query: Omit<KnowledgeQuery, "knowledgeId" | "reader">,
    signal: AbortSignal,
  ): Promise<SearchResult>;
}

/** Makes the calls of a platform. */
export function knowledgeCalls({
  knowledge,
  memories,
  platform,
  runtime,
  gate,
}: Pick<RunParts, "knowledge" | "memories" | "platform" | "runtime" | "gate">): KnowledgeCalls {
  const { store, bases, wake } = knowledge;

  const find = async (caller: Principal, base: KnowledgeBase, id: string): Promise<Content> => {
    const content = await store.find(base.id, readerOf(caller), id);
    if (!content) throw new TroupeError("notFound", `Content not found: ${id}`);
    return content;
  };

  const findOwn = async (caller: Principal, base: KnowledgeBase, id: string): Promise<Content> => {
    const content = await find(caller, base, id);
    if (!mayChange(caller, content))
      throw new TroupeError(
        "forbidden",
        "The document is shared: only callers who see the data of all users can change it.",
      );
    return content;
  };

  return {
    bases,

    listBases: (caller) =>
      Promise.all(
        [...bases.values()].map(async (base) => {
          const first = { orderBy: "created_at", descending: true, limit: 1, offset: 0 } as const;
          const { total } = await store.list({ ...first, knowledgeId: base.id, reader: readerOf(caller) });
          return { base, documents: total };
        }),
      ),

    base({ knowledgeId, databaseId }) {
      if (knowledgeId !== undefined) {
        const named = bases.get(knowledgeId);
        if (!named) throw new TroupeError("notFound", `Knowledge base '${knowledgeId}' not found`);
        return named;
      }
      if (databaseId !== undefined && (databaseId !== platform.databaseId || bases.size === 0))
        throw new TroupeError("notFound", `Knowledge instance with db_id '${databaseId}' not found`);
      const [only, ...others] = bases.values();
      if (!only || others.length > 0) {
        const ids = [...bases.keys()].map((id) => `'${id}'`).join(", ");
        throw new TroupeError(
          "badRequest",
          `db_id or knowledge_id query parameter is required when using multiple knowledge bases. Available IDs: [${ids}]`,
        );
      }
      return only;
    },

    async add(caller, base, document) {
      checkOrigin(base, document);
      const userId = visibleOwner(caller);
      const id = documentId(base.id, userId, document);
      const content = await store.put({ ...document, id, knowledgeId: base.id, userId });
      if (!content)
        throw new TroupeError(
          "conflict",
          "The document is being ingested with other content: wait for its end, or cancel it.",
        );
      wake();
      return content;
    },

    files: async ({ definition }, sourceId, query, signal) => {
      const source = definition.sources.find(({ id }) => id === sourceId);
      if (!source) throw new TroupeError("notFound", `Content source not found: ${sourceId}`);
      return await listFiles(source, query, signal);
    },

    list: (caller, base, query) => store.list({ ...query, knowledgeId: base.id, reader: readerOf(caller) }),
    find,
    stored: (base, id) => store.find(base.id, shared, id),

    async chunks(caller, base, id, from, limit) {
      return await store.chunks(await find(caller, base, id), from, limit);
    },

    async citations(caller, base, id, page) {
      const { citations, next } = await store.citations(caller, await find(caller, base, id), page);
      const readable = new Map<string, boolean>();
      const mayRead = (component: Pick<ContentCitation, "kind" | "componentId">): boolean => {
        const name = `${component.kind}/${component.componentId}`;
        const known = readable.get(name) ?? isPermitted(() => authorize({ gate }, caller, "read", component));
        readable.set(name, known);
        return known;
      };
      return { citations: citations.filter(mayRead), next };
    },

    async change(caller, base, id, change) {
      const changed = await store.change(await findOwn(caller, base, id), change);
      if (!changed) throw new TroupeError("notFound", `Content not found: ${id}`);
      wake();
      return changed;
    },

    async retry(caller, base, id) {
      if (!(await store.retry(await findOwn(caller, base, id))))
        throw new TroupeError("conflict", "The document is being ingested: wait for its end, or cancel it.");
      wake();
      return await find(caller, base, id);
    },

    async cancel(caller, base, id) {
      if (!(await store.cancel(await findOwn(caller, base, id))))
        throw new TroupeError("conflict", "The document is not being ingested.");
      wake();
      return await find(caller, base, id);
    },

    async remove(caller, base, id) {
      const content = await store.find(base.id, readerOf(caller), id);
      if (!content) return;
      await store.remove(await findOwn(caller, base, id));
      wake();
    },

    async removeAll(caller, base) {
      await store.removeAll(base.id, readerOf(caller));
      wake();
    },

    async search(caller, base, query, signal) {
      if (query.mode === "lexical" && !store.findsWords)
        throw new TroupeError(
          "badRequest",
          "The server encrypts texts, so it has no index of words: use the search_type vector or hybrid.",
        );
      return await searchKnowledge(
        { store, runtime },
        { ...base, embedder: forClients(base.embedder) },
        { ...query, knowledgeId: base.id, reader: readerOf(caller) },
        signal,
        async (usage) => await store.countUsage(await usageOfSearch(memories.requests, caller, usage)),
      );
    },
  };
}

/** A failure of the model is none of the server, and clients do not see its text. */
function forClients(embedder: TextEmbedder): TextEmbedder {
  return {
    ...embedder,
    embed: (...request) =>
      embedder.embed(...request).catch((cause: unknown) => {
        throw new TroupeError("badGateway", "The embedding model of the knowledge base failed.", { cause });
      }),
  };
}

/** Sees shared documents only. */
const shared: KnowledgeReader = { userId: "" };

/** Isolated callers see shared documents and their own. */
function readerOf(caller: Principal): KnowledgeReader {
  const owner = visibleOwner(caller);
  return owner === null ? null : { userId: owner };
}

function mayChange(caller: Principal, { userId }: Content): boolean {
  const owner = visibleOwner(caller);
  return owner === null || owner === userId;
}

/** Checks where a caller wants a document to be read. @throws TroupeError `badRequest`, `validation` */
function checkOrigin({ definition }: KnowledgeBase, { origin }: NewDocument): void {
  if (origin.kind === "url") {
    if (definition.urls === false) throw new TroupeError("badRequest", "The knowledge base does not read URLs.");
    const { allowHttp = false, allowPrivate = false } = definition.urls;
    try {
      readTargetUrl(origin.url, { allowHttp, allowPrivate });
    } catch (error) {
      if (!(error instanceof AddressRejected)) throw error;
      throw new TroupeError("validation", `The url cannot be used: ${error.message}`);
    }
  }
  if (origin.kind !== "source") return;
  const source = definition.sources.find(({ id }) => id === origin.sourceId);
  if (!source)
    throw new TroupeError(
      "badRequest",
      `Unknown content source: ${origin.sourceId}. Check /knowledge/config for available sources.`,
    );
  if (!isInSource(source, origin.path))
    throw new TroupeError(
      "badRequest",
      `The path must be that of a file${source.prefix === "" ? "" : ` that begins with ${source.prefix}`}.`,
    );
}

/** A document has the same id whenever it is added again: by its address, its path, its file name or its name, otherwise by its text. */
export function documentId(
  knowledgeId: string,
  userId: string | null,
  { origin, name, bytes }: Pick<NewDocument, "origin" | "name" | "bytes">,
): string {
  const hash = createHash("sha256");
  const identity = {
    text: () =>
      name === null
        ? hash
            .copy()
            .update(bytes ?? "")
            .digest("hex")
        : name,
    file: () => (origin.kind === "file" ? origin.fileName : ""),
    url: () => (origin.kind === "url" ? origin.url : ""),
    source: () => (origin.kind === "source" ? `${origin.sourceId}/${origin.path}` : ""),
  }[origin.kind]();
  hash.update(JSON.stringify([knowledgeId, userId, origin.kind, identity]));
  const digits = hash.digest("hex").slice(0, 32);
  // The form of a UUID of version 8, which is for own schemes.
  const variant = ((Number.parseInt(digits.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}
