/** Reads documents from their origins, and parses them. */
import type { Content } from "../store/contract/knowledge.ts";
import type { ParsedDocument } from "./chunking/chunks.ts";
import { IngestionRejected, type ReadDocument } from "./ingest.ts";

/** Reads a document from its origin. @throws IngestionRejected */
export async function readDocument({ origin, name }: Content, bytes: Buffer | null): Promise<ReadDocument> {
  if (!bytes) throw new IngestionRejected("The document's content is gone: add it again.");
  if (origin.kind === "file") return { bytes, mediaType: origin.mediaType, fileName: origin.fileName };
  return { bytes, mediaType: "text/plain", fileName: name };
}

/** Parses a document. @throws IngestionRejected */
export async function parseDocument(
  _content: Content,
  { bytes, mediaType, fileName }: ReadDocument,
): Promise<ParsedDocument & { readonly mediaType: string }> {
  const text = bytes.toString("utf8");
  const isMarkdown = mediaType === "text/markdown" || /\.(md|markdown)$/i.test(fileName ?? "");
  return { text, pages: [], form: isMarkdown ? "markdown" : "text", mediaType: mediaType ?? "text/plain" };
}
