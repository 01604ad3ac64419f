/** Reads documents from where they are: from the database, a URL, or a source of their knowledge base. */
import { SourceFault } from "../../define/knowledge.ts";
import type { KnowledgeBases } from "../../knowledge/bases.ts";
import { IngestionRejected, OriginUnavailable } from "../../knowledge/failures.ts";
import type { IngestParts, ReadDocument } from "../../knowledge/ingest.ts";
import { readDocument } from "../../knowledge/read.ts";
import { isInSource } from "../../knowledge/sources/paths.ts";
import type { Clock } from "../../model/runtime.ts";
import type { Content } from "../../store/contract/knowledge.ts";
import { readPage } from "./web-page.ts";

/** What the reader needs. */
interface ReaderParts {
  readonly clock: Pick<Clock, "after">;
  readonly bases: KnowledgeBases;
  /** Max bytes of a document. */
  readonly maxBytes: number;
}

/** Makes the reader of a platform's documents. */
export function documentReader({ clock, bases, maxBytes }: ReaderParts): IngestParts["read"] {
  const readUrl = async (url: string, { knowledgeId }: Content, signal: AbortSignal): Promise<ReadDocument> => {
    // Rules may have changed since the document was added.
    const rules = bases.get(knowledgeId)?.definition.urls ?? false;
    if (rules === false) throw new IngestionRejected("The knowledge base does not read URLs.");
    const { allowHttp = false, allowPrivate = false } = rules;
    return await readPage(url, { clock, maxBytes, rules: { allowHttp, allowPrivate } }, signal);
  };

  const readFile = async (
    { sourceId, path }: { readonly sourceId: string; readonly path: string },
    { knowledgeId }: Content,
    signal: AbortSignal,
  ): Promise<ReadDocument> => {
    const source = bases.get(knowledgeId)?.definition.sources.find(({ id }) => id === sourceId);
    if (!source || !isInSource(source, path))
      throw new IngestionRejected(`The knowledge base has no source "${sourceId}" with this file.`);
    try {
      const { bytes, mediaType } = await source.read(path, maxBytes, signal);
      return { bytes: Buffer.from(bytes), mediaType, fileName: path.split("/").at(-1) ?? null };
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      throw error.isFinal ? new IngestionRejected(error.message) : new OriginUnavailable(error.message);
    }
  };

  return async (content, bytes, signal) => {
    const { origin } = content;
    if (origin.kind === "url") return await readUrl(origin.url, content, signal);
    if (origin.kind === "source") return await readFile(origin, content, signal);
    return await readDocument(content, bytes);
  };
}
