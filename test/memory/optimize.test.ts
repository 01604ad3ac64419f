/** `POST /optimize-memories`: merges by a model. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import type { Client } from "../conformance/support/client.ts";
import { startServer } from "../conformance/support/server.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";

const headers = { "content-type": "application/json" };
const post = (client: Client, path: string, body: object, more = {}) =>
  client.send(path, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });

async function serve(
  database: TestDatabase,
  answer: (call: ScriptedCall) => unknown,
  options: Partial<PlatformOptions> = {},
): Promise<Client> {
  const toText = async (call: ScriptedCall): Promise<string> => {
    const given = await answer(call);
    return typeof given === "string" ? given : JSON.stringify({ memories: given });
  };
  const model = scriptedModel(toText);
  const platform = definePlatform({
    id: "test",
    agents: [defineAgent({ id: "agent", model, memory: {} })],
    ...options,
  });
  const { server, client } = await startServer(database, platform);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

const facts = ["Has a cat named Tom.", "Likes tea.", "Tom is three years old.", "Likes tea a lot."];

async function store(client: Client, user = "u", more = {}): Promise<void> {
  for (const memory of facts) await post(client, "/memories", { memory, user_id: user }, more);
}

const textsOf = async (client: Client, more = {}): Promise<string[]> =>
  (await client.get("/memories?sort_order=asc", more)).json.data.map(({ memory }: { memory: string }) => memory);

/** The numbers of memories in the request, by their texts. */
const numbersIn = ({ message }: ScriptedCall, ...texts: string[]): number[] =>
  texts.map((text) =>
    Number(new RegExp(`"number":(\\d+),"memory":"${text.replaceAll(".", "\\.")}"`).exec(message)?.[1]),
  );

const merged = (call: ScriptedCall) => [
  { numbers: numbersIn(call, facts[0]!, facts[2]!), memory: "Has a cat named Tom, three years old.", topics: ["pets"] },
  { numbers: [...numbersIn(call, facts[3]!), 77], memory: "Likes tea a lot.", topics: [] },
];

eachDatabase("optimization of memories", (openDatabase) => {
  test("a preview changes nothing; applied, memories are merged, and a memory that the model does not name stays", async () => {
    const client = await serve(await openDatabase(), merged);
    await store(client);
    const preview = await post(client, "/optimize-memories", { user_id: "u", apply: false });
    expect(preview.status).toBe(200);
    const { memories, ...sums } = preview.json;
    expect(memories.map(({ memory }: { memory: string }) => memory).sort()).toEqual([
      ...["Has a cat named Tom, three years old.", "Likes tea a lot.", "Likes tea."],
    ]);
    expect(sums).toMatchObject({ memories_before: 4, memories_after: 3, tokens_before: 18, tokens_after: 17 });
    expect(sums).toMatchObject({ tokens_saved: 1, reduction_percentage: 5.56 });
    expect(await textsOf(client)).toEqual(facts);
    const applied = await post(client, "/optimize-memories", { user_id: "u", model: "scripted:scripted-model" });
    expect(applied.json.memories_after).toBe(3);
    expect((await textsOf(client)).sort()).toEqual([
      ...["Has a cat named Tom, three years old.", "Likes tea a lot.", "Likes tea."],
    ]);
    const { data } = (await client.get("/memories?topics=pets")).json;
    expect(data).toMatchObject([{ source: { origin: "optimization" } }]);
  });

  test("an unknown user gets 404, an unknown model 422, a model that fails 502, and nothing changes", async () => {
    let answer: unknown = "not JSON";
    const client = await serve(await openDatabase(), () => {
      if (answer === "fails") throw new Error("no answer");
      return answer;
    });
    await store(client);
    const unknown = await post(client, "/optimize-memories", { user_id: "nobody" });
    expect([unknown.status, unknown.json.detail]).toEqual([404, "No memories found for user nobody"]);
    const model = await post(client, "/optimize-memories", { user_id: "u", model: "openai:gpt-4o" });
    expect([model.status, model.json.detail]).toEqual([422, expect.stringContaining("scripted-model")]);
    expect((await post(client, "/optimize-memories", {})).status).toBe(422);
    expect((await post(client, "/optimize-memories", { user_id: "u" })).status).toBe(502);
    answer = "fails";
    expect((await post(client, "/optimize-memories", { user_id: "u" })).status).toBe(502);
    expect(await textsOf(client)).toEqual(facts);
  });

  test("memories that change during the request are not replaced, and the answer is 409", async () => {
    let change: () => Promise<unknown> = async () => undefined;
    const client = await serve(await openDatabase(), async (call) => {
      await change();
      return merged(call);
    });
    await store(client);
    const [{ memory_id: id }] = (await client.get("/memories")).json.data;
    const body = JSON.stringify({ memory: "Hates tea.", user_id: "u" });
    change = () => client.send(`/memories/${id}`, { method: "PATCH", headers, body });
    expect((await post(client, "/optimize-memories", { user_id: "u" })).status).toBe(409);
    expect((await textsOf(client)).sort()).toEqual([...facts.slice(0, 3), "Hates tea."].sort());
    // A memory that is added meanwhile stays, and the others are merged.
    const [{ memory_id: changed }] = (await client.get("/memories?search_content=Hates")).json.data;
    const again = JSON.stringify({ memory: facts[3], user_id: "u" });
    await client.send(`/memories/${changed}`, { method: "PATCH", headers, body: again });
    change = () => post(client, "/memories", { memory: "New.", user_id: "u" });
    expect((await post(client, "/optimize-memories", { user_id: "u" })).status).toBe(200);
    expect(await textsOf(client)).toContain("New.");
  });

  test("with user isolation, a caller merges its own memories only", async () => {
    const pair = makePair();
    const as = (sub: string) => bearer(token({ sub, scopes: ["memories:read", "memories:write"] }, pair));
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    const client = await serve(await openDatabase(), merged, { authorization });
    await store(client, "alice", as("alice"));
    const foreign = await post(client, "/optimize-memories", { user_id: "alice" }, as("bob"));
    expect([foreign.status, foreign.json.detail]).toEqual([404, "No memories found for user bob"]);
    expect(await textsOf(client, as("alice"))).toEqual(facts);
    expect((await post(client, "/optimize-memories", { user_id: "bob" }, as("alice"))).json.memories_after).toBe(3);
  });
});
