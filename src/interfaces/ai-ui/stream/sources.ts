import type { Citations, DocumentCitation } from "../../../model/run/citations.ts";
import type { Chunk, SourceMetadata } from "./chunks.ts";

type SourceChunk = Extract<Chunk, { readonly type: "source-url" | "source-document" }>;

/** The chunks of sources. @param place the index of the event; undefined if the log is no longer kept */
export function sourcesOf({ urls = [], documents = [] }: Citations, place = 0): readonly SourceChunk[] {
  let count = 0;
  const next = (): string => `${place}.${count++}`;
  return [
    ...urls.map(({ url, title }) => ({
      ...{ type: "source-url" as const, sourceId: next(), url },
      ...(title !== undefined && { title }),
    })),
    ...documents.map((document) => toDocument(document, next())),
  ];
}

/** A document of a knowledge base that has an address is a link. */
function toDocument(document: DocumentCitation, sourceId: string): SourceChunk {
  const { document_title, file_name: filename, media_type, content_id, url } = document;
  const providerMetadata = content_id === undefined ? undefined : { providerMetadata: metadataOf(document) };
  const title = document_title ?? filename ?? "";
  if (url !== undefined) return { type: "source-url", sourceId, url, title, ...providerMetadata };
  const mediaType = media_type ?? (content_id === undefined ? "application/octet-stream" : "text/plain");
  return {
    ...{ type: "source-document", sourceId, mediaType, title },
    ...(filename !== undefined && { filename }),
    ...providerMetadata,
  };
}

/** The part of the document, as in the log. */
function metadataOf({
  document_title: _,
  file_name: __,
  media_type: ___,
  url: ____,
  ...part
}: DocumentCitation): SourceMetadata {
  return { troupe: part };
}
