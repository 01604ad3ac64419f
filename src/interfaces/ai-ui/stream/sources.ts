import type { Citations } from "../../../model/run/citations.ts";
import type { Chunk } from "./chunks.ts";

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
    ...documents.map(({ document_title, file_name: filename, media_type }) => ({
      ...{ type: "source-document" as const, sourceId: next(), mediaType: media_type ?? "application/octet-stream" },
      ...{ title: document_title ?? filename ?? "", ...(filename !== undefined && { filename }) },
    })),
  ];
}
