/** Routes of knowledge bases: documents are added, ingested, found, changed and deleted, each for the callers who may. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineKnowledge } from "../../src/define/knowledge.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { keysOf } from "../encryption/stored.ts";
import { eachDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { makePair, token } from "../support/tokens.ts";

const manual = defineKnowledge({ id: "manual", description: "The manual.", embedder: lexicalEmbedder() });
const news = defineKnowledge({ id: "news", embedder: lexicalEmbedder() });

const text = `# Runs

A run is a durable, numbered log.

## Resuming

A client resumes a stream by its cursor, and misses nothing.

## Schedules

A schedule fires once per tick.
`;

// biome-ignore lint/suspicious/noExplicitAny: tests compare any member of a body
type Answer = { readonly status: number; readonly body: any };

/** Sends a request, with a form or a JSON body. */
async function send(
  server: OpenServer,
  method: string,
  path: string,
  body?: FormData | URLSearchParams | object,
  bearer?: string,
): Promise<Answer> {
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const response = await fetch(new URL(path, server.client.address), {
    method,
    headers: {
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(body && !isForm && { "content-type": "application/json" }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  const answer = await response.text();
  return { status: response.status, body: answer === "" ? undefined : JSON.parse(answer) };
}

const form = (fields: Readonly<Record<string, string>>): URLSearchParams => new URLSearchParams(fields);

const cursorOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const idOf = ({ id }: { readonly id: string }): string => id;

/** Reads the pages of a listing by their `Link` headers. */
async function pagesFrom(
  server: OpenServer,
  first: string,
  afterPage: (page: Answer["body"][]) => Promise<void> = async () => undefined,
  bearer?: string,
): Promise<Answer["body"][][]> {
  const pages: Answer["body"][][] = [];
  for (let next: string | undefined = first; next !== undefined; ) {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const response: Response = await fetch(new URL(next, server.client.address), { headers });
    const body = (await response.json()) as Answer["body"];
    pages.push(body.data ?? body);
    await afterPage(pages.at(-1) ?? []);
    next = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return pages;
}

async function completed(server: OpenServer, path: string, bearer?: string): Promise<Answer["body"]> {
  return await eventually(async () => {
    const { body } = await send(server, "GET", path, undefined, bearer);
    expect(body.status).not.toBe("processing");
    return body;
  });
}

const documents = "/knowledge/content?knowledge_id=manual";

/** Texts that Postgres cannot store. */
const unstorable = ["a\u0000", "\ud800"];

eachDatabase("knowledge routes", (openDatabase) => {
  describe("without authorization", () => {
    let server: OpenServer;
    beforeAll(async () => {
      server = await openServer(await openDatabase(), { knowledge: [manual, news] });
    });
    afterAll(() => server[Symbol.asyncDispose]());

    test("a text is ingested, found with its headings, changed and deleted", async () => {
      const file = new FormData();
      file.set("file", new File([text], "runs.md", { type: "text/markdown" }));
      file.set("metadata", '{"area":"core"}');
      const added = await send(server, "POST", "/knowledge/content?knowledge_id=manual", file);
      expect(added).toMatchObject({
        status: 202,
        body: { name: "runs.md", status: "processing", linked_to: "manual" },
      });
      const path = `/knowledge/content/${added.body.id}`;
      expect(await completed(server, `${path}?knowledge_id=manual`)).toMatchObject({
        status: "completed",
        chunks: 3,
        size: String(text.length),
      });
      expect((await send(server, "GET", `${path}/status?knowledge_id=manual`)).body).toEqual({
        id: added.body.id,
        status: "completed",
        status_message: "",
      });

      const search = { query: "How do I resume a stream?", knowledge_id: "manual", filters: { area: "core" } };
      const found = await send(server, "POST", "/knowledge/search", search);
      expect(found.body.data[0]).toMatchObject({
        ...{ content_id: added.body.id, name: "runs.md", content_origin: "runs.md" },
        meta_data: { area: "core", headings: ["Runs", "Resuming"], lexical_rank: 1, vector_rank: 1, score: 1 },
      });
      const { start, end } = found.body.data[0].meta_data;
      expect(text.slice(start, end)).toBe(found.body.data[0].content);
      expect(
        (await send(server, "POST", "/knowledge/search", { ...search, filters: { area: "docs" } })).body.data,
      ).toEqual([]);
      const chunks = await send(server, "GET", `${path}/chunks?knowledge_id=manual&from=1&limit=1`);
      expect(chunks.body).toMatchObject([{ number: 1, headings: ["Runs", "Resuming"] }]);

      const again = await send(server, "POST", "/knowledge/content?knowledge_id=manual", file);
      expect(again.body.id).toBe(added.body.id);
      await completed(server, `${path}?knowledge_id=manual`);
      const change = form({ name: "Runs", metadata: '{"area":"docs"}' });
      expect((await send(server, "PATCH", `${path}?knowledge_id=manual`, change)).body).toMatchObject({
        name: "Runs",
        metadata: { area: "docs" },
      });
      expect((await send(server, "GET", "/knowledge/content?knowledge_id=manual")).body).toMatchObject({
        ...{
          data: [{ id: added.body.id, name: "Runs" }],
          meta: { total_count: 1, total_pages: 1, page: 1, limit: 20 },
        },
      });
      const listed = async (status: string): Promise<number> =>
        (await send(server, "GET", `/knowledge/content?knowledge_id=manual&status=${status}`)).body.meta.total_count;
      expect([await listed("completed"), await listed("failed")]).toEqual([1, 0]);
      expect((await send(server, "GET", "/knowledge")).body).toMatchObject([
        { id: "manual", name: "manual", description: "The manual.", documents: 1 },
        { id: "news", description: null, documents: 0 },
      ]);
      expect((await send(server, "DELETE", `${path}?knowledge_id=manual`)).body).toEqual({ id: added.body.id });
      expect((await send(server, "GET", `${path}?knowledge_id=manual`)).status).toBe(404);
      expect(
        (await send(server, "POST", "/knowledge/search", { query: "resume", knowledge_id: "manual" })).body.data,
      ).toEqual([]);
      expect((await send(server, "DELETE", "/knowledge/content?knowledge_id=manual")).body).toBe("success");
    });

    test.each([
      ["POST", "/knowledge/content", form({ text_content: "x" }), 400],
      ["POST", "/knowledge/content?knowledge_id=nope", form({ text_content: "x" }), 404],
      ["POST", "/knowledge/content?db_id=nope", form({ text_content: "x" }), 404],
      ["POST", "/knowledge/content?knowledge_id=manual", form({}), 422],
      ["POST", "/knowledge/content?knowledge_id=manual", form({ text_content: " " }), 422],
      ["POST", "/knowledge/content?knowledge_id=manual", form({ text_content: "x", url: "https://x.example" }), 422],
      ["POST", "/knowledge/content?knowledge_id=manual", form({ url: "file:///etc/passwd" }), 422],
      ["POST", "/knowledge/content?knowledge_id=manual", form({ text_content: "x", metadata: "{bad" }), 422],
      ["POST", "/knowledge/content?knowledge_id=manual", form({ text_content: "x", metadata: "[]" }), 422],
      ["POST", "/knowledge/content?knowledge_id=manual", form({ text_content: "x", chunker: "best" }), 422],
      [
        "POST",
        "/knowledge/content?knowledge_id=manual",
        form({ text_content: "x", chunk_size: "9", chunk_overlap: "9" }),
        422,
      ],
      ["GET", "/knowledge/content?knowledge_id=manual&limit=0", undefined, 422],
      ["GET", "/knowledge/content?knowledge_id=manual&sort_by=secret", undefined, 422],
      ["GET", "/knowledge/content?knowledge_id=manual&cursor=nope", undefined, 422],
      ["GET", `/knowledge/content?knowledge_id=manual&cursor=${cursorOf(["\ud800", 1])}`, undefined, 422],
      ["GET", `/knowledge/content?knowledge_id=manual&cursor=${cursorOf(["text", 1])}`, undefined, 422],
      ["GET", `/knowledge/content?knowledge_id=manual&sort_by=name&cursor=${cursorOf([1, 1])}`, undefined, 422],
      ["GET", "/knowledge/content/nope?knowledge_id=manual", undefined, 404],
      ["GET", "/knowledge/content/nope/status?knowledge_id=manual", undefined, 404],
      ["PATCH", "/knowledge/content/nope?knowledge_id=manual", form({ name: "x" }), 404],
      ["POST", "/knowledge/content/nope/cancel?knowledge_id=manual", undefined, 404],
      ["POST", "/knowledge/search", {}, 422],
      ["POST", "/knowledge/search", { query: "x" }, 400],
      ["POST", "/knowledge/search", { query: "x", knowledge_id: "manual", search_type: "magic" }, 422],
      ["POST", "/knowledge/search", { query: "x", knowledge_id: "manual", filters: { a: { $gt: 1 } } }, 422],
      ["POST", "/knowledge/search", { query: "x", knowledge_id: "manual", max_results: 0 }, 422],
      ["GET", "/knowledge/nope/sources", undefined, 404],
      ...unstorable.flatMap(
        (bad) =>
          [
            ...[{ name: bad }, { description: bad }, { metadata: { a: [{ b: bad }] } }, { metadata: { [bad]: 1 } }].map(
              (fields) => ["POST", documents, { text_content: "x", ...fields }, 422] as const,
            ),
            ["POST", documents, { url: `https://x.example/${bad}` }, 422],
            ...[{ a: bad }, { [bad]: 1 }, { a: [bad] }].map(
              (filters) => ["POST", "/knowledge/search", { query: "x", knowledge_id: "manual", filters }, 422] as const,
            ),
          ] as const,
      ),
    ] as const)("%s %s with %s returns an error of the caller", async (method, path, body, status) => {
      const answer = await send(server, method, path, body);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining("detail")]);
    });

    test("a listing has each document once, in every order and while documents are deleted", async () => {
      const names = ["b", "a", "d", "c", "e"];
      for (const name of names) {
        const body =
          name === "c" ? form({ text_content: "without a name" }) : form({ name, text_content: `Text ${name}` });
        const added = await send(server, "POST", "/knowledge/content?knowledge_id=news", body);
        await completed(server, `/knowledge/content/${added.body.id}?knowledge_id=news`);
      }
      const all = (await send(server, "GET", "/knowledge/content?knowledge_id=news")).body.data.map(idOf);
      for (const order of ["created_at", "updated_at", "name", "status", "size"])
        for (const direction of ["asc", "desc"]) {
          const first = `/knowledge/content?knowledge_id=news&limit=2&sort_by=${order}&sort_order=${direction}&page=1`;
          const pages = await pagesFrom(server, first);
          expect([order, direction, pages.map((page) => page.length)]).toEqual([order, direction, [2, 2, 1]]);
          expect(pages.flat().map(idOf).sort()).toEqual(all.toSorted());
          const whole = await send(server, "GET", `${first.replace("limit=2", "limit=9")}`);
          expect(pages.flat().map(idOf)).toEqual(whole.body.data.map(idOf));
        }
      const first = "/knowledge/content?knowledge_id=news&limit=2&sort_by=name&sort_order=asc";
      const rest = await pagesFrom(server, first, async ([one]) => {
        await send(server, "DELETE", `/knowledge/content/${one.id}?knowledge_id=news`);
      });
      expect(rest.flat().map(({ name }) => name)).toEqual([null, "a", "b", "d", "e"]);
    });

    test("a listing of chunks links its next page until the last one", async () => {
      const added = await send(
        server,
        "POST",
        "/knowledge/content?knowledge_id=manual",
        form({ name: "runs.md", text_content: text, chunker: "markdown" }),
      );
      const path = `/knowledge/content/${added.body.id}`;
      const { chunks } = await completed(server, `${path}?knowledge_id=manual`);
      const pages = await pagesFrom(server, `${path}/chunks?knowledge_id=manual&limit=1`);
      expect(pages.map(([{ number }]) => number)).toEqual([...Array(chunks).keys()]);
    });

    test("a query without a word finds nothing", async () => {
      const search = { query: "?!", knowledge_id: "manual", search_type: "keyword" };
      expect(await send(server, "POST", "/knowledge/search", search)).toMatchObject({
        status: 200,
        body: { data: [] },
      });
    });
  });

  test("a search by words gets 400 if texts are encrypted, and other searches use embeddings", async () => {
    await using server = await openServer(await openDatabase(), {
      knowledge: [manual],
      encryption: { keyProvider: keysOf("k1") },
    });
    const added = await send(server, "POST", "/knowledge/content", form({ name: "a", text_content: "A cursor." }));
    await completed(server, `/knowledge/content/${added.body.id}`);
    const search = (type: string) => send(server, "POST", "/knowledge/search", { query: "cursor", search_type: type });
    expect(await search("keyword")).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("no index of words") },
    });
    for (const type of ["hybrid", "vector"]) expect((await search(type)).body.data).toMatchObject([{ name: "a" }]);
  });

  test("an isolated user sees shared documents and the own ones, and changes the own ones only", async () => {
    const pair = makePair();
    await using server = await openServer(await openDatabase(), {
      knowledge: [manual],
      authorization: { verificationKeys: [pair.pem], userIsolation: true },
    });
    const scopes = ["knowledge:read", "knowledge:write", "knowledge:delete"];
    const [ada, bob, admin] = [
      token({ sub: "ada", scopes }, pair),
      token({ sub: "bob", scopes }, pair),
      token({ sub: "root", scopes: ["agent_os:admin"] }, pair),
    ];
    const add = async (name: string, bearer: string): Promise<string> => {
      const body = form({ name, text_content: `Resume note of ${name}` });
      const added = await send(server, "POST", "/knowledge/content", body, bearer);
      await completed(server, `/knowledge/content/${added.body.id}`, bearer);
      return added.body.id;
    };
    const own = await add("ada-note", ada);
    await add("bob-note", bob);
    const search = async (bearer: string): Promise<string[]> => {
      const { body } = await send(server, "POST", "/knowledge/search", { query: "resume note" }, bearer);
      return body.data.map(({ name }: { name: string }) => name).sort();
    };
    expect(await search(ada)).toEqual(["ada-note"]);
    expect(await search(bob)).toEqual(["bob-note"]);
    for (const [method, path] of [
      ["GET", `/knowledge/content/${own}`],
      ["GET", `/knowledge/content/${own}/chunks`],
      ["GET", `/knowledge/content/${own}/status`],
      ["PATCH", `/knowledge/content/${own}`],
      ["POST", `/knowledge/content/${own}/retry`],
    ] as const)
      expect([path, (await send(server, method, path, undefined, bob)).status]).toEqual([path, 404]);
    expect((await send(server, "DELETE", `/knowledge/content/${own}`, undefined, bob)).status).toBe(200);
    expect(await search(ada)).toEqual(["ada-note"]);
    expect(await search(admin)).toEqual(["ada-note", "bob-note"]);
    const shared = await add("shared-note", admin);
    expect(await search(ada)).toEqual(["ada-note", "shared-note"]);
    expect((await send(server, "GET", "/knowledge", undefined, ada)).body).toMatchObject([{ documents: 2 }]);
    expect((await send(server, "PATCH", `/knowledge/content/${shared}`, form({ name: "x" }), ada)).status).toBe(403);
    const reader = token({ sub: "ada", scopes: ["knowledge:read"] }, pair);
    expect((await send(server, "POST", "/knowledge/content", form({ text_content: "x" }), reader)).status).toBe(403);
    expect(
      (await send(server, "GET", "/knowledge/content", undefined, token({ sub: "ada", scopes: [] }, pair))).status,
    ).toBe(403);
  });
});
