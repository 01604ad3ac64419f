import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { nextCursor } from "../../api/next-page.ts";
import { notifyDone } from "../../api/queries.ts";
import type { BaseSearch, SearchMode } from "./search.ts";

export type KnowledgeBase = Schema<"KnowledgeBase">;
export type Document = Schema<"ContentResponseSchema">;
export type Chunk = Schema<"KnowledgeChunk">;
export type Citation = Schema<"KnowledgeCitation">;
export type Source = Schema<"RemoteContentSourceSchema">;
export type SourceFile = Schema<"SourceFileSchema">;
export type SourceFolder = Schema<"SourceFolderSchema">;
export type Found = Schema<"VectorSearchResult">;

const pageSize = 25;

/** Chunks of a page of a document. */
export const chunksPerPage = 20;

const citationsPerPage = 10;

/** Max results of a search. */
const maxResults = 20;

/** Milliseconds between reads of what changes: during an ingestion, and otherwise. */
const progressInterval = 1_000;
const pollInterval = 10_000;

export const basesQuery = queryOptions({
  queryKey: ["knowledge", "bases"],
  queryFn: ({ signal }) => dataOf(api.GET("/knowledge", { signal })),
  refetchInterval: pollInterval,
});

export function documentsQuery(base: string, { status, sort, order, page }: BaseSearch) {
  const query = {
    knowledge_id: base,
    ...(status === undefined ? {} : { status }),
    sort_by: sort ?? "updated_at",
    sort_order: order ?? ("desc" as const),
    limit: pageSize,
    page: page ?? 1,
  };
  return queryOptions({
    queryKey: ["knowledge", "list", query],
    queryFn: ({ signal }) => dataOf(api.GET("/knowledge/content", { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: pollInterval,
  });
}

export function documentQuery(base: string, id: string) {
  return queryOptions({
    queryKey: ["knowledge", "one", base, id],
    queryFn: ({ signal }) => dataOf(api.GET("/knowledge/content/{content_id}", { params: placeOf(base, id), signal })),
    refetchInterval: pollInterval,
  });
}

/** The progress of an ingestion, until it is over. */
export function progressQuery(base: string, id: string) {
  return queryOptions({
    queryKey: ["knowledge", "progress", base, id],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/knowledge/content/{content_id}/status", { params: placeOf(base, id), signal })),
    refetchInterval: ({ state }) => (state.data && state.data.status !== "processing" ? false : progressInterval),
    staleTime: 0,
  });
}

export function chunksQuery(base: string, id: string, page: number) {
  const query = { knowledge_id: base, from: (page - 1) * chunksPerPage, limit: chunksPerPage };
  return queryOptions({
    queryKey: ["knowledge", "chunks", id, query],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/knowledge/content/{content_id}/chunks", { params: { path: { content_id: id }, query }, signal }),
      ),
    placeholderData: keepPreviousData,
  });
}

interface CitationPage {
  readonly citations: readonly Citation[];
  /** Where the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

/** The runs that cite a document. */
export function citationsQuery(base: string, id: string) {
  return infiniteQueryOptions({
    queryKey: ["knowledge", "citations", base, id],
    queryFn: async ({ pageParam: cursor, signal }): Promise<CitationPage> => {
      const query = { knowledge_id: base, limit: citationsPerPage, ...(cursor === undefined ? {} : { cursor }) };
      const { data = [], response } = await api.GET("/knowledge/content/{content_id}/citations", {
        params: { path: { content_id: id }, query },
        signal,
      });
      return { citations: data, next: nextCursor(response) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 1 ? false : pollInterval),
  });
}

/** What a knowledge base can read. */
export function configQuery(base: string) {
  return queryOptions({
    queryKey: ["knowledge", "config", base],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/knowledge/config", { params: { query: { knowledge_id: base } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The remote sources of a knowledge base. */
export function sourcesQuery(base: string) {
  return queryOptions({
    queryKey: ["knowledge", "sources", base],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/knowledge/{knowledge_id}/sources", { params: { path: { knowledge_id: base } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

interface Folder {
  readonly prefix: string;
  readonly page: number;
}

/** The files and folders in a folder of a source. */
export function filesQuery(base: string, source: string, { prefix, page }: Folder) {
  const path = { knowledge_id: base, source_id: source };
  const query = { ...(prefix === "" ? {} : { prefix }), limit: pageSize, page };
  return queryOptions({
    queryKey: ["knowledge", "files", path, query],
    queryFn: ({ signal }) =>
      dataOf(api.GET("/knowledge/{knowledge_id}/sources/{source_id}/files", { params: { path, query }, signal })),
  });
}

export function useAddFile(base: string) {
  return useDocumentChange(
    ({ source, path }: { readonly source: string; readonly path: string }) =>
      api.POST("/knowledge/remote-content", {
        params: { query: { knowledge_id: base } },
        body: { config_id: source, path },
      }),
    ({ path }) => `${path} is a document now. Its ingestion has begun.`,
  );
}

interface Question {
  readonly text: string;
  readonly mode: SearchMode;
  readonly filters: Readonly<Record<string, unknown>> | undefined;
}

export function foundQuery(base: string, { text, mode, filters }: Question) {
  const body = {
    ...{ knowledge_id: base, query: text, search_type: mode, max_results: maxResults },
    ...(filters === undefined ? {} : { filters }),
  };
  return queryOptions({
    queryKey: ["knowledge", "found", body],
    queryFn: ({ signal }) => dataOf(api.POST("/knowledge/search", { body, signal })),
  });
}

function useDocumentChange<Input>(change: (input: Input) => Promise<unknown>, done: (input: Input) => string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: (_, input) => notifyDone(done(input)),
    // A change that failed in its middle has an effect, too.
    onSettled: () => queries.invalidateQueries({ queryKey: ["knowledge"] }),
  });
}

interface Change {
  readonly name: string;
  readonly description: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export function useUpdateDocument(base: string, id: string) {
  return useDocumentChange(
    (change: Change) =>
      api.PATCH("/knowledge/content/{content_id}", {
        params: placeOf(base, id),
        body: { ...change, metadata: { ...change.metadata } },
      }),
    () => "The document is changed.",
  );
}

export function useRetry(base: string) {
  return useDocumentChange(
    (id: string) => api.POST("/knowledge/content/{content_id}/retry", { params: placeOf(base, id) }),
    () => "The document is ingested again.",
  );
}

export function useCancel(base: string) {
  return useDocumentChange(
    (id: string) => api.POST("/knowledge/content/{content_id}/cancel", { params: placeOf(base, id) }),
    () => "The ingestion is cancelled.",
  );
}

export function useDeleteDocuments(base: string) {
  return useDocumentChange(
    async (ids: readonly string[]) => {
      for (const id of ids) await api.DELETE("/knowledge/content/{content_id}", { params: placeOf(base, id) });
    },
    ({ length }) => (length === 1 ? "The document is deleted." : `${length} documents are deleted.`),
  );
}

function placeOf(base: string, id: string) {
  return { path: { content_id: id }, query: { knowledge_id: base } };
}
