/** Files of buckets of Google Cloud Storage. */
import type { ContentSource } from "../../define/knowledge.ts";
import { checkedSource, type SourceOptions } from "./checked-source.ts";
import { contentOf, listingOf, parseJson, request, timeOf } from "./requests.ts";

/** Options of a bucket. */
export interface GcsSourceOptions extends SourceOptions {
  readonly bucket: string;
  /** A function that returns an access token, such as `getAccessToken` of `google-auth-library`. Default: none, for public buckets. */
  readonly token?: () => Promise<string> | string;
  /** Address of another server with the same interface. */
  readonly endpoint?: string;
}

interface Objects {
  readonly items?: readonly {
    readonly name: string;
    readonly size?: string;
    readonly updated?: string;
    readonly contentType?: string;
  }[];
  readonly prefixes?: readonly string[];
  readonly nextPageToken?: string;
}

/**
 * Makes a source of the files of a bucket.
 * @throws ConfigurationError
 */
export function gcsSource(options: GcsSourceOptions): ContentSource {
  const { id, bucket, token, endpoint = "https://storage.googleapis.com" } = options;
  const store = `The source "${id}"`;
  const root = `${endpoint.replace(/\/+$/, "")}/storage/v1/b/${encodeURIComponent(bucket)}/o`;

  const send = async (path: string, signal: AbortSignal): Promise<Response> => {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${await token()}` } : {};
    return await request(store, root + path, headers, signal);
  };

  return checkedSource(
    "gcs",
    options,
    { bucket },
    { bucket },
    {
      async list({ prefix, delimiter, cursor, limit }, signal) {
        const query = new URLSearchParams({ prefix, maxResults: String(limit) });
        if (delimiter !== "") query.set("delimiter", delimiter);
        if (cursor !== undefined) query.set("pageToken", cursor);
        const response = await send(`?${query}`, signal);
        const {
          items = [],
          prefixes = [],
          nextPageToken,
        } = parseJson(store, await listingOf(store, response)) as Objects;
        return {
          files: items
            .filter(({ name }) => !name.endsWith("/"))
            .map(({ name, size, updated, contentType }) => ({
              ...{ key: name, size: size === undefined ? null : Number(size), modifiedAt: timeOf(updated) },
              mediaType: contentType ?? null,
            })),
          folders: prefixes,
          next: nextPageToken,
        };
      },
      async read(key, maxBytes, signal) {
        return await contentOf(store, await send(`/${encodeURIComponent(key)}?alt=media`, signal), maxBytes);
      },
    },
  );
}
