/** The routes of learnings: the recorded exchanges, identities and their conflicts, users, and input that does not fit. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Answer, Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const scopes = ["learnings:read", "learnings:write", "learnings:delete"];
const as = (sub: string, claims: object = {}) => bearer(token({ sub, scopes, ...claims }, pair));
const admin = as("root", { scopes: ["agent_os:admin"] });
const agent = defineAgent({ id: "agent", model: scriptedModel(() => "done") });
const authorization = { verificationKeys: [pair.pem], userIsolation: true };

async function serve(database: TestDatabase, options: Partial<PlatformOptions> = {}): Promise<Client> {
  const { server, client } = await startServer(database, definePlatform({ id: "test", agents: [agent], ...options }));
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

type Headers = Record<string, string>;

const post = (client: Client, body: object | string, headers: Headers = {}): Promise<Answer> =>
  send(client, "POST", "/learnings", body, headers);

const patch = (client: Client, id: string, body: object, headers: Headers = {}): Promise<Answer> =>
  send(client, "PATCH", `/learnings/${encodeURIComponent(id)}`, body, headers);

const remove = (client: Client, path: string, headers: Headers = {}): Promise<Answer> =>
  client.send(`/learnings/${path}`, { method: "DELETE", headers });

function send(client: Client, method: string, path: string, body: object | string, headers: Headers): Promise<Answer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return client.send(path, { method, headers: { "content-type": "application/json", ...headers }, body: text });
}

const profile = { learning_type: "user_profile", content: { a: 1 }, user_id: "u1" };
const seconds = expect.any(Number);

eachDatabase("learnings over HTTP", (openDatabase) => {
  test("the recorded exchanges have the recorded answers", async () => {
    const client = await serve(await openDatabase());
    const time = { search_time_ms: expect.any(Number) };
    const empty = await client.get("/learnings");
    expect(empty.json).toEqual({
      data: [],
      meta: { page: 1, limit: 100, total_pages: 0, total_count: 0, ...time },
    });
    const record = {
      ...{ learning_id: "user_profile_u1", learning_type: "user_profile", namespace: null, user_id: "u1" },
      ...{ agent_id: null, team_id: null, session_id: null, entity_id: null, entity_type: null, content: { a: 1 } },
      ...{ metadata: null, created_at: seconds, updated_at: seconds },
    };
    const created = await post(client, profile);
    expect([created.status, created.json]).toEqual([201, record]);
    expect(Object.keys(created.json)).toEqual(Object.keys(record));
    expect((await post(client, {})).status).toBe(422);
    expect((await client.get("/learnings/users")).json).toEqual({
      data: [{ user_id: "u1", last_learning_updated_at: seconds }],
      meta: { page: 1, limit: 20, total_pages: 1, total_count: 1, ...time },
    });
    const unknown = await client.get("/learnings/nope");
    expect([unknown.status, unknown.json.detail]).toEqual([404, "Learning not found"]);
    expect((await client.get("/learnings/user_profile_u1")).json).toEqual(record);
    const changed = { ...record, content: { b: 2 } };
    expect((await patch(client, "user_profile_u1", { content: { b: 2 } })).json).toEqual(changed);
    expect((await client.get("/learnings?user_id=u1")).json).toEqual({
      data: [changed],
      meta: { page: 1, limit: 100, total_pages: 1, total_count: 1, ...time },
    });
    const [first, second] = [await remove(client, "user_profile_u1"), await remove(client, "user_profile_u1")];
    expect([first.status, first.text]).toEqual([204, ""]);
    expect([second.status, second.json.detail]).toEqual([404, "Learning not found"]);
    expect((await remove(client, "users/u1")).status).toBe(204);
  });

  test("the identity determines the id, an identity has one learning, and other types have generated ids", async () => {
    const client = await serve(await openDatabase());
    const content = { a: 1 };
    const entity = { learning_type: "entity_memory", entity_id: "acme", entity_type: "company", content };
    const cases = [
      [profile, "user_profile_u1"],
      [{ learning_type: "user_memory", user_id: "u1", content }, "memories_u1"],
      [{ learning_type: "session_context", session_id: "s1", content }, "session_context_s1"],
      [entity, "entity_global_company_acme"],
      [{ ...entity, namespace: "sales" }, "entity_sales_company_acme"],
      [{ ...entity, namespace: "user", user_id: "u1" }, "entity_user_u1_company_acme"],
    ] as const;
    for (const [body, id] of cases) {
      expect((await post(client, body)).json.learning_id).toBe(id);
      const again = await post(client, { ...body, content: { a: 2 } });
      expect([again.status, again.json.detail]).toEqual([
        409,
        `A '${body.learning_type}' learning already exists for this identity (id '${id}'). Use PATCH /learnings/${id} to update it.`,
      ]);
      expect((await client.get(`/learnings/${id}`)).json.content).toEqual(content);
    }
    for (const type of ["decision_log", "learned_knowledge", "own type"])
      for (let round = 0; round < 2; round++)
        expect((await post(client, { learning_type: type, content })).json.learning_id).toMatch(/^[0-9a-f-]{36}$/);
    for (const [type, more] of [
      ["user_profile", { session_id: "s" }],
      ["user_memory", {}],
      ["session_context", { user_id: "u" }],
      ["entity_memory", { entity_id: "e" }],
      ["entity_memory", { entity_type: "e" }],
    ] as const) {
      const refused = await post(client, { learning_type: type, content, ...more });
      expect([refused.status, refused.json.detail]).toEqual([
        422,
        `learning_type '${type}' is keyed by its identity fields; provide the required field(s) (user_id, session_id, ` +
          "or entity_id + entity_type) so the record reconciles with the agent's store.",
      ]);
    }
    expect((await client.get("/learnings?namespace=sales")).json.meta.total_count).toBe(1);
    expect((await client.get("/learnings?learning_type=decision_log&sort_order=asc&sort_by=nothing")).status).toBe(200);
  });

  test("a change replaces the members that it names, and null removes the metadata only", async () => {
    const client = await serve(await openDatabase());
    await post(client, { ...profile, metadata: { m: 1 } });
    const read = async () => {
      const { content, metadata } = (await client.get("/learnings/user_profile_u1")).json;
      return { content, metadata };
    };
    expect((await patch(client, "user_profile_u1", {})).json).toMatchObject({ content: { a: 1 }, metadata: { m: 1 } });
    await patch(client, "user_profile_u1", { content: { z: 9 } });
    expect(await read()).toEqual({ content: { z: 9 }, metadata: { m: 1 } });
    await patch(client, "user_profile_u1", { metadata: null });
    expect(await read()).toEqual({ content: { z: 9 }, metadata: null });
    const refused = await patch(client, "user_profile_u1", { content: null });
    expect([refused.status, refused.json.detail]).toEqual([
      422,
      "content cannot be null; omit the field to leave it unchanged",
    ]);
    expect((await patch(client, "nope", { content: {} })).status).toBe(404);
  });

  test("an isolated user reads its own learnings and those without a user, and changes only its own", async () => {
    const client = await serve(await openDatabase(), { authorization });
    const own = await post(client, { learning_type: "user_profile", content: { n: "A" } }, as("alice"));
    expect([own.status, own.json.learning_id, own.json.user_id]).toEqual([201, "user_profile_alice", "alice"]);
    const shared = await post(client, { learning_type: "decision_log", content: { all: 1 } }, admin);
    expect(shared.json.user_id).toBeNull();
    const context = { learning_type: "session_context", session_id: "s", content: {} };
    expect((await post(client, context, as("alice"))).status).toBe(201);
    // Another user's context of the same session id is neither a conflict nor visible.
    expect((await post(client, context, as("bob"))).status).toBe(201);
    expect(
      (await client.get("/learnings", as("bob"))).json.data.map((one: Answer["json"]) => one.user_id).sort(),
    ).toEqual(["bob", null]);
    for (const path of ["/learnings?user_id=alice", "/learnings/users?user_id=alice"])
      expect([path, (await client.get(path, as("bob"))).status]).toEqual([path, 403]);
    expect((await client.get("/learnings?user_id=alice", as("bob"))).json.detail).toBe(
      "Cannot list learnings for another user",
    );
    const forged = await post(client, profile, as("bob"));
    expect([forged.status, forged.json.detail]).toEqual([403, "Cannot create learnings for another user"]);
    for (const answer of [
      await client.get("/learnings/user_profile_alice", as("bob")),
      await patch(client, "user_profile_alice", { content: {} }, as("bob")),
      await remove(client, "user_profile_alice", as("bob")),
    ])
      expect([answer.status, answer.json.detail]).toEqual([404, "Learning not found"]);
    expect((await client.get(`/learnings/${shared.json.learning_id}`, as("bob"))).status).toBe(200);
    for (const answer of [
      await patch(client, shared.json.learning_id, { content: {} }, as("bob")),
      await remove(client, shared.json.learning_id, as("bob")),
    ])
      expect([answer.status, answer.json.detail]).toEqual([
        403,
        "Only admins can modify learnings that have no owner (user_id is null)",
      ]);
    const others = await remove(client, "users/alice", as("bob"));
    expect([others.status, others.json.detail]).toEqual([403, "Cannot delete learnings for another user"]);
    expect((await client.get("/learnings/users", as("bob"))).json.data).toMatchObject([{ user_id: "bob" }]);
    // An admin names the user where several users have a learning of one id.
    expect((await client.get("/learnings/session_context_s", admin)).status).toBe(409);
    expect((await client.get("/learnings/session_context_s?user_id=bob", admin)).json.user_id).toBe("bob");
    expect((await remove(client, "users/bob", as("bob"))).status).toBe(204);
    expect((await client.get("/learnings/users", admin)).json.data).toMatchObject([{ user_id: "alice" }]);
  });

  test("pages are linked, and a link continues after the last learning", async () => {
    const client = await serve(await openDatabase());
    for (let n = 0; n < 5; n++) await post(client, { learning_type: "decision_log", content: { n } });
    const seen: number[] = [];
    let path: string | undefined = "/learnings?limit=2&learning_type=decision_log";
    for (let pages = 0; path !== undefined && pages < 9; pages++) {
      const { json, headers } = await client.get(path);
      expect(json.meta.total_count).toBe(5);
      seen.push(...json.data.map((one: { content: { n: number } }) => one.content.n));
      path = /^<(.+)>; rel="next"$/.exec(String(headers.link ?? ""))?.[1];
    }
    expect(seen.sort()).toEqual([0, 1, 2, 3, 4]);
    const beyond = await client.get("/learnings?limit=2&page=9");
    expect([beyond.status, beyond.json.data, beyond.json.meta.total_pages]).toEqual([200, [], 3]);
  });

  test("input that does not fit gets 4xx", async () => {
    const client = await serve(await openDatabase());
    const bad: readonly (readonly [Promise<Answer>, number])[] = [
      [client.get("/learnings?limit=0"), 422],
      [client.get("/learnings?limit=1001"), 422],
      [client.get("/learnings?page=0"), 422],
      [client.get("/learnings?sort_order=up"), 422],
      [client.get("/learnings?user_id=a%00b"), 422],
      [client.get("/learnings?cursor=nonsense"), 422],
      [client.get(`/learnings?cursor=${Buffer.from('[1,"\\u0000",""]').toString("base64url")}`), 422],
      [client.get("/learnings?db_id=other"), 404],
      [client.get("/learnings?table=learnings"), 400],
      [client.get("/learnings?db_id=main&table=other"), 404],
      [client.get("/learnings?db_id=main&table=learnings"), 200],
      [client.get("/learnings/a%00b"), 422],
      [client.get(`/learnings/${"x".repeat(3_000)}`), 422],
      [client.get("/learnings/users?limit=0"), 422],
      [post(client, { ...profile, content: "text" }), 422],
      [post(client, { ...profile, content: [1] }), 422],
      [post(client, { ...profile, learning_type: "" }), 422],
      [post(client, { ...profile, learning_type: "x".repeat(300) }), 422],
      [post(client, { ...profile, user_id: 7 }), 422],
      [post(client, { ...profile, user_id: "\ud800" }), 422],
      [post(client, { ...profile, metadata: "x" }), 422],
      [post(client, "{"), 422],
      [post(client, "[]"), 422],
      [patch(client, "x", { content: 7 }), 422],
      [remove(client, "users/a%00b"), 422],
    ];
    for (const [place, [answer, status]] of bad.entries())
      expect([place, (await answer).status]).toEqual([place, status]);
    // NUL within content is text of JSON.
    const content = { "a\0": "b\0\ud83d" };
    expect((await post(client, { ...profile, content })).json.content).toEqual(content);
  });
});
