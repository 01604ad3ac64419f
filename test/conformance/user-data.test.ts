/** `DELETE /users/{user_id}/data`: who may call it, which ids it takes, and what callers see of the user's runs. */
import { expect, onTestFinished, test } from "vitest";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";

const pair = makePair();
const { agents } = conformancePlatform();
const path = "/agents/plain-agent/runs";

/** The headers of a user with scopes. */
function as(sub: string, scopes: readonly string[], claims: object = {}): Record<string, string> {
  return bearer(token({ sub, scopes, ...claims }, pair));
}

const usual = ["agents:run", "agents:read", "sessions:read", "sessions:write"];
const admin = as("root", ["agent_os:admin"]);

type Options = Parameters<typeof openServer>[1];

async function serve(database: TestDatabase, options: Partial<Options> = {}) {
  const server: OpenServer = await openServer(database, { agents, ...options } as Options);
  onTestFinished(() => server.end(0));
  const { port } = server.app.server.address() as { port: number };
  return { server, client: new Client(`http://127.0.0.1:${port}`) };
}

const authorization = { verificationKeys: [pair.pem], userIsolation: true };

function erase(client: Client, user: string, headers: Record<string, string> = {}) {
  return client.send(`/users/${user}/data`, { method: "DELETE", headers });
}

eachDatabase("DELETE /users/{user_id}/data", (openDatabase) => {
  test("[J9] only an admin may call it: not the user, and not a caller with every other scope", async () => {
    const scopeMappings = { "DELETE /users/{user_id}/data": ["privacy:erase"] };
    const { client } = await serve(await openDatabase(), { authorization });
    await client.post(path, { message: "hello", stream: false, session_id: "s" }, as("alice", usual));
    const scopes = [...usual, "users:delete", "sessions:delete", "agents:delete", "agent_os:*:admin", "*"];
    for (const sub of ["alice", "bob"]) {
      const { status, json } = await erase(client, "alice", as(sub, scopes));
      expect([status, json.detail]).toEqual([403, expect.stringMatching(/agent_os:admin|Only an admin/)]);
    }
    expect((await erase(client, "alice")).status).toBe(401);
    const bound = as("root", ["agent_os:admin"], { session_id: "s" });
    expect((await erase(client, "alice", bound)).status).toBe(403);
    expect((await client.get("/sessions/s", as("alice", usual))).status).toBe(200);
    const mapped = await serve(await openDatabase(), { authorization: { ...authorization, scopeMappings } });
    expect((await erase(mapped.client, "alice", as("alice", ["privacy:erase"]))).status).toBe(403);
  });

  test("an admin removes the user's sessions and runs, and other users keep theirs", async () => {
    const { client } = await serve(await openDatabase(), { authorization });
    for (const user of ["alice", "bob"])
      for (const session of ["one", "two"])
        await client.post(path, { message: "hello", stream: false, session_id: session }, as(user, usual));
    const report = await erase(client, "alice", admin);
    expect(report.status).toBe(200);
    expect(report.json).toMatchObject({
      user_id: "alice",
      complete: true,
      removed: { runs: 2, member_runs: 0, sessions: 2, schedules: 0, messages: expect.any(Number) },
      anonymized: { sessions: 0, approvals: 0, service_accounts: 0, pending_usage: expect.any(Number) },
    });
    expect(report.json.removed.events).toBeGreaterThan(4);
    expect((await client.get("/sessions/one", as("alice", usual))).status).toBe(404);
    expect((await client.get("/sessions/one", as("bob", usual))).status).toBe(200);
    const again = await erase(client, "alice", admin);
    expect(again.json).toMatchObject({ complete: true, removed: { runs: 0, sessions: 0, events: 0 } });
  });

  test("cancels a run in progress and a paused run; a follower gets an error frame", async () => {
    const { client } = await serve(await openDatabase());
    const live = await client.stream(path, { message: "slow please, many words", user_id: "alice", session_id: "s" });
    const paused = { message: "money", stream: false, user_id: "alice", session_id: "p" };
    const { json } = await client.post("/agents/hitl-agent/runs", paused);
    expect(json.status).toBe("PAUSED");
    const following = live.all();
    const report = await erase(client, "alice");
    expect(report.json).toMatchObject({ complete: true, removed: { runs: 2, sessions: 2, approvals: 1 } });
    const last = (await following).at(-1);
    expect(["error", "RunCancelled"]).toContain(last?.event);
    for (const [agent, id] of [
      ["plain-agent", live.runId],
      ["hitl-agent", json.run_id],
    ])
      expect((await client.get(`/agents/${agent}/runs/${id}?session_id=s`)).status).toBe(404);
    expect((await client.get("/approvals")).json.data).toEqual([]);
  });

  test("takes the user's id as it is stored, whatever its characters, and rejects an id that no user can have", async () => {
    const { client } = await serve(await openDatabase());
    const ids = [
      "a/b",
      "..",
      "ä ö",
      "100%",
      "a?b#c",
      "😀",
      "__proto__",
      "x".repeat(255),
      "sa:robot",
      "' or 1=1 --",
      "%2F",
    ];
    for (const id of ids) {
      const fields = { message: "hello", stream: false, user_id: id, session_id: `of ${id}`.slice(0, 200) };
      const { status } = await client.post(path, fields);
      const { status: erased, json } = await erase(client, encodeURIComponent(id).replaceAll(".", "%2E"));
      expect([id, erased, json.user_id, json.removed?.runs]).toEqual([id, 200, id, status === 200 ? 1 : 0]);
    }
    const rejected = ["%00", "a%0Ab", "x".repeat(256), "x".repeat(5_000), "", "%ED%A0%80", "%", "%zz"];
    for (const id of rejected) {
      const { status, json } = await erase(client, id);
      expect([id, status >= 400 && status < 500, typeof json.detail]).toEqual([
        id,
        true,
        Array.isArray(json.detail) ? "object" : "string",
      ]);
    }
    expect((await client.send("/users/alice/data", { method: "GET" })).status).toBe(405);
  });
});
