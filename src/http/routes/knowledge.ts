/** Routes of knowledge bases: documents, their ingestion, and searches. */
import type { z } from "zod";
import { linkPage } from "../listing/paging.ts";
import {
  baseConfig,
  baseRecords,
  chunkRecords,
  citationRecords,
  contentPage,
  contentRecord,
  contentState,
  searchPage,
  searchWarnings,
  sourceFilePage,
  sourceRecords,
  toBaseConfig,
  toBaseRecord,
  toChunkRecord,
  toCitationRecord,
  toContentRecord,
  toContentState,
  toFoundRecord,
  toSourceFilePage,
  toSourceRecord,
} from "../records/knowledge.ts";
import { toPageInfo } from "../records/pages.ts";
import {
  baseChoice,
  basePath,
  changedContent,
  chunkList,
  citationList,
  contentList,
  contentPath,
  databaseQuery,
  newContent,
  remoteContent,
  searchRequest,
  sourceFiles,
  sourcePath,
} from "../requests/knowledge.ts";
import { toCitationCursor, toContentCursor } from "../requests/knowledge-cursors.ts";
import { type Access, type Operation, type Route, route } from "../transport/route.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "knowledge", action });

function operation(
  id: string,
  summary: string,
  description: string,
  json: z.ZodType | "any",
  { status = 200, errors = storedErrors }: { readonly status?: number; readonly errors?: readonly number[] } = {},
): Operation {
  return { id, tag: "Knowledge", summary, security: "bearer", errors, success: { [status]: { description, json } } };
}

const accepted = { status: 202, errors: [...bodyErrors, 409] };

