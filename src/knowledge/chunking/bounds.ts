import { IngestionRejected } from "../failures.ts";

/** Max chunks of a document: the embeddings of each document cost money and space. */
export const maxChunks = 50_000;

/** @throws IngestionRejected for more parts of a document than it may have */
export function refuseMore(parts: number, kind: "chunks" | "sentences" = "chunks"): void {
  if (parts <= maxChunks) return;
  const advice = kind === "chunks" ? "use larger chunks" : "use another chunker";
  throw new IngestionRejected(
    `The document has more than ${maxChunks} ${kind}: divide it into smaller documents, or ${advice}.`,
  );
}
