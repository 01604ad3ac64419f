/** Documents from URLs: address rules apply to redirects and robots.txt, and every answer has bounds of size and time. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineKnowledge } from "../../src/define/knowledge.ts";
import type { ReadDocument } from "../../src/knowledge/ingest.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { type PageRules, readPage } from "../../src/runs/knowledge/web-page.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { openServer } from "../support/open-server.ts";
import { testRuntime } from "../support/runtime.ts";

type Handler = (response: ServerResponse, request: IncomingMessage) => void;

let address = "";
let asked: string[] = [];
let pages: Record<string, Handler> = {};

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "", address);
  asked.push(`${request.method} ${request.url} ${request.headers["user-agent"]}`);
  const page = pages[pathname];
  if (page) page(response, request);
  else response.writeHead(404).end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [asked, pages] = [[], {}];
});

const text =
  (body: string, type = "text/html", status = 200): Handler =>
  (response) =>
    response.writeHead(status, { "content-type": type }).end(body);
const redirect =
  (location: string): Handler =>
  (response) =>
    response.writeHead(302, { location }).end();

function read(path: string, change: Partial<PageRules> = {}): Promise<ReadDocument> {
  const rules = { allowHttp: true, allowPrivate: true };
  const options = { clock: testRuntime.clock, rules, maxBytes: 10_000, ...change };
  return readPage(new URL(path, address).href, options, new AbortController().signal);
}

describe("reading a URL", () => {
  test("a page is read with its type and its name, after redirects", async () => {
    pages = {
      "/a": redirect("/b?x=1"),
      "/b": redirect(`${address}/docs/Guide%20one.html#part`),
      "/docs/Guide%20one.html": text("<p>x"),
    };
    const { bytes, mediaType, fileName } = await read("/a");
    expect({ text: bytes.toString(), mediaType, fileName }).toEqual({
      ...{ text: "<p>x", mediaType: "text/html", fileName: "Guide one.html" },
    });
    expect(asked.map((line) => line.split(" ")[1])).toEqual(["/robots.txt", "/a", "/b?x=1", "/docs/Guide%20one.html"]);
    expect(asked.every((line) => /^GET \S+ Troupe\/1\.0$/.test(line))).toBe(true);
  });

  test.each([
    ["another port", "http://127.0.0.1:25/"],
    ["another protocol", "ftp://127.0.0.1/x"],
    ["an address with a password", "http://user:secret@127.0.0.1/"],
  ])("a redirect to %s is not followed", async (_, target) => {
    pages = { "/a": redirect(target) };
    await expect(read("/a")).rejects.toMatchObject({
      ...{ name: "IngestionRejected", message: expect.stringMatching(/^The URL is not read: /) },
    });
  });

  test("a name that resolves to an address of the local network is not read", async () => {
    const resolve = async () => [{ address: "10.0.0.7", family: 4 }];
    const rules = { allowHttp: true, allowPrivate: false };
    await expect(read("http://docs.example/a", { rules, resolve })).rejects.toThrow(/not of the public internet/);
    await expect(read("/a", { rules })).rejects.toThrow(/not of the public internet/);
    expect(asked).toEqual([]);
  });

  test("a page that robots.txt excludes is not requested, also as the target of a redirect", async () => {
    const robots = "User-agent: *\nDisallow: /private\n\nUser-agent: Troupe\nDisallow: /secret\nAllow: /secret/open";
    pages = {
      "/robots.txt": text(robots, "text/plain"),
      "/a": redirect("/secret/b"),
      "/secret/open": text("x"),
      "/private": text("x"),
    };
    await expect(read("/secret")).rejects.toThrow(/robots\.txt .* does not allow it/);
    await expect(read("/a")).rejects.toThrow(/robots\.txt .* does not allow it/);
    expect(asked.filter((line) => line.includes("/secret"))).toEqual([]);
    expect((await read("/secret/open")).bytes.toString()).toBe("x");
    expect((await read("/private")).bytes.toString()).toBe("x");
  });

  test.each([
    [
      "a robots.txt that fails",
      { "/robots.txt": text("", "text/plain", 503) },
      "OriginUnavailable",
      /robots\.txt .* answered 503/,
    ],
    ["a server error", { "/a": text("", "text/plain", 500) }, "OriginUnavailable", /answered 500/],
    ["too many requests", { "/a": text("", "text/plain", 429) }, "OriginUnavailable", /answered 429/],
    ["a missing page", {}, "IngestionRejected", /answered 404/],
    ["an endless redirect", { "/a": redirect("/a") }, "IngestionRejected", /redirects more than 5 times/],
    ["a large page", { "/a": text("x".repeat(10_001)) }, "IngestionRejected", /larger than 10000 bytes/],
    ["an endless page", { "/a": endless }, "IngestionRejected", /larger than 10000 bytes/],
    ["a compressed page", { "/a": compressed }, "IngestionRejected", /encoding "gzip"/],
    ["a page that is cut", { "/a": cut }, "OriginUnavailable", /cannot be reached/],
  ] as const)("%s ends the attempt with its reason", async (_, given, name, message) => {
    pages = given;
    await expect(read("/a")).rejects.toMatchObject({ name, message: expect.stringMatching(message) });
  });

  test("a server that does not answer in time is tried again later", async () => {
    pages = { "/a": () => undefined };
    await expect(read("/a", { timeout: 300 })).rejects.toMatchObject({
      ...{ name: "OriginUnavailable", message: "The URL took longer than 0.3 s to answer." },
    });
  });
});

describe("adding a URL", () => {
  const open = defineKnowledge({
    id: "open",
    embedder: lexicalEmbedder(),
    urls: { allowHttp: true, allowPrivate: true },
  });
  const usual = defineKnowledge({ id: "usual", embedder: lexicalEmbedder() });
  const closed = defineKnowledge({ id: "closed", embedder: lexicalEmbedder(), urls: false });

  test("the page is ingested, and a base refuses addresses that it does not allow", async () => {
    await using hosted = await openServer(await openDatabaseOf("sqlite"), { knowledge: [open, usual, closed] });
    const post = async (base: string, url: string): Promise<Response> =>
      await fetch(new URL(`/knowledge/content?knowledge_id=${base}`, hosted.client.address), {
        ...{ method: "POST", body: new URLSearchParams({ url }) },
      });
    pages = { "/guide": text("<title>Guide</title><p>A lease is renewed every two seconds.") };
    const added = await post("open", `${address}/guide`);
    expect(added.status).toBe(202);
    const { id } = (await added.json()) as { id: string };
    const content = await eventually(async () => {
      const answer = await fetch(new URL(`/knowledge/content/${id}?knowledge_id=open`, hosted.client.address));
      const body = (await answer.json()) as { status: string };
      expect(body.status).not.toBe("processing");
      return body;
    });
    expect(content).toMatchObject({ status: "completed", type: "text/html", chunks: 1 });

    const missing = (await (await post("open", `${address}/missing`)).json()) as { id: string };
    await eventually(async () => {
      const answer = await fetch(
        new URL(`/knowledge/content/${missing.id}/status?knowledge_id=open`, hosted.client.address),
      );
      expect(await answer.json()).toMatchObject({ status: "failed", status_message: "The URL answered 404." });
    });

    expect((await post("usual", `${address}/guide`)).status).toBe(422);
    expect((await post("usual", "https://localhost/guide")).status).toBe(422);
    expect((await post("closed", "https://docs.example/guide")).status).toBe(400);
  });
});

function endless(response: ServerResponse): void {
  response.writeHead(200);
  const more = (): void => {
    while (response.write("x".repeat(1_000)));
  };
  response.on("drain", more);
  more();
}

function compressed(response: ServerResponse): void {
  response.writeHead(200, { "content-encoding": "gzip" }).end("x");
}

function cut(response: ServerResponse): void {
  response.writeHead(200, { "content-length": "100" }).write("x", () => response.destroy());
}