export const knowledgeRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/knowledge",
    access: access("read"),
    operation: operation("list_knowledge", "List the knowledge bases", "Knowledge bases", baseRecords),
    isHeavy: true,
    async handle({ services: { runs }, caller }) {
      const bases = await runs.knowledge.listBases(caller);
      return bases.map(({ base, documents }) => toBaseRecord(base, documents));
    },
  }),
  route({
    method: "POST",
    path: "/knowledge/content",
    access: access("write"),
    operation: operation("upload_content", "Add a document and ingest it", "The document", contentRecord, accepted),
    query: baseChoice,
    body: newContent,
    async handle({ services: { runs }, caller, query, body, reply }) {
      const content = await runs.knowledge.add(caller, runs.knowledge.base(query), body);
      reply.status(202);
      return toContentRecord(content);
    },
  }),
  route({
    method: "GET",
    path: "/knowledge/content",
    access: access("read"),
    operation: operation("get_content", "List documents, in pages", "Documents", contentPage),
    query: contentList,
    isHeavy: true,
    async handle({ services: { runs, runtime }, caller, query, request, reply }) {
      const begun = runtime.clock.monotonic();
      const base = runs.knowledge.base(query);
      const { contents, total, next } = await runs.knowledge.list(caller, base, query.query);
      if (next) linkPage({ cursor: toContentCursor(next), page: undefined }, { request, reply });
      const milliseconds = runtime.clock.monotonic() - begun;
      return {
        data: contents.map(toContentRecord),
        meta: toPageInfo({ page: query.page, limit: query.query.limit, total, milliseconds }),
      };
    },
  }),
  route({
    method: "DELETE",
    path: "/knowledge/content",
    access: access("delete"),
    operation: operation("delete_all_content", "Delete all documents of a knowledge base", "Deleted", "any"),
    query: baseChoice,
    async handle({ services: { runs }, caller, query, reply }) {
      await runs.knowledge.removeAll(caller, runs.knowledge.base(query));
      reply.type("application/json");
      return JSON.stringify("success");
    },
  }),
  route({
    method: "PATCH",
    path: "/knowledge/content/{content_id}",
    access: access("write"),
    operation: operation(
      "update_content",
      "Change a document's name, description or metadata",
      "The document",
      contentRecord,
      {
        errors: bodyErrors,
      },
    ),
    pathParams: contentPath,
    query: baseChoice,
    body: changedContent,
    handle: async ({ services: { runs }, caller, path, query, body }) =>
      toContentRecord(await runs.knowledge.change(caller, runs.knowledge.base(query), path.contentId, body)),
  }),
  route({
    method: "GET",
    path: "/knowledge/content/{content_id}",
    access: access("read"),
    operation: operation("get_content_by_id", "Get a document", "The document", contentRecord),
    pathParams: contentPath,
    query: baseChoice,
    handle: async ({ services: { runs }, caller, path, query }) =>
      toContentRecord(await runs.knowledge.find(caller, runs.knowledge.base(query), path.contentId)),
  }),
  route({
    method: "DELETE",
    path: "/knowledge/content/{content_id}",
    access: access("delete"),
    operation: operation("delete_content_by_id", "Delete a document", "The id of the document", contentRecord),
    pathParams: contentPath,
    query: baseChoice,
    async handle({ services: { runs }, caller, path, query }) {
      await runs.knowledge.remove(caller, runs.knowledge.base(query), path.contentId);
      return { id: path.contentId };
    },
  }),
  route({
    method: "GET",
    path: "/knowledge/content/{content_id}/status",
    access: access("read"),
    operation: operation(
      "get_content_status",
      "Get the progress of a document's ingestion",
      "The progress",
      contentState,
    ),
    pathParams: contentPath,
    query: baseChoice,
    handle: async ({ services: { runs }, caller, path, query }) =>
      toContentState(await runs.knowledge.find(caller, runs.knowledge.base(query), path.contentId)),
  }),
  route({
    method: "GET",
    path: "/knowledge/content/{content_id}/chunks",
    access: access("read"),
    operation: operation("get_content_chunks", "List the chunks of a document, in order", "Chunks", chunkRecords),
    pathParams: contentPath,
    query: chunkList,
    async handle({ services: { runs }, caller, path, query, request, reply }) {
      const base = runs.knowledge.base(query);
      const { from, limit } = query;
      const chunks = await runs.knowledge.chunks(caller, base, path.contentId, from, limit + 1);
      const next = chunks[limit];
      if (next) linkPage({ from: String(next.number) }, { request, reply });
      return chunks.slice(0, limit).map(toChunkRecord);
    },
  }),
  route({
    method: "GET",
    path: "/knowledge/content/{content_id}/citations",
    access: access("read"),
    operation: operation(
      "get_content_citations",
      "List the runs that cite a document, the latest first",
      "Runs",
      citationRecords,
    ),
    pathParams: contentPath,
    query: citationList,
    isHeavy: true,
    async handle({ services: { runs }, caller, path, query, request, reply }) {
      const base = runs.knowledge.base(query);
      const { citations, next } = await runs.knowledge.citations(caller, base, path.contentId, query);
      if (next) linkPage({ cursor: toCitationCursor(next) }, { request, reply });
      return citations.map(toCitationRecord);
    },
  }),
  route({
    method: "POST",
    path: "/knowledge/content/{content_id}/retry",
    access: access("write"),
    operation: operation("retry_content", "Ingest a document again", "The document", contentRecord, accepted),
    pathParams: contentPath,
    query: baseChoice,
    async handle({ services: { runs }, caller, path, query, reply }) {
      const content = await runs.knowledge.retry(caller, runs.knowledge.base(query), path.contentId);
      reply.status(202);
      return toContentRecord(content);
    },
  }),
  route({
    method: "POST",
    path: "/knowledge/content/{content_id}/cancel",
    access: access("write"),
    operation: operation("cancel_content", "Cancel the ingestion of a document", "The document", contentRecord, {
      errors: [...storedErrors, 409],
    }),
    pathParams: contentPath,
    query: baseChoice,
    handle: async ({ services: { runs }, caller, path, query }) =>
      toContentRecord(await runs.knowledge.cancel(caller, runs.knowledge.base(query), path.contentId)),
  }),
  route({
    method: "POST",
    path: "/knowledge/search",
    access: access("read"),
    operation: operation("search_knowledge", "Search the documents of a knowledge base", "Found chunks", searchPage, {
      errors: [...bodyErrors, 502],
    }),
    body: searchRequest,
    isHeavy: true,
    async handle({ services: { runs, runtime }, caller, body, reply }) {
      const begun = runtime.clock.monotonic();
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const { found, lack } = await runs.knowledge.search(caller, runs.knowledge.base(body), body.query, gone.signal);
      const { page, limit } = body;
      const milliseconds = runtime.clock.monotonic() - begun;
      return {
        data: found.slice((page - 1) * limit, page * limit).map(toFoundRecord),
        meta: toPageInfo({ page, limit, total: found.length, milliseconds }),
        ...(lack && { warning: searchWarnings[lack] }),
      };
    },
  }),
  route({
    method: "GET",
    path: "/knowledge/config",
    access: access("read"),
    operation: operation(
      "get_knowledge_config",
      "Get what a knowledge base can read, divide and search",
      "The options",
      baseConfig,
    ),
    query: baseChoice,
    handle: ({ services: { runs }, query }) => toBaseConfig(runs.knowledge.base(query)),
  }),
  route({
    method: "GET",
    path: "/knowledge/{knowledge_id}/sources",
    access: access("read"),
    operation: operation(
      "list_content_sources",
      "List the remote sources of a knowledge base",
      "Sources",
      sourceRecords,
    ),
    pathParams: basePath,
    query: databaseQuery,
    handle: ({ services: { runs }, path, query }) =>
      runs.knowledge.base({ ...query, ...path }).definition.sources.map(toSourceRecord),
  }),
  route({
    method: "GET",
    path: "/knowledge/{knowledge_id}/sources/{source_id}/files",
    access: access("read"),
    operation: operation("list_source_files", "List the files of a remote source", "Files", sourceFilePage),
    pathParams: sourcePath,
    query: sourceFiles,
    isHeavy: true,
    async handle({ services: { runs, runtime }, path, query, reply }) {
      const begun = runtime.clock.monotonic();
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const found = await runs.knowledge.files(
        runs.knowledge.base({ ...query, ...path }),
        path.sourceId,
        query,
        gone.signal,
      );
      const { page, limit } = query;
      const milliseconds = runtime.clock.monotonic() - begun;
      return toSourceFilePage(found, toPageInfo({ page, limit, total: found.total, milliseconds }));
    },
  }),
  route({
    method: "POST",
    path: "/knowledge/remote-content",
    access: access("write"),
    operation: operation(
      "upload_remote_content",
      "Add a file of a remote source and ingest it",
      "The document",
      contentRecord,
      accepted,
    ),
    query: baseChoice,
    body: remoteContent,
    async handle({ services: { runs }, caller, query, body, reply }) {
      const content = await runs.knowledge.add(caller, runs.knowledge.base(query), body);
      reply.status(202);
      return toContentRecord(content);
    },
  }),
];
