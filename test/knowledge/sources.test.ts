/** Remote sources: S3 against a real server; the REST interfaces of GitHub, Azure and Google against doubles. */
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ContentSource, defineKnowledge, type SourceFiles } from "../../src/define/knowledge.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { azureBlobSource } from "../../src/knowledge/sources/azure-blob.ts";
import { gcsSource } from "../../src/knowledge/sources/gcs.ts";
import { githubSource } from "../../src/knowledge/sources/github.ts";
import { s3Source } from "../../src/knowledge/sources/s3.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { openS3Server, type S3Server } from "./support/s3-server.ts";

const signal = new AbortController().signal;
const query = { prefix: "", delimiter: "/", cursor: undefined, limit: 1_000 };

const text = async (source: ContentSource, key: string, maxBytes = 1_000): Promise<string> =>
  Buffer.from((await source.read(key, maxBytes, signal)).bytes).toString();

const names = ({ files, folders }: SourceFiles): readonly string[] => [...folders, ...files.map(({ key }) => key)];

describe("an S3 source", () => {
  let s3: S3Server;
  let source: ContentSource;
  beforeAll(async () => {
    s3 = await openS3Server();
    source = s3Source({ id: "docs", bucket: "docs", endpoint: s3.address, credentials: async () => s3.keys });
    for (const key of ["guide.md", "team/a & b+c (ü)'!.md", "team/plan.txt", "team/old/plan.txt"])
      await s3.put(key, `# ${key}`);
  }, 300_000);
  afterAll(() => s3?.[Symbol.asyncDispose]());

  test("files and folders are listed, and read with signed requests", async () => {
    expect(names(await source.list(query, signal))).toEqual(["team/", "guide.md"]);
    expect(names(await source.list({ ...query, prefix: "team/" }, signal))).toEqual([
      ...["team/old/", "team/a & b+c (ü)'!.md", "team/plan.txt"],
    ]);
    const all = names(await source.list({ ...query, delimiter: "" }, signal));
    expect(all).toEqual(["guide.md", "team/a & b+c (ü)'!.md", "team/old/plan.txt", "team/plan.txt"]);
    for (const key of all) expect(await text(source, key)).toBe(`# ${key}`);
  });

  test("a wrong key, a missing file and a large file are refused for good, without an address or a key in the text", async () => {
    const wrong = s3Source({
      ...{ id: "docs", bucket: "docs", endpoint: s3.address },
      credentials: { ...s3.keys, accessKeyId: "guessed" },
    });
    const refusal = { name: "SourceFault", isFinal: true };
    await expect(wrong.list(query, signal)).rejects.toMatchObject({
      ...{ ...refusal, message: 'The source "docs" denies access (403).' },
    });
    await expect(text(source, "none.md")).rejects.toMatchObject({
      ...{ ...refusal, message: 'The source "docs" does not have the file.' },
    });
    await expect(text(source, "guide.md", 5)).rejects.toMatchObject({
      ...{ ...refusal, message: "The file is larger than 5 bytes." },
    });
    const away = s3Source({ id: "docs", bucket: "docs", endpoint: "http://127.0.0.1:1" });
    await expect(away.list(query, signal)).rejects.toMatchObject({
      ...{ name: "SourceFault", isFinal: false, message: 'The source "docs" cannot be reached.' },
    });
  });

  describe("of a knowledge base", () => {
    let server: OpenServer;
    beforeAll(async () => {
      const team = s3Source({
        ...{ id: "team", name: "Team files", bucket: "docs", prefix: "team/", endpoint: s3.address },
        credentials: s3.keys,
      });
      const knowledge = [defineKnowledge({ id: "manual", embedder: lexicalEmbedder(), sources: [team] })];
      server = await openServer(await openDatabaseOf("sqlite"), { knowledge });
    });
    afterAll(() => server?.[Symbol.asyncDispose]());

    const get = async (path: string): Promise<{ status: number; body: Record<string, unknown>; text: string }> => {
      const answer = await fetch(new URL(path, server.client.address));
      const content = await answer.text();
      return { status: answer.status, body: JSON.parse(content), text: content };
    };
    const add = async (fields: Readonly<Record<string, string>>): Promise<Response> =>
      await fetch(new URL("/knowledge/remote-content", server.client.address), {
        ...{ method: "POST", body: new URLSearchParams(fields) },
      });

    test("clients see the source without its keys and its address", async () => {
      const shown = { id: "team", name: "Team files", type: "s3", prefix: "team/" };
      const sources = await get("/knowledge/manual/sources");
      expect(sources.body).toEqual([{ ...shown, metadata: { bucket: "docs", region: "us-east-1" } }]);
      const config = await get("/knowledge/config");
      expect(config.body.remote_content_sources).toMatchObject([shown]);
      expect(sources.text + config.text).not.toMatch(/S3RVER|127\.0\.0\.1/);
    });

    test("files are listed in pages below the prefix of the source", async () => {
      const files = "/knowledge/manual/sources/team/files";
      expect((await get(files)).body).toMatchObject({
        ...{ source_id: "team", source_name: "Team files", prefix: "team/" },
        folders: [{ prefix: "team/old/", name: "old", is_empty: false }],
        files: [
          { key: "team/a & b+c (ü)'!.md", name: "a & b+c (ü)'!.md" },
          { key: "team/plan.txt", name: "plan.txt", size: 15 },
        ],
        meta: { page: 1, limit: 100, total_count: 2, total_pages: 1 },
      });
      const second = await get(`${files}?limit=1&page=2`);
      expect(second.body).toMatchObject({ files: [{ key: "team/plan.txt" }], meta: { page: 2, total_count: 2 } });
      expect((await get(`${files}?prefix=team/old/`)).body).toMatchObject({
        files: [{ key: "team/old/plan.txt" }],
        folders: [],
      });
      for (const prefix of ["", "guide", "other/", "team/../", "team%2f..%2f"])
        expect([prefix, (await get(`${files}?prefix=${prefix || "%00"}`)).status]).toEqual([prefix, 400]);
      expect((await get("/knowledge/manual/sources/none/files")).status).toBe(404);
      expect((await get(`${files}?limit=1001`)).status).toBe(422);
      expect((await get(`${files}?page=1000000`)).status).toBe(400);
    });

    test("a file is ingested with its name, and the source names it", async () => {
      const added = await add({ config_id: "team", path: "team/plan.txt", metadata: '{"area":"team"}' });
      expect(added.status).toBe(202);
      const { id } = (await added.json()) as { id: string };
      const content = await eventually(async () => {
        const { body } = await get(`/knowledge/content/${id}`);
        expect(body.status).not.toBe("processing");
        return body;
      });
      expect(content).toMatchObject({ status: "completed", name: "plan.txt", size: "15", metadata: { area: "team" } });
      const found = await fetch(new URL("/knowledge/search", server.client.address), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ query: "team plan" }),
      });
      expect(await found.json()).toMatchObject({ data: [{ content_origin: "team:team/plan.txt" }] });
    });

    test.each([
      [{ config_id: "none", path: "team/plan.txt" }, 400, /^Unknown content source: none\. Check/],
      [{ config_id: "team", path: "guide.md" }, 400, /begins with team\//],
      [{ config_id: "team", path: "team/../guide.md" }, 400, /begins with team\//],
      [{ config_id: "team", path: "team/old/" }, 400, /must be that of a file/],
      [{ config_id: "team" }, 422, undefined],
    ] as const)("the form %j is refused with %i", async (fields, status, message) => {
      const answer = await add(fields);
      expect(answer.status).toBe(status);
      if (message) expect(((await answer.json()) as { detail: string }).detail).toMatch(message);
    });

    test("a missing file fails its ingestion with the reason", async () => {
      const { id } = (await (await add({ config_id: "team", path: "team/none.md" })).json()) as { id: string };
      await eventually(async () => {
        const { body } = await get(`/knowledge/content/${id}/status`);
        expect(body).toMatchObject({ status: "failed", status_message: 'The source "team" does not have the file.' });
      });
    });
  });
});

