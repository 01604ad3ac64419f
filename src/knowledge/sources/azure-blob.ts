/** Files of containers of Azure Blob Storage. */
import { createHmac } from "node:crypto";
import type { ContentSource } from "../../define/knowledge.ts";
import { checkedSource, type SourceOptions } from "./checked-source.ts";
import { contentOf, encodeKey, listingOf, readElements, request, timeOf } from "./requests.ts";

/** Options of a container. Without a key, a token or a signature, requests are not signed, for public containers. */
export interface AzureBlobSourceOptions extends SourceOptions {
  readonly account: string;
  readonly container: string;
  /** A key of the account (base64). */
  readonly accountKey?: string;
  /** The query of a shared access signature: `sv=…&sig=…`. */
  readonly sharedAccessSignature?: string;
  /** A function that returns a token of Microsoft Entra ID. */
  readonly token?: () => Promise<string> | string;
  /** Address of the account. Default: `https://<account>.blob.core.windows.net`. */
  readonly endpoint?: string;
}

const version = "2021-12-02";

/**
 * Makes a source of the files of a container.
 * @throws ConfigurationError
 */
export function azureBlobSource(options: AzureBlobSourceOptions): ContentSource {
  const { id, account, container, accountKey, sharedAccessSignature, token } = options;
  const { endpoint = `https://${account}.blob.core.windows.net` } = options;
  const store = `The source "${id}"`;

  const send = async (
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> => {
    const url = new URL(`${endpoint.replace(/\/+$/, "")}/${container}${path}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers: Record<string, string> = { "x-ms-version": version, "x-ms-date": new Date().toUTCString() };
    if (token) headers.authorization = `Bearer ${await token()}`;
    else if (accountKey !== undefined)
      headers.authorization = `SharedKey ${account}:${sign(url, headers, account, accountKey)}`;
    else if (sharedAccessSignature !== undefined) {
      for (const [name, value] of new URLSearchParams(sharedAccessSignature)) url.searchParams.set(name, value);
    }
    return await request(store, url, headers, signal);
  };

  return checkedSource(
    "azureblob",
    options,
    { account, container },
    { account, container },
    {
      async list({ prefix, delimiter, cursor, limit }, signal) {
        const query = {
          ...{ restype: "container", comp: "list", prefix, maxresults: String(limit) },
          ...(delimiter !== "" && { delimiter }),
          ...(cursor !== undefined && { marker: cursor }),
        };
        const xml = await listingOf(store, await send("", query, signal));
        const [answer, ...elements] = readElements(xml, ["Blob", "BlobPrefix"]);
        return {
          files: elements.flatMap(({ name, members }) =>
            name === "Blob" && members.Name !== undefined
              ? [
                  {
                    ...{ key: members.Name, size: Number(members["Content-Length"]) },
                    ...{ modifiedAt: timeOf(members["Last-Modified"]), mediaType: members["Content-Type"] || null },
                  },
                ]
              : [],
          ),
          folders: elements.flatMap(({ name, members: { Name } }) => (name === "BlobPrefix" && Name ? [Name] : [])),
          next: answer?.members.NextMarker || undefined,
        };
      },
      async read(key, maxBytes, signal) {
        return await contentOf(store, await send(`/${encodeKey(key)}`, {}, signal), maxBytes);
      },
    },
  );
}

/** The signature of a request without a body ("Authorize with Shared Key" of the store's documentation). */
function sign(url: URL, headers: Readonly<Record<string, string>>, account: string, key: string): string {
  const own = Object.entries(headers)
    .filter(([name]) => name.startsWith("x-ms-"))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}:${value}\n`);
  const query = [...url.searchParams]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `\n${name.toLowerCase()}:${value}`);
  const text = `GET${"\n".repeat(12)}${own.join("")}/${account}${url.pathname}${query.join("")}`;
  return createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
}
