/** Sends one request to a pinned address. It follows no redirects. */
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Pinned } from "./addresses.ts";

/** A request, without its address. */
export interface OutboundRequest {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Milliseconds after which the next address is tried. */
const attemptTimeout = 1_000;

/** Resolves with the status and the answer, whose body is not read yet. @throws the connection's error, or the signal's */
export function exchange(
  { url, host, addresses }: Pinned,
  { method, headers, body }: OutboundRequest,
  signal: AbortSignal,
): Promise<{ status: number; answer: IncomingMessage }> {
  const isSecure = url.protocol === "https:";
  // The name is not resolved again: the connection goes to whichever of these addresses answers first.
  const lookup: LookupFunction = (_, { all }, tell) => {
    const [first] = addresses;
    if (all) tell(null, [...addresses]);
    else tell(null, first?.address ?? "", first?.family);
  };
  return new Promise((resolve, reject) => {
    const options = {
      method,
      host,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: attemptTimeout,
      port: url.port === "" ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: {
        ...{ ...headers, host: url.host },
        ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
      },
      // The certificate must match the host name, whatever it resolves to. IP addresses send no server name (RFC 6066 section 3).
      ...(isSecure ? { servername: isIP(host) === 0 ? host : "" } : {}),
      agent: false,
      maxHeaderSize: 16_384,
      signal,
    };
    const asked = (isSecure ? requestHttps : requestHttp)(options);
    asked.once("error", reject);
    // A connection may close without an error, for example if the target switches protocols.
    asked.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    asked.once("response", (answer) => {
      answer.on("error", () => undefined);
      resolve({ status: answer.statusCode ?? 0, answer });
    });
    asked.end(body);
  });
}
