/** Signatures of the requests of S3 sources. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { s3Source } from "../../src/knowledge/sources/s3.ts";
import { recoded, type SignedRequest, sentSignature, signatureOf } from "./support/v4-signature.ts";

const { signal } = new AbortController();

// The examples of "Signature Calculations for the Authorization Header" in the documentation of Amazon S3.
describe("the computation that checks signatures", () => {
  const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
  const scope = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";
  const headers = {
    host: "examplebucket.s3.amazonaws.com",
    "x-amz-date": "20130524T000000Z",
    "x-amz-content-sha256": createHash("sha256").digest("hex"),
  };

  test.each([
    [
      { path: "/test.txt", query: "", more: { range: "bytes=0-9" } },
      "host;range;x-amz-content-sha256;x-amz-date",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ],
    [
      { path: "/", query: "lifecycle", more: {} },
      "host;x-amz-content-sha256;x-amz-date",
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ],
    [
      { path: "/", query: "max-keys=2&prefix=J", more: {} },
      "host;x-amz-content-sha256;x-amz-date",
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ],
  ])("returns the published signature of %j", ({ path, query, more }, signed, signature) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${signed},Signature=${signature}`;
    const request: SignedRequest = { method: "GET", path, query, headers: { ...headers, ...more, authorization } };
    expect(signatureOf(request, secret)).toBe(signature);
    expect(sentSignature(request)).toBe(signature);
    expect(signatureOf(request, `${secret}!`)).not.toBe(signature);
  });
});

describe("a server that checks signatures", () => {
  const keys = { accessKeyId: "AKID", secretAccessKey: "the/secret+key" };
  const seen: SignedRequest[] = [];
  const server = createServer((request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const headers = request.headers as SignedRequest["headers"];
    const asked = { method: "GET", path, query, headers };
    seen.push(asked);
    const isSigned = sentSignature(asked) === signatureOf(asked, keys.secretAccessKey);
    response.writeHead(isSigned ? 200 : 403).end(isSigned && query === "" ? decodeURIComponent(path) : "<List/>");
  });
  let endpoint = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const source = (credentials: object = {}) =>
    s3Source({ id: "docs", bucket: "docs", region: "eu-west-1", endpoint, credentials: { ...keys, ...credentials } });

  /** Servers that do not encode a request again compare it as it was sent. */
  function expectEncoded({ path, query }: SignedRequest): void {
    expect(path).toBe(path.split("/").map(recoded).join("/"));
    const parts = query === "" ? [] : query.split("&").map((part) => part.split("=").map(recoded).join("="));
    expect(query).toBe(parts.join("&"));
  }

  test.each([
    "guide.md",
    "team/a & b+c (ü)'!*.md",
    "a//b.md",
    "100%/50%25.md",
    "~user/$x,y;z=1:@.md",
    "日本/🙂.md",
    "a?b#c.md",
  ])("reads the file %j", async (key) => {
    const { bytes } = await source().read(key, 1_000, signal);
    expect(Buffer.from(bytes).toString()).toBe(`/docs/${key}`);
    expectEncoded(seen.at(-1) as SignedRequest);
  });

  test.each(["", "team/", "a & b+c (ü)'!*~/", "日本/", "100%/"])("lists files with the prefix %j", async (prefix) => {
    await source().list({ prefix, delimiter: "/", cursor: "1/a+b c==", limit: 10 }, signal);
    const asked = seen.at(-1) as SignedRequest;
    expectEncoded(asked);
    const sent = new URLSearchParams(asked.query);
    expect(sent.get("prefix")).toBe(prefix);
    expect(sent.get("continuation-token")).toBe("1/a+b c==");
  });

  test("receives a session token as a signed header", async () => {
    await source({ sessionToken: "token+/=" }).read("a.md", 1_000, signal);
    const { headers } = seen.at(-1) as SignedRequest;
    expect(headers["x-amz-security-token"]).toBe("token+/=");
    expect(headers.authorization).toMatch(/SignedHeaders=[^,]*x-amz-security-token/);
    expect(headers.authorization).toMatch(/Credential=AKID\/\d{8}\/eu-west-1\/s3\/aws4_request,/);
  });

  test("refuses a wrong secret", async () => {
    await expect(source({ secretAccessKey: "wrong" }).read("a.md", 1_000, signal)).rejects.toThrow(/denies access/);
  });
});
