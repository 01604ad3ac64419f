/** Requests to the stores of sources. Their addresses are the developer's; their answers are bounded. */
import { Parser } from "htmlparser2";
import { type SourceContent, SourceFault } from "../../define/knowledge.ts";

/** Milliseconds of a request with its answer. */
const timeout = 60_000;

/** Max bytes of a listing. */
const maxListing = 32 * 1_024 * 1_024;

/** Sends a request, and checks its status. @throws SourceFault that names the store, never its address or its credentials */
export async function request(
  store: string,
  url: string | URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  let response: Response;
  try {
    response = await fetch(url, { headers, signal: limited, redirect: "error" });
  } catch {
    signal.throwIfAborted();
    throw new SourceFault(`${store} cannot be reached.`, false);
  }
  if (response.ok) return response;
  await response.body?.cancel();
  const { status } = response;
  if (status === 404) throw new SourceFault(`${store} does not have the file.`, true);
  if (status === 401 || status === 403) throw new SourceFault(`${store} denies access (${status}).`, true);
  throw new SourceFault(`${store} answered ${status}.`, status < 500 && status !== 408 && status !== 429);
}

/** Reads the content of a file. @throws SourceFault for a larger one */
export async function contentOf(store: string, response: Response, maxBytes: number): Promise<SourceContent> {
  const bytes = await bodyOf(store, response, maxBytes);
  return { bytes, mediaType: response.headers.get("content-type") };
}

/** Reads a listing as a text. @throws SourceFault */
export async function listingOf(store: string, response: Response): Promise<string> {
  return (await bodyOf(store, response, maxListing)).toString("utf8");
}

async function bodyOf(store: string, response: Response, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const part of response.body ?? []) {
      length += part.length;
      if (length > maxBytes) break;
      parts.push(part);
    }
  } catch {
    throw new SourceFault(`${store} ended its answer too early.`, false);
  }
  if (length > maxBytes) throw new SourceFault(`The file is larger than ${maxBytes} bytes.`, true);
  return Buffer.concat(parts);
}

/** An element of an XML answer: its texts by the names of its members. */
export type XmlMembers = Readonly<Record<string, string>>;

/** Returns the members of all elements with one of the names, in order, and those of the root as the element with an empty name. */
export function readElements(
  xml: string,
  names: readonly string[],
): readonly { readonly name: string; readonly members: XmlMembers }[] {
  const root: { readonly name: string; readonly members: Record<string, string> } = { name: "", members: {} };
  const found = [root];
  let current: typeof root | undefined;
  let text = "";
  const parser = new Parser(
    {
      onopentag(name) {
        text = "";
        if (names.includes(name)) {
          current = { name, members: {} };
          found.push(current);
        }
      },
      ontext: (part) => {
        text += part;
      },
      onclosetag(name) {
        if (name === current?.name) current = undefined;
        else (current ?? root).members[name] ??= text;
        text = "";
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return found;
}

/** A time in milliseconds; null for none. */
export function timeOf(text: string | undefined): number | null {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? null : time;
}

/** Encodes a path for a URL, without its slashes. */
export function encodeKey(key: string): string {
  return key
    .split("/")
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join("/");
}

/** Parses the answer of a store. @throws SourceFault */
export function parseJson(store: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SourceFault(`${store} answered no JSON.`, false);
  }
}
