/** The routes of components and their versions: the recorded exchanges, stages, code-defined components, callers, and hostile input. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Answer, Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const scopes = ["components:read", "components:write", "components:delete"];
const as = (sub: string, claims: object = {}) => bearer(token({ sub, scopes, ...claims }, pair));
const authorization = { verificationKeys: [pair.pem], userIsolation: true };
const model = scriptedModel(() => "done");
const agent = defineAgent({ id: "support", name: "Support", model, instructions: "Be kind." });
const twin = defineAgent({ id: "twin", model });
const team = defineTeam({ id: "twin", model, members: [agent] });

async function serve(database: TestDatabase, options: Partial<PlatformOptions> = {}): Promise<Client> {
  const platform = definePlatform({ id: "test", agents: [agent, twin], teams: [team], ...options });
  const { server, client } = await startServer(database, platform);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

type Headers = Record<string, string>;

/** Sends a request, and returns the status and the answer without its times. */
async function exchange(
  client: Client,
  method: string,
  path: string,
  body?: object,
  headers: Headers = {},
): Promise<unknown> {
  const { status, text } = await send(client, method, path, body, headers);
  const plain = text
    .replaceAll(/"search_time_ms":[\d.]+/g, '"search_time_ms":0')
    .replaceAll(/"(created|updated)_at":\d+/g, '"$1_at":1');
  return plain === "" ? status : [status, JSON.parse(plain)];
}

function send(client: Client, method: string, path: string, body?: object, headers: Headers = {}): Promise<Answer> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return client.send(`/components${path}`, { method, headers: { ...type, ...headers }, ...sent });
}

const notFound = (detail: string) => [404, { detail, error_code: "NOT_FOUND" }];
const bad = (detail: string) => [400, { detail, error_code: "BAD_REQUEST" }];

