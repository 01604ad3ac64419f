/** The routes of memories, as recorded, and where they differ: see docs/compatibility.md. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Answer, Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const scopes = ["memories:read", "memories:write", "memories:delete"];
const as = (sub: string, claims: object = {}) => bearer(token({ sub, scopes, ...claims }, pair));
const authorization = { verificationKeys: [pair.pem] };

async function serve(database: TestDatabase, options: Partial<PlatformOptions> = {}) {
  const agent = defineAgent({ id: "agent", model: scriptedModel(() => "done") });
  const platform = definePlatform({ id: "test", databaseId: "main", agents: [agent], ...options });
  const { server, client } = await startServer(database, platform);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

type Headers = Record<string, string>;

function send(client: Client, method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  return client.send(path, { method, headers: { "content-type": "application/json", ...headers }, ...json });
}

const create = async (client: Client, body: object, headers: Headers = {}) =>
  (await send(client, "POST", "/memories", body, headers)).json;

const texts = ({ json }: Answer): string[] => json.data.map(({ memory }: { memory: string }) => memory);
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const meta = (change: object = {}) => ({
  ...{ page: 1, limit: 20, total_pages: 1, total_count: 1, search_time_ms: expect.any(Number) },
  ...change,
});

eachDatabase("memories over HTTP", (openDatabase) => {
  test("the recorded exchanges have the recorded answers", async () => {
    const client = await serve(await openDatabase());
    const tea = { memory: "likes tea", topics: ["food"], user_id: "u1" };
    const created = await send(client, "POST", "/memories", tea);
    const { memory_id: id } = created.json;
    const record = { memory_id: id, ...tea, agent_id: null, team_id: null, updated_at: expect.stringMatching(time) };
    expect([created.status, created.json]).toEqual([200, record]);
    expect(Object.keys(created.json)).toEqual([
      ...["memory_id", "memory", "topics", "agent_id", "team_id", "user_id", "updated_at"],
    ]);
    const anonymous = await send(client, "POST", "/memories", { memory: "anonymous one" });
    expect([anonymous.status, anonymous.json.detail]).toEqual([400, "User ID is required"]);
    const missing = await send(client, "POST", "/memories", {});
    expect([missing.status, missing.json]).toEqual([
      ...[422, { detail: "body.memory: Field required", error_code: "VALIDATION_ERROR" }],
    ]);

    expect((await client.get("/memories")).json).toEqual({ data: [record], meta: meta() });
    const filters = "user_id=u1&topics=food&search_content=tea&limit=1&page=1&sort_by=updated_at&sort_order=desc";
    expect((await client.get(`/memories?${filters}`)).json).toEqual({ data: [record], meta: meta({ limit: 1 }) });
    const none = { data: [], meta: meta({ total_pages: 0, total_count: 0 }) };
    for (const query of ["topics=none", "agent_id=x&team_id=y", "user_id=u2", "search_content=coffee"])
      expect([query, (await client.get(`/memories?${query}`)).json]).toEqual([query, none]);

    expect((await client.get(`/memories/${id}`)).json).toEqual(record);
    for (const [path, name] of [
      [`/memories/${id}?user_id=other`, id],
      ["/memories/nope", "nope"],
    ]) {
      const answer = await client.get(path as string);
      expect([answer.status, answer.json.detail]).toEqual([404, `Memory with ID ${name} not found`]);
    }
    const coffee = { memory: "likes coffee", topics: ["food", "drink"], user_id: "u1" };
    const changed = await send(client, "PATCH", `/memories/${id}`, coffee);
    expect([changed.status, changed.json]).toEqual([200, { ...record, ...coffee }]);
    const nobody = await send(client, "PATCH", `/memories/${id}`, { memory: "likes x" });
    expect([nobody.status, nobody.json.detail]).toEqual([400, "User ID is required"]);
    expect((await client.get("/memory_topics")).json).toEqual(["food", "drink"]);
    await create(client, { memory: "q", user_id: "u1" });
    const stats = await client.get("/user_memory_stats");
    const user = { user_id: "u1", total_memories: 2, last_memory_updated_at: expect.stringMatching(time) };
    expect(stats.json).toEqual({ data: [user], meta: meta() });

    const deletions: [string, string, object | undefined][] = [
      ["DELETE", `/memories/${id}`, undefined],
      ["DELETE", "/memories/nope", undefined],
      ["DELETE", "/memories", { memory_ids: ["a", "b"] }],
    ];
    for (const [method, path, body] of deletions) {
      const answer = await send(client, method, path, body);
      expect([path, answer.status, answer.text]).toEqual([path, 204, ""]);
    }
    const empty = await send(client, "DELETE", "/memories", { memory_ids: [] });
    expect([empty.status, empty.json.detail]).toEqual([422, expect.stringContaining("memory_ids")]);
    expect((await client.send("/memories", { method: "DELETE" })).status).toBe(422);
    expect((await client.get(`/memories/${id}`)).status).toBe(404);
  });

  test("traps of the recorded interface are mended", async () => {
    const client = await serve(await openDatabase());
    const unknown = await send(client, "PATCH", "/memories/nope", { memory: "q", user_id: "u1" });
    expect([unknown.status, unknown.json.detail]).toEqual([404, "Memory not found"]);
    const { memory_id: id } = await create(client, { memory: "a", topics: ["x"], user_id: "u1" });
    expect((await send(client, "PATCH", `/memories/${id}`, { memory: "b", user_id: "u2" })).status).toBe(404);
    expect((await send(client, "PATCH", `/memories/${id}`, { memory: "b", user_id: "u1" })).json).toMatchObject({
      memory: "b",
      topics: ["x"],
    });
    const beyond = meta({ page: 2, limit: 1, total_pages: 1, total_count: 1 });
    expect((await client.get("/user_memory_stats?limit=1&page=2")).json).toEqual({ data: [], meta: beyond });
    expect((await client.get("/memories?limit=1&page=2")).json).toEqual({ data: [], meta: beyond });
    expect((await client.get("/memories?db_id=other")).status).toBe(404);
    expect((await client.get("/memories?db_id=main&table=memories")).status).toBe(200);
    expect((await client.get("/memories?table=memories")).status).toBe(400);
  });

  test("bad input gets 422 that names the place of its fault", async () => {
    const client = await serve(await openDatabase());
    const good = { memory: "a", user_id: "u" };
    const bodies: [object, string][] = [
      [{ ...good, memory: "" }, "body.memory"],
      [{ ...good, memory: "x".repeat(5_001) }, "body.memory"],
      [{ ...good, memory: "\ud800" }, "body.memory"],
      [{ ...good, memory: 1 }, "body.memory"],
      [{ ...good, topics: "food" }, "body.topics"],
      [{ ...good, topics: ["x".repeat(101)] }, "body.topics.0"],
      [{ ...good, topics: Array.from({ length: 21 }, (_, n) => `t${n}`) }, "body.topics"],
      [{ ...good, user_id: "a\0b" }, "body.user_id"],
    ];
    for (const [body, place] of bodies) {
      const { status, json } = await send(client, "POST", "/memories", body);
      expect([status, json.detail, json.error_code]).toEqual([422, expect.stringContaining(place), "VALIDATION_ERROR"]);
    }
    const queries = ["limit=0", "page=-1", "limit=x", "sort_order=up", "cursor=x", "user_id=%00", "cursor=WzEsMiwzXQ"];
    for (const query of queries) expect([query, (await client.get(`/memories?${query}`)).status]).toEqual([query, 422]);
    expect((await create(client, { ...good, memory: "NUL \0 and 雪" })).memory).toBe("NUL \0 and 雪");
    expect(texts(await client.get("/memories?sort_by=memory&limit=1000000"))).toHaveLength(1);
  });

  test("the Link header leads through all memories once, also while memories change, and with filters", async () => {
    const client = await serve(await openDatabase());
    const all: string[] = [];
    for (let n = 0; n < 5; n++) {
      all.push(`fact ${n}`);
      await create(client, { memory: `fact ${n}`, topics: n % 2 === 0 ? ["even"] : [], user_id: "u" });
    }
    for (const filter of ["", "&search_content=FACT", "&sort_by=created_at", "&user_id=u"]) {
      for (const order of ["asc", "desc"]) {
        const seen: string[] = [];
        for (let path: string | undefined = `/memories?limit=2&sort_order=${order}${filter}`; path; ) {
          const page: Answer = await client.get(path);
          seen.push(...texts(page));
          expect(page.json.meta.total_count).toBe(5);
          path = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ""))?.[1];
        }
        expect(seen).toEqual(order === "asc" ? all : all.toReversed());
      }
    }
    expect(texts(await client.get("/memories?topics=even,missing"))).toEqual([]);
    expect(texts(await client.get("/memories?topics=even&sort_order=asc&limit=2&page=2"))).toEqual(["fact 4"]);
  });

  test("with user isolation, a caller reads and changes its own memories only, and an admin those of every user", async () => {
    const client = await serve(await openDatabase(), { authorization: { ...authorization, userIsolation: true } });
    const [alice, bob, root] = [as("alice"), as("bob"), as("root", { scopes: ["agent_os:admin"] })];
    const mine = await create(client, { memory: "of alice", topics: ["a"], user_id: "bob" }, alice);
    expect(mine.user_id).toBe("alice");
    await create(client, { memory: "of bob", topics: ["b"] }, bob);
    const path = `/memories/${mine.memory_id}`;
    expect((await client.get(path, bob)).status).toBe(404);
    const patched = await send(client, "PATCH", path, { memory: "x", user_id: "alice" }, bob);
    expect([patched.status, patched.json.detail]).toEqual([404, "Memory not found"]);
    expect((await send(client, "DELETE", path, undefined, bob)).status).toBe(204);
    expect((await send(client, "DELETE", "/memories", { memory_ids: [mine.memory_id] }, bob)).status).toBe(204);
    for (const query of ["", "?user_id=alice", "?search_content=of"])
      expect(texts(await client.get(`/memories${query}`, bob))).toEqual(["of bob"]);
    expect((await client.get("/memory_topics?user_id=alice", bob)).json).toEqual(["b"]);
    const users = ({ json }: Answer) => json.data.map((user: { user_id: string }) => user.user_id);
    expect(users(await client.get("/user_memory_stats?user_id=alice", bob))).toEqual(["bob"]);
    expect(users(await client.get("/user_memory_stats", root))).toEqual(["bob", "alice"]);
    expect(texts(await client.get("/memories?user_id=alice", root))).toEqual(["of alice"]);
    expect((await send(client, "PATCH", path, { memory: "by root", user_id: "alice" }, root)).json).toMatchObject({
      user_id: "alice",
    });
    expect((await client.get(path, alice)).json.memory).toBe("by root");
    const bound = await client.get("/memories", as("alice", { session_id: "s" }));
    expect([bound.status, bound.json.detail]).toEqual([403, expect.stringContaining("one session only")]);
  });

  test("without user isolation, a caller names the user; a reserved user is rejected", async () => {
    const client = await serve(await openDatabase(), { authorization });
    expect((await create(client, { memory: "m" }, as("alice"))).user_id).toBe("alice");
    expect((await create(client, { memory: "m", user_id: "bob" }, as("alice"))).user_id).toBe("bob");
    const reserved = await send(client, "POST", "/memories", { memory: "m", user_id: "sa:x" }, as("alice"));
    expect(reserved.status).toBe(403);
  });
});
