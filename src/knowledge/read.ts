/** Reads documents from their origins, and parses them. */
import type { Clock } from "../model/runtime.ts";
import type { Content } from "../store/contract/knowledge.ts";
import { IngestionRejected } from "./failures.ts";
import type { IngestParts, ReadDocument } from "./ingest.ts";
import { FileParser } from "./parsing/file-parser.ts";
import { Unreadable } from "./parsing/unreadable.ts";

/** Reads a document from its origin. @throws IngestionRejected */
export async function readDocument({ origin, name }: Content, bytes: Buffer | null): Promise<ReadDocument> {
  if (!bytes) throw new IngestionRejected("The document's content is gone: add it again.");
  if (origin.kind === "file") return { bytes, mediaType: origin.mediaType, fileName: origin.fileName };
  return { bytes, mediaType: "text/plain", fileName: name };
}

/** Makes the parser of documents of a process. */
export function documentParser(clock: Pick<Clock, "after">): IngestParts["parse"] {
  const parser = new FileParser(clock);
  return async ({ options: { reader } }, { bytes, mediaType, fileName }, signal) => {
    try {
      return await parser.parse(bytes, { fileName, mediaType, reader }, signal);
    } catch (error) {
      throw error instanceof Unreadable ? new IngestionRejected(error.message) : error;
    }
  };
}