eachDatabase("components over HTTP", (openDatabase) => {
  test("a component that current versions of others name is deleted and unset only with force=true", async () => {
    const client = await serve(await openDatabase());
    const create = async (name: string, component_type: string, config: object, stage = "published"): Promise<void> => {
      const { status } = await send(client, "POST", "", { name, component_type, config, stage });
      expect([name, status]).toEqual([name, 201]);
    };
    await create("Poet", "agent", {});
    await create("Desk", "team", { members: ["support", { agent: "poet" }] });
    await create("Outer", "team", { members: ["desk"] });
    const steps = [{ type: "Loop", name: "loop", max: 2, steps: [{ name: "write", agent: "poet" }] }];
    await create("Flow", "workflow", { steps });
    await create("Plan", "workflow", { steps: ["poet"] }, "draft");
    const detail = "Component poet is used by team desk, workflow flow: change these first, or send force=true";
    const used = [409, { detail, error_code: "CONFLICT" }];
    expect(await exchange(client, "DELETE", "/poet")).toEqual(used);
    expect(await exchange(client, "POST", "/poet/unset-current")).toEqual(used);
    expect(await exchange(client, "DELETE", "/poet?force=maybe")).toMatchObject([422, {}]);
    expect((await client.get("/agents/poet")).status).toBe(200);
    // A version that names it no more, and a component in code, are not affected.
    const added = await send(client, "POST", "/flow/configs", { config: { steps: ["support"] }, stage: "published" });
    expect(added.status).toBe(201);
    await send(client, "POST", "/support/configs", { config: { instructions: "Hi." }, stage: "published" });
    expect(await exchange(client, "DELETE", "/support")).toBe(204);
    expect(await exchange(client, "DELETE", "/poet")).toMatchObject([
      409,
      { detail: expect.not.stringContaining("flow") },
    ]);
    expect(await exchange(client, "POST", "/poet/unset-current?force=true")).toMatchObject([200, {}]);
    expect(await exchange(client, "POST", "/poet/configs/1/set-current")).toMatchObject([200, {}]);
    expect(await exchange(client, "DELETE", "/poet?force=true")).toBe(204);
    expect((await client.get("/agents/poet")).status).toBe(404);
  });

  test("the recorded exchanges have the recorded answers, except that a duplicate is 409 and an unknown delete 404", async () => {
    const client = await serve(await openDatabase());
    const ask = (method: string, path: string, body?: object) => exchange(client, method, path, body);
    const meta = { page: 1, limit: 20, total_pages: 0, total_count: 0, search_time_ms: 0 };
    expect(await ask("GET", "")).toEqual([200, { data: [], meta }]);
    const named = { name: "Comp One", component_type: "agent" };
    const component = { component_id: "comp-one", component_type: "agent", name: "Comp One", description: "d" };
    const one = { component_id: "comp-one", version: 1, stage: "draft", config: { name: "Comp One" }, created_at: 1 };
    const two = { component_id: "comp-one", version: 2, label: "two", stage: "draft", config: { name: "v2" } };
    const created = await ask("POST", "", { ...named, description: "d", config: { name: "Comp One" } });
    expect(created).toEqual([201, { ...component, created_at: 1 }]);
    expect(Object.keys((created as [number, object])[1])).toEqual([...Object.keys(component), "created_at"]);
    const duplicate = { detail: "Component comp-one already exists", error_code: "CONFLICT" };
    expect(await ask("POST", "", named)).toEqual([409, duplicate]);
    expect(await ask("POST", "", {})).toMatchObject([422, {}]);
    expect(await ask("POST", "", { name: "x", component_type: "bogus" })).toMatchObject([422, {}]);
    expect(await ask("GET", "/comp-one")).toEqual([200, { ...component, created_at: 1 }]);
    expect(await ask("GET", "/nope")).toEqual(notFound("Component nope not found"));
    const renamed = { ...component, name: "Comp 1", created_at: 1, updated_at: 1 };
    expect(await ask("PATCH", "/comp-one", { name: "Comp 1" })).toEqual([200, renamed]);
    expect(await ask("PATCH", "/nope", { name: "x" })).toEqual(notFound("Component nope not found"));
    expect(await ask("GET", "/comp-one/configs")).toEqual([200, [one]]);
    const added = await ask("POST", "/comp-one/configs", { config: { name: "v2" }, label: "two" });
    expect(added).toEqual([201, { ...two, created_at: 1 }]);
    expect(await ask("GET", "/comp-one/configs/current")).toEqual([200, { ...two, created_at: 1 }]);
    expect(await ask("GET", "/comp-one/configs/1")).toEqual([200, one]);
    expect(await ask("GET", "/comp-one/configs/99")).toEqual(notFound("Config comp-one v99 not found"));
    const times = { created_at: 1, updated_at: 1 };
    expect(await ask("PATCH", "/comp-one/configs/2", { stage: "published" })).toEqual([
      ...[200, { ...two, stage: "published", ...times }],
    ]);
    expect(await ask("PATCH", "/comp-one/configs/1", { stage: "published" })).toEqual([
      ...[200, { ...one, stage: "published", ...times }],
    ]);
    expect(await ask("PATCH", "/comp-one/configs/1", { config: { name: "z" } })).toEqual(
      bad("Cannot update published config comp-one v1"),
    );
    for (const version of [1, 2])
      expect(await ask("POST", `/comp-one/configs/${version}/set-current`)).toEqual([
        ...[200, { ...renamed, current_version: version }],
      ]);
    expect(await ask("DELETE", "/comp-one/configs/2")).toEqual(bad("Cannot delete current config comp-one v2"));
    expect(await ask("DELETE", "/comp-one/configs/1")).toBe(204);
    expect(await ask("GET", "/comp-one/configs/1")).toEqual(notFound("Config comp-one v1 not found"));
    expect(await ask("DELETE", "/comp-one")).toBe(204);
    expect(await ask("DELETE", "/comp-one")).toEqual(notFound("Component comp-one not found"));
    expect(await ask("POST", "", named)).toMatchObject([201, {}]);
    expect(await ask("POST", "/comp-one/configs", { config: { name: "v3" } })).toMatchObject([201, { version: 3 }]);
  });

  test("a version is published once, becomes current then unless its creation says otherwise, and can be unset", async () => {
    const client = await serve(await openDatabase());
    const ask = (method: string, path: string, body?: object) => exchange(client, method, path, body);
    const config = { instructions: "one" };
    expect(await ask("GET", "/support/configs")).toEqual([200, []]);
    expect(await ask("GET", "/support/configs/current")).toEqual(notFound("Component support not found"));
    // The first version of a component in code creates it.
    expect(await ask("POST", "/support/configs", { config, notes: "why" })).toMatchObject([
      201,
      { version: 1, notes: "why" },
    ]);
    const record = { component_id: "support", component_type: "agent", name: "Support" };
    expect(await ask("GET", "/support")).toEqual([200, { ...record, created_at: 1 }]);
    expect(await ask("POST", "/support/configs/1/set-current")).toEqual(
      bad("Cannot set draft config support v1 as current: publish it first"),
    );
    expect(await ask("PATCH", "/support/configs/1", { label: "first", config: { instructions: "1" } })).toMatchObject([
      ...[200, { label: "first", stage: "draft", config: { instructions: "1" } }],
    ]);
    expect(await ask("PATCH", "/support/configs/1", { stage: "published" })).toMatchObject([200, {}]);
    expect(await ask("PATCH", "/support/configs/1", { stage: "published" })).toMatchObject([
      200,
      { stage: "published" },
    ]);
    expect(await ask("PATCH", "/support/configs/1", { stage: "draft" })).toEqual(
      bad("Cannot update published config support v1"),
    );
    expect(await ask("GET", "/support")).toMatchObject([200, { current_version: 1 }]);
    const aside = { config: { instructions: "two" }, stage: "published", set_current: false };
    expect(await ask("POST", "/support/configs", aside)).toMatchObject([201, { version: 2 }]);
    expect(await ask("GET", "/support/configs/current")).toMatchObject([200, { version: 1 }]);
    expect(await ask("PATCH", "/support", { current_version: 2, description: "d" })).toMatchObject([
      ...[200, { current_version: 2, description: "d" }],
    ]);
    expect(await ask("PATCH", "/support", { current_version: 9 })).toEqual(notFound("Config support v9 not found"));
    expect(await ask("PATCH", "/support", { component_type: "team" })).toMatchObject([400, {}]);
    expect(await ask("PATCH", "/support", { component_type: "agent", name: null })).toMatchObject([200, record]);
    expect(await ask("POST", "/support/unset-current")).toEqual([
      ...[200, { ...record, description: "d", created_at: 1, updated_at: 1 }],
    ]);
    // Without a current version the newest one is shown.
    expect(await ask("GET", "/support/configs/current")).toMatchObject([200, { version: 2 }]);
    expect(await ask("POST", "/support/configs", { config, version: 1 })).toEqual(
      bad("Cannot update published config support v1"),
    );
    await ask("POST", "/support/configs", { config });
    expect(await ask("POST", "/support/configs", { config: { instructions: "3" }, version: 3 })).toMatchObject([
      ...[201, { version: 3, config: { instructions: "3" } }],
    ]);
    expect(await ask("GET", "/support/configs?include_config=false&limit=2")).toMatchObject([
      ...[
        200,
        [
          { version: 3, config: {} },
          { version: 2, config: {} },
        ],
      ],
    ]);
    expect(await ask("GET", "/support/configs?before=2")).toMatchObject([
      200,
      [{ version: 1, config: { instructions: "1" } }],
    ]);
    expect(await ask("GET", "?component_type=team")).toMatchObject([200, { data: [], meta: { total_count: 0 } }]);
    expect(await ask("GET", "?component_type=agent")).toMatchObject([200, { data: [{ component_id: "support" }] }]);
    expect(await ask("POST", "/nope/unset-current")).toEqual(notFound("Component nope not found"));
    expect(await ask("POST", "/nope/configs", { config })).toEqual(notFound("Component nope not found"));
    expect(await ask("GET", "/nope/configs")).toEqual(notFound("Component nope not found"));
  });

  test("a name never takes the place of a component in code, and an id of two kinds needs its type", async () => {
    const client = await serve(await openDatabase());
    const ask = (method: string, path: string, body?: object) => exchange(client, method, path, body);
    const create = (body: object) => ask("POST", "", { component_type: "agent", ...body });
    expect(await create({ name: "Support" })).toMatchObject([409, { detail: "Component support already exists" }]);
    expect(await create({ name: "Any name", component_id: "support" })).toMatchObject([
      ...[201, { component_id: "support", name: "Any name" }],
    ]);
    expect(await ask("POST", "/twin/configs", { config: {} })).toMatchObject([
      400,
      { detail: expect.stringContaining("component_type") },
    ]);
    expect(await create({ name: "Twin", component_id: "twin", component_type: "team" })).toMatchObject([201, {}]);
    expect(await create({ name: "  Über uns: v1.2!  " })).toMatchObject([201, { component_id: "über-uns-v1-2" }]);
    for (const name of ["???", "%"]) expect(await create({ name })).toMatchObject([422, {}]);
    for (const component_id of ["a/b", "a?b", "a\u0000b", "x".repeat(300)])
      expect(await create({ name: "x", component_id })).toMatchObject([422, {}]);
  });

  test("an export of one server becomes a draft of another, and changes no other version", async () => {
    const [first, second] = [await serve(await openDatabase()), await serve(await openDatabase())];
    const ask = (method: string, path: string, body?: object) => exchange(first, method, path, body);
    const config = { instructions: "one", tools: [] };
    const metadata = { owner: "x" };
    await ask("POST", "", {
      name: "Writer",
      component_type: "agent",
      description: "d",
      metadata,
      config,
      label: "l",
      notes: "n",
    });
    await ask("POST", "/writer/configs", { config: { instructions: "two" }, stage: "published" });
    const exported = (await ask("GET", "/writer/export?version=1")) as [number, object];
    expect(exported).toEqual([
      200,
      {
        ...{ component_id: "writer", component_type: "agent", name: "Writer", description: "d", metadata },
        ...{ version: 1, label: "l", notes: "n", config },
      },
    ]);
    expect(await ask("GET", "/writer/export")).toMatchObject([200, { version: 2 }]);
    expect(await ask("GET", "/writer/export?version=9")).toEqual(notFound("Config writer v9 not found"));
    const given = (body: object) => exchange(second, "POST", "/import", body);
    const draft = { component_id: "writer", version: 1, label: "l", notes: "n", stage: "draft", config, created_at: 1 };
    expect(await given(exported[1])).toEqual([201, draft]);
    expect(await exchange(second, "GET", "/writer")).toEqual([
      ...[
        200,
        { component_id: "writer", component_type: "agent", name: "Writer", description: "d", metadata, created_at: 1 },
      ],
    ]);
    // The order of members does not matter.
    expect(await given({ ...exported[1], config: { tools: [], instructions: "one" } })).toEqual([200, draft]);
    await exchange(second, "PATCH", "/writer/configs/1", { stage: "published" });
    expect(await given({ ...exported[1], name: "Other", config: { instructions: "3" } })).toMatchObject([
      ...[201, { version: 2, stage: "draft" }],
    ]);
    expect(await exchange(second, "GET", "/writer")).toMatchObject([200, { name: "Writer", current_version: 1 }]);
    expect(await given({ ...exported[1], component_type: "team" })).toMatchObject([400, {}]);
    expect(await given({ ...exported[1], config: { nonsense: 1 } })).toMatchObject([422, {}]);
    expect(await given({ ...exported[1], component_id: "support" })).toMatchObject([201, { component_id: "support" }]);
    expect(await given({ name: "x", component_type: "agent" })).toMatchObject([422, {}]);
  });

  test("input that cannot be stored or read is a client error", async () => {
    const client = await serve(await openDatabase());
    const ask = (method: string, path: string, body?: object) => exchange(client, method, path, body);
    const support = "/support/configs";
    const text = 'Say \u0000, "x" and \u{1f600}.';
    const nested = JSON.parse(`${'{"a":'.repeat(500)}1${"}".repeat(500)}`);
    for (const [path, body, status] of [
      ["", { name: "x\u0000", component_type: "agent" }, 422],
      ["", { name: "", component_type: "agent" }, 422],
      ["", { name: "x", component_type: "agent", stage: "old" }, 422],
      [support, {}, 422],
      [support, { config: [] }, 422],
      [support, { config: { instructions: "x".repeat(300_000) } }, 422],
      [support, { config: {}, links: [{ id: "x" }] }, 422],
      [support, { config: {}, version: 2 ** 40 }, 422],
      [support, { config: {}, version: 7 }, 404],
      [support, { config: {}, label: "\ud800" }, 422],
      [support, { config: { metadata: nested } }, 422],
      [support, { config: { instructons: "x" } }, 422],
      [support, { config: { tools: ["no_such_tool"] } }, 422],
      ["", { name: "x", component_type: "team", config: { members: ["nobody"] } }, 422],
      [support, { config: { instructions: text }, links: [] }, 201],
    ] as const)
      expect([path, body, ((await ask("POST", path, body)) as unknown[])[0]]).toEqual([path, body, status]);
    expect(await ask("GET", `${support}/1`)).toMatchObject([200, { config: { instructions: text } }]);
    for (const version of ["x", "1.5", String(2 ** 40), "-1", "0"]) {
      const status = /^(-1|0)$/.test(version) ? 404 : 422;
      expect([version, await ask("GET", `${support}/${version}`)]).toMatchObject([version, [status, {}]]);
    }
    for (const query of ["?limit=0", "?limit=1001", "?before=x"])
      expect(await ask("GET", support + query)).toMatchObject([422, {}]);
  });

  test("records name the author, and a credential of one session or one component changes no more than it may", async () => {
    const client = await serve(await openDatabase(), { authorization });
    const ask = (method: string, path: string, body?: object, headers = as("alice")) =>
      exchange(client, method, path, body, headers);
    const config = { instructions: "x" };
    expect(await ask("POST", "/support/configs", { config })).toMatchObject([201, { created_by: "alice" }]);
    expect(await ask("GET", "/support", undefined, as("bob"))).toMatchObject([200, { created_by: "alice" }]);
    const bound = as("alice", { session_id: "s" });
    expect(await ask("POST", "/support/configs", { config }, bound)).toMatchObject([403, {}]);
    expect(await ask("DELETE", "/support", undefined, bound)).toMatchObject([403, {}]);
    expect(await ask("GET", "/support/configs", undefined, bound)).toMatchObject([200, [{ version: 1 }]]);
    const one = as("carol", { scopes: ["components:support:write"] });
    expect(await ask("POST", "/support/configs", { config }, one)).toMatchObject([201, { created_by: "carol" }]);
    expect(await ask("POST", "/twin/configs", { config }, one)).toMatchObject([403, {}]);
    expect(await ask("POST", "", { name: "x", component_type: "agent" }, one)).toMatchObject([403, {}]);
    expect(await ask("GET", "/support", undefined, one)).toMatchObject([403, {}]);
    expect(await ask("DELETE", "/support/configs/2", undefined, one)).toMatchObject([403, {}]);
  });
});
