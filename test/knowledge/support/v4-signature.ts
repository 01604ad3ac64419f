/** Signatures of AWS, version 4, as a server computes them: from the request as it arrives. */
import { createHash, createHmac } from "node:crypto";

export interface SignedRequest {
  readonly method: string;
  /** The path as it was sent. */
  readonly path: string;
  /** The query as it was sent, without its question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Computes the signature of a request from its header `Authorization` and the secret. It decodes and encodes path and query again, as AWS does. */
export function signatureOf({ method, path, query, headers }: SignedRequest, secret: string): string {
  const { authorization = "", "x-amz-date": date = "", "x-amz-content-sha256": payload = "" } = headers;
  const scope = /Credential=[^/]+\/([^,]+),/.exec(authorization)?.[1] ?? "";
  const signed = /SignedHeaders=([^,]+),/.exec(authorization)?.[1] ?? "";
  const canonical = [
    method,
    path.split("/").map(recoded).join("/"),
    query
      .split("&")
      .map((part) => part.split("=").map(recoded))
      .map(([name, value = ""]) => `${name}=${value}`)
      .filter((part) => part !== "=")
      .sort()
      .join("&"),
    ...signed.split(";").map((name) => `${name}:${headers[name]?.trim().replaceAll(/ +/g, " ")}`),
    "",
    signed,
    payload,
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", date, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((last, part) => hmac(last, part), `AWS4${secret}`);
  return hmac(key, toSign).toString("hex");
}

/** The signature in a request's header. */
export function sentSignature({ headers }: SignedRequest): string | undefined {
  return /Signature=([0-9a-f]+)$/.exec(headers.authorization ?? "")?.[1];
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** The encoding of RFC 3986. */
export function recoded(text: string): string {
  return encodeURIComponent(decodeURIComponent(text)).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