interface Asked {
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
}

/** A server that answers GET requests by their path. */
async function double(answer: (asked: Asked) => object | string | number): Promise<string> {
  const server = createServer(({ url, headers }, response) => {
    const found = answer({ url: new URL(url ?? "", "http://double"), headers });
    if (typeof found === "number") response.writeHead(found).end();
    else response.end(typeof found === "string" ? found : JSON.stringify(found));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("an S3 source continues a listing after its last part", async () => {
  const endpoint = await double(({ url }) => {
    if (url.pathname !== "/docs/" || url.searchParams.get("list-type") !== "2") return 404;
    return url.searchParams.get("continuation-token") === "a+b/="
      ? "<ListBucketResult><Contents><Key>b.md</Key><Size>2</Size></Contents></ListBucketResult>"
      : "<ListBucketResult><Prefix></Prefix><NextContinuationToken>a+b/=</NextContinuationToken><Contents><Key>a.md</Key></Contents></ListBucketResult>";
  });
  const source = s3Source({ id: "docs", bucket: "docs", endpoint });
  const first = await source.list(query, signal);
  expect(first).toMatchObject({ files: [{ key: "a.md" }], next: "a+b/=" });
  expect(await source.list({ ...query, cursor: first.next }, signal)).toMatchObject({
    files: [{ key: "b.md", size: 2 }],
  });
});

test("a GitHub source lists and reads the files of a ref with its token", async () => {
  const apiUrl = await double(({ url, headers }) => {
    if (headers.authorization !== "Bearer ghp_secret") return 401;
    const path = decodeURIComponent(url.pathname);
    if (path === "/repos/acme/docs/git/trees/v1" && !url.search)
      return {
        tree: [
          { path: "docs", type: "tree" },
          { path: "README.md", type: "blob", size: 4 },
        ],
        truncated: false,
      };
    if (path === "/repos/acme/docs/git/trees/v1:docs" && url.search === "?recursive=1")
      return {
        tree: [
          { path: "a.md", type: "blob", size: 1 },
          { path: "api/b.md", type: "blob", size: 2 },
          { path: "api", type: "tree" },
        ],
        truncated: false,
      };
    if (path === "/repos/acme/docs/contents/docs/api/b #1.md" && url.searchParams.get("ref") === "v1")
      return headers.accept === "application/vnd.github.raw+json" ? "# B" : {};
    return 404;
  });
  const source = githubSource({ id: "gh", repository: "acme/docs", ref: "v1", token: () => "ghp_secret", apiUrl });
  expect(await source.list(query, signal)).toMatchObject({
    folders: ["docs/"],
    files: [{ key: "README.md", size: 4 }],
  });
  expect(names(await source.list({ ...query, prefix: "docs/a" }, signal))).toEqual(["docs/api/", "docs/a.md"]);
  expect(names(await source.list({ ...query, prefix: "docs/", delimiter: "" }, signal))).toEqual([
    "docs/a.md",
    "docs/api/b.md",
  ]);
  expect(await text(source, "docs/api/b #1.md")).toBe("# B");
  await expect(text(source, "none.md")).rejects.toThrow("does not have the file");
  expect(JSON.stringify(source)).not.toContain("ghp_secret");
});

test("an Azure Blob source signs its requests with the key of the account", async () => {
  const key = Buffer.from("secret key").toString("base64");
  const endpoint = await double(({ url, headers }) => {
    const canonical = [...url.searchParams]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `\n${name}:${value}`)
      .join("");
    const toSign = `GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:${headers["x-ms-date"]}\nx-ms-version:2021-12-02\n/acme${url.pathname}${canonical}`;
    const signature = createHmac("sha256", Buffer.from(key, "base64")).update(toSign).digest("base64");
    if (headers.authorization !== `SharedKey acme:${signature}`) return 403;
    if (url.pathname === "/files/a%20b.md") return "# A";
    if (url.searchParams.get("comp") !== "list") return 404;
    if (url.searchParams.get("marker") === "next")
      return `<EnumerationResults><Blobs><Blob><Name>z.md</Name></Blob></Blobs><NextMarker/></EnumerationResults>`;
    return `<EnumerationResults><Blobs><Blob><Name>a b.md</Name><Properties><Last-Modified>Mon, 23 Nov 2026 12:00:00 GMT</Last-Modified>
      <Content-Length>3</Content-Length><Content-Type>text/markdown</Content-Type></Properties></Blob><BlobPrefix><Name>sub/</Name></BlobPrefix></Blobs>
      <NextMarker>next</NextMarker></EnumerationResults>`;
  });
  const source = azureBlobSource({ id: "az", account: "acme", container: "files", accountKey: key, endpoint });
  expect(await source.list(query, signal)).toEqual({
    files: [{ key: "a b.md", size: 3, modifiedAt: Date.UTC(2026, 10, 23, 12), mediaType: "text/markdown" }],
    ...{ folders: ["sub/"], next: "next" },
  });
  expect(await source.list({ ...query, cursor: "next" }, signal)).toMatchObject({
    next: undefined,
    files: [{ key: "z.md" }],
  });
  expect(await text(source, "a b.md")).toBe("# A");
});

test("a Google Cloud Storage source lists and reads objects with a token", async () => {
  const endpoint = await double(({ url, headers }) => {
    if (headers.authorization !== "Bearer ya29") return 401;
    if (url.pathname === "/storage/v1/b/docs/o/sub%2Fa.md" && url.search === "?alt=media") return "# A";
    if (url.pathname !== "/storage/v1/b/docs/o") return 404;
    if (url.searchParams.get("pageToken") === "2") return { items: [{ name: "z.md" }] };
    const item = { name: "a.md", size: "3", updated: "2026-11-23T12:00:00Z", contentType: "text/markdown" };
    return { items: [item, { name: "folder/" }], prefixes: ["sub/"], nextPageToken: "2" };
  });
  const source = gcsSource({ id: "gcs", bucket: "docs", token: async () => "ya29", endpoint });
  expect(await source.list(query, signal)).toEqual({
    files: [{ key: "a.md", size: 3, modifiedAt: Date.UTC(2026, 10, 23, 12), mediaType: "text/markdown" }],
    ...{ folders: ["sub/"], next: "2" },
  });
  expect(names(await source.list({ ...query, cursor: "2" }, signal))).toEqual(["z.md"]);
  expect(await text(source, "sub/a.md")).toBe("# A");
});
