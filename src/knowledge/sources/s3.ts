/** Files of buckets of S3 and of stores with its interface, such as MinIO, R2 and Ceph. */
import type { ContentSource } from "../../define/knowledge.ts";
import { checkedSource, type SourceOptions } from "./checked-source.ts";
import { contentOf, encodeKey, listingOf, readElements, request, timeOf } from "./requests.ts";

/** Keys of an account of S3. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Options of a bucket. */
export interface S3SourceOptions extends SourceOptions {
  readonly bucket: string;
  /** Default: `us-east-1`. */
  readonly region?: string;
  /** Address of a store other than AWS, such as `https://minio.example:9000`; the bucket is the first part of its paths. */
  readonly endpoint?: string;
  /** Keys, or a function that returns the current ones. Default: requests are not signed, for public buckets. */
  readonly credentials?: S3Credentials | (() => Promise<S3Credentials> | S3Credentials);
}

/**
 * Makes a source of the files of a bucket.
 *
 * @example
 * ```ts
 * const handbook = s3Source({
 *   id: "handbook",
 *   bucket: "company-handbook",
 *   region: "eu-central-1",
 *   prefix: "public/",
 *   credentials: { accessKeyId: process.env.HANDBOOK_KEY_ID ?? "", secretAccessKey: process.env.HANDBOOK_KEY ?? "" },
 * });
 * ```
 * @throws ConfigurationError
 */
export function s3Source(options: S3SourceOptions): ContentSource {
  const { id, bucket, region = "us-east-1", endpoint, credentials } = options;
  const store = `The source "${id}"`;
  const root =
    endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com/`
      : `${endpoint.replace(/\/+$/, "")}/${bucket}/`;

  const send = async (path: string, signal: AbortSignal): Promise<Response> => {
    const keys = typeof credentials === "function" ? await credentials() : credentials;
    if (!keys) return await request(store, root + path, {}, signal);
    const { AwsV4Signer } = await import("aws4fetch");
    const { url, headers } = await new AwsV4Signer({ ...keys, url: root + path, region, service: "s3" }).sign();
    return await request(store, url, Object.fromEntries(headers), signal);
  };

  return checkedSource(
    "s3",
    options,
    { bucket, region },
    { bucket },
    {
      async list({ prefix, delimiter, cursor, limit }, signal) {
        const query = {
          ...(cursor !== undefined && { "continuation-token": cursor }),
          ...(delimiter !== "" && { delimiter }),
          ...{ "list-type": "2", "max-keys": String(limit), prefix },
        };
        const xml = await listingOf(store, await send(`?${signedQuery(query)}`, signal));
        const [answer, ...elements] = readElements(xml, ["Contents", "CommonPrefixes"]);
        return {
          files: elements.flatMap(({ name, members: { Key, Size, LastModified } }) =>
            name === "Contents" && Key !== undefined && !Key.endsWith("/")
              ? [{ key: Key, size: Number(Size), modifiedAt: timeOf(LastModified), mediaType: null }]
              : [],
          ),
          folders: elements.flatMap(({ name, members: { Prefix } }) =>
            name === "CommonPrefixes" && Prefix ? [Prefix] : [],
          ),
          next: answer?.members.NextContinuationToken,
        };
      },
      async read(key, maxBytes, signal) {
        return await contentOf(store, await send(encodeKey(key), signal), maxBytes);
      },
    },
  );
}

/** Encodes a query as its signature contains it. Some stores compare both as they are, where `URLSearchParams` encodes a space as `+`. */
function signedQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeKey(value).replaceAll("/", "%2F")}`)
    .join("&");
}
