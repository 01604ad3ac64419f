import { describe, expect, test } from "vitest";
import { z } from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { toComponentResponse } from "../../src/http/records/components.ts";
import { toConfig } from "../../src/http/records/config.ts";
import {
  defineAgent,
  defineKnowledge,
  definePlatform,
  defineTeam,
  defineTool,
  lexicalEmbedder,
} from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer, sqliteServer } from "./support/server.ts";

const origin = "https://console.example";

eachServer(
  "the platform",
  (client) => {
    test("GET / returns the name, the id and the version of the interface", async () => {
      const { status, json } = await client().get("/");
      expect(status).toBe(200);
      expect(json).toEqual({ name: "Troupe API", id: "test-os", version: "1.0.0" });
    });

    test("GET /health returns the start time of the server", async () => {
      const { status, json } = await client().get("/health");
      expect(status).toBe(200);
      expect(json).toEqual({ status: "ok", instantiated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
    });

    test("[X2] GET /info returns the interface's version and Troupe's own, which every response has as a header", async () => {
      const { json, headers } = await client().get("/info");
      expect(json).toEqual({
        os_id: "test-os",
        name: "Test OS",
        agno_version: "2.7.4",
        troupe_version: packageJson.version,
        agent_count: 3,
        team_count: 3,
        workflow_count: 6,
        mcp: { enabled: true, path: "/mcp", oauth: null },
        auth_mode: "none",
      });
      expect(headers["x-troupe-version"]).toBe(packageJson.version);
    });

    test("[P1] GET /config lists the hosted components without null members", async () => {
      const { json } = await client().get("/config");
      expect(json.os_id).toBe("test-os");
      expect(json.databases).toEqual([json.os_database]);
      expect(json.session.dbs).toEqual([
        {
          db_id: json.os_database,
          domain_config: { display_name: expect.stringMatching(/^(SQLite|Postgres)$/) },
          tables: ["sessions"],
        },
      ]);
      const [database] = json.session.dbs;
      expect(json.memory).toEqual({ dbs: [{ ...database, tables: ["memories"] }] });
      expect(json.knowledge).toEqual({ dbs: [], knowledge_instances: [] });
      expect(json.traces).toEqual({ dbs: [{ db_id: json.os_database, domain_config: database.domain_config }] });
      expect(json.interfaces.map(({ type, route }: Record<string, string>) => `${type} ${route}`)).toEqual([
        ...["a2a /a2a", "agui ", "ai-sdk-ui /ui", "mcp /mcp", "openai /v1"],
      ]);
      expect(json.agents).toEqual([
        {
          id: "plain-agent",
          name: "Plain Agent",
          description: "A plain agent",
          db_id: json.os_database,
          model: { id: "fake-model", provider: "OpenAI" },
        },
        {
          id: "tool-agent",
          name: "Tool Agent",
          db_id: json.os_database,
          model: { id: "fake-model", provider: "OpenAI" },
        },
        expect.objectContaining({ id: "hitl-agent" }),
      ]);
      expect(json.teams.map((team: { id: string; mode: string }) => [team.id, team.mode])).toEqual([
        ["duo-team", "coordinate"],
        ["quiet-team", "coordinate"],
        ["hitl-team", "coordinate"],
      ]);
      expect(JSON.stringify(json)).not.toContain("null");
    });

    test("GET /models returns each model once", async () => {
      expect((await client().get("/models")).json).toEqual([{ id: "fake-model", provider: "OpenAI" }]);
    });

    test("GET /agents and /agents/{agent_id} return agents as recorded", async () => {
      const { json: list } = await client().get("/agents");
      const { json: one } = await client().get("/agents/plain-agent");
      expect(list[0]).toEqual(one);
      expect(one).toEqual({
        id: "plain-agent",
        name: "Plain Agent",
        db_id: "main",
        description: "A plain agent",
        role: "Answers",
        is_factory: false,
        model: { name: "openai.chat", model: "fake-model", provider: "OpenAI" },
        sessions: { session_table: "sessions", add_history_to_context: true, num_history_runs: 3 },
        system_message: { description: "A plain agent", instructions: "Be brief: secret instructions" },
        is_component: false,
      });
      expect(list[1].tools.tools).toEqual([
        {
          name: "get_weather",
          description: "Get the weather.",
          parameters: expect.objectContaining({ type: "object", required: ["city"] }),
        },
      ]);
      // Tools show what their calls wait for; fields that the user enters are not parameters.
      const waits = list[2].tools.tools.map(({ description, parameters, ...tool }: Record<string, object>) => tool);
      expect(waits.filter((tool: object) => Object.keys(tool).length > 1)).toEqual([
        { name: "send_email", requires_confirmation: true },
        { name: "run_in_browser", external_execution: true },
        { name: "wire_money", requires_confirmation: true, approval_type: "required" },
      ]);
      expect(list[2].tools.tools[1].parameters.required).toEqual(["greeting"]);
    });

    test("GET /teams and /teams/{team_id} return teams with their members and tools", async () => {
      const { json: list } = await client().get("/teams");
      const { json: one } = await client().get("/teams/duo-team");
      expect(list[0]).toEqual(one);
      expect(one).toMatchObject({ id: "duo-team", mode: "coordinate", streaming: { stream_member_events: true } });
      expect(one.members.map((member: { id: string }) => member.id)).toEqual(["agent-a", "agent-b"]);
      const task = expect.objectContaining({ type: "string" });
      const delegation = {
        name: "delegate_task_to_member",
        description: expect.any(String),
        parameters: expect.objectContaining({
          type: "object",
          properties: { member_id: expect.objectContaining({ enum: ["agent-a", "agent-b"] }), task },
          required: ["member_id", "task"],
        }),
      };
      expect(one.tools).toEqual({ tools: [delegation] });
      expect(list[2].members[1].tools.tools[0]).toMatchObject({ name: "send_email", requires_confirmation: true });
      const { json: flow } = await client().get("/workflows/rich-flow");
      expect(flow.steps.at(-1).team.tools).toEqual(one.tools);
    });

    test("GET /registry lists agents, the database, models, teams and tools by type and name, without paths of classes", async () => {
      const { json, text } = await client().get("/registry");
      const parts: { type: string; name: string; metadata: Record<string, unknown> }[] = json.data;
      expect([...new Set(parts.map(({ type }) => type))]).toEqual(["agent", "db", "model", "team", "tool"]);
      const [plain] = parts.filter(({ name }) => name === "Plain Agent");
      expect(plain).toEqual({
        ...{ name: "Plain Agent", type: "agent", id: "plain-agent", description: "A plain agent" },
        metadata: { id: "plain-agent" },
      });
      expect(parts.find(({ name }) => name === "send_email")?.metadata).toMatchObject({
        ...{ is_toolkit: false, requires_confirmation: true },
        parameters: { type: "object", required: ["to", "subject"] },
      });
      expect(json.meta).toMatchObject({ page: 1, limit: 20, total_pages: 1, total_count: parts.length });
      expect(text).not.toContain("class_path");
    });

    test("GET /registry selects by type and by a part of the name, in pages", async () => {
      const names = async (query: string) =>
        (await client().get(`/registry?${query}`)).json.data.map(({ name }: { name: string }) => name);
      const teams = await names("resource_type=team");
      expect(teams).toHaveLength(3);
      expect([
        ...(await names("resource_type=team&limit=2")),
        ...(await names("resource_type=team&limit=2&page=2")),
      ]).toEqual(teams);
      expect(await names("name=PLAIN")).toEqual(["Plain Agent"]);
      expect(await names("resource_type=memory_manager")).toEqual([]);
      expect((await client().get("/registry?resource_type=bogus")).status).toBe(422);
    });

    test("POST /databases/{db_id}/migrate and /databases/all/migrate return the recorded messages; other databases and versions are rejected", async () => {
      const migrate = async (path: string) => {
        const { status, json } = await client().post(`/databases/${path}`, {});
        return [status, json.message ?? json.detail];
      };
      const id = (await client().get("/config")).json.os_database;
      expect(await migrate(`${id}/migrate`)).toEqual([200, "Database migrated successfully to latest version"]);
      expect(await migrate("all/migrate")).toEqual([200, "All databases migrated successfully to latest version"]);
      expect(await migrate("nope/migrate")).toEqual([404, "No database found with id 'nope'"]);
      expect(await migrate("all/migrate?target_version=1")).toEqual([
        400,
        expect.stringMatching(/^This version of Troupe migrates to \d+ only: omit target_version$/),
      ]);
    });

    test("[P12] paths have no prefix, a trailing slash is ignored, and a double slash returns 404", async () => {
      expect((await client().get("/health/")).status).toBe(200);
      expect((await client().get("/agents/plain-agent/?x=1")).status).toBe(200);
      expect((await client().get("/health//")).status).toBe(404);
      expect((await client().get("//health")).status).toBe(404);
      expect((await client().get("/agents//runs")).status).toBe(404);
    });

    test("[R23] any bearer token is accepted while authorization is off", async () => {
      expect((await client().get("/config", { authorization: "Bearer whatever" })).status).toBe(200);
    });
  },
  () => conformancePlatform({}, [origin]),
);

eachServer(
  "CORS",
  (client) => {
    const ask = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };

    test.each([origin, "http://localhost:3000"])(
      "a preflight from the allowed origin %s returns 200 and allows credentials",
      async (allowed) => {
        const answer = await client().send("/agents", { method: "OPTIONS", headers: { origin: allowed, ...ask } });
        expect([answer.status, answer.text]).toEqual([200, "OK"]);
        expect(answer.headers["access-control-allow-origin"]).toBe(allowed);
        expect(answer.headers["access-control-allow-credentials"]).toBe("true");
        expect(answer.headers["access-control-allow-methods"]).toContain("POST");
        expect(answer.headers["access-control-allow-headers"]).toBe("content-type");
        expect(answer.headers["access-control-max-age"]).toBe("600");
      },
    );

    test("a preflight from another origin returns 400", async () => {
      const answer = await client().send("/agents", {
        method: "OPTIONS",
        headers: { origin: "https://evil.example", ...ask },
      });
      expect([answer.status, answer.text]).toEqual([400, "Disallowed CORS origin"]);
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    });

    test("responses and streams name the allowed origin and the readable headers", async () => {
      const simple = await client().get("/nope", { origin });
      expect(simple.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
      const stream = await client().stream("/agents/plain-agent/runs", { message: "hi" }, { origin });
      expect(stream.headers["access-control-allow-origin"]).toBe(origin);
      expect(stream.headers["access-control-expose-headers"]).toContain("x-run-id");
      await stream.all();
      expect((await client().get("/health", { origin: "https://evil.example" })).headers).not.toHaveProperty(
        "access-control-allow-origin",
      );
    });

    test("a form from another origin returns 403 with only a detail, and starts no run", async () => {
      const runs = "/agents/plain-agent/runs";
      const fields = { message: "hi", stream: "no", session_id: "s-foreign" };
      for (const foreign of ["https://evil.example", "null", "", `https://${client().base.hostname}`]) {
        const { status, json } = await client().post(runs, fields, { origin: foreign });
        expect([foreign, status, Object.keys(json)]).toEqual([foreign, 403, ["detail"]]);
        expect(json.detail).toContain(`Requests from the origin "${foreign}" are not allowed: `);
        expect(json.detail).toContain("corsOrigins");
      }
      expect((await client().send("/agents", { method: "DELETE", headers: { origin: "null" } })).status).toBe(403);
      expect((await client().get(`${runs}?session_id=s-foreign`)).status).toBe(404);
    });

    test("requests from an allowed origin, from the server's own origin and without an origin return 200", async () => {
      const own = client().base.origin;
      for (const headers of [{ origin }, { origin: own }, {}] as Record<string, string>[]) {
        const answer = await client().post("/agents/plain-agent/runs", { message: "hi", stream: "no" }, headers);
        expect([headers, answer.status]).toEqual([headers, 200]);
      }
    });
  },
  () => conformancePlatform({}, [origin]),
);

test("a team in broadcast mode lists its own tools and delegate_task_to_members", () => {
  const input = z.object({ city: z.string() });
  const own = defineTool({ name: "look", description: "Look.", input, approval: "audit", execute: () => "" });
  const model = scriptedModel(["Hello"]);
  const members = [defineAgent({ id: "a", model })];
  const team = defineTeam({ id: "all", mode: "broadcast", model, members, tools: [own] });
  const { tools } = toComponentResponse(team, "main");
  expect(tools).toEqual({
    tools: [
      {
        ...{ name: "look", description: "Look.", parameters: expect.objectContaining({ required: ["city"] }) },
        ...{ requires_confirmation: true, approval_type: "audit" },
      },
      {
        ...{ name: "delegate_task_to_members", description: expect.any(String) },
        parameters: expect.objectContaining({ type: "object", required: ["task"] }),
      },
    ],
  });
});

eachServer("the API documentation", (client) => {
  describe.each(["/docs", "/redoc"])("[J13] [J14] %s", (path) => {
    test("returns a page whose assets come from the server, under a strict content security policy", async () => {
      const page = await client().get(path);
      expect(page.status).toBe(200);
      expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
      expect(page.headers["content-security-policy"]).not.toContain("unsafe");
      const assets = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => String(address));
      expect(assets.length).toBeGreaterThan(2);
      for (const asset of assets) {
        expect(asset).toMatch(/^\/docs\/assets\//);
        expect((await client().get(asset)).status).toBe(200);
      }
    });
  });

  test("/redoc disables sending requests", async () => {
    expect((await client().get("/docs/assets/read.js")).text).toContain('"supportedSubmitMethods":[]');
  });

  test("[J13] /docs/oauth2-redirect returns its page", async () => {
    const { status, text } = await client().get("/docs/oauth2-redirect");
    expect(status).toBe(200);
    expect(text).toContain("/docs/assets/oauth2-redirect.js");
  });

  test("[X1] [X2] /openapi.json is an OpenAPI 3.1.0 document of version 2.7.4 that defines exactly the schemas it references", async () => {
    const { json } = await client().get("/openapi.json");
    expect([json.openapi, json.info.version]).toEqual(["3.1.0", "2.7.4"]);
    const references = [...JSON.stringify(json).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => String(target));
    const components = Object.keys(json.components.schemas).map((name) => `#/components/schemas/${name}`);
    expect(new Set(references)).toEqual(new Set(components));
    expect(components.filter((name) => name.includes("inline"))).toEqual([]);
  });

  test("unknown names in the folder of assets return 404", async () => {
    const names = ["..%2Fpackage.json", "index.html", "", "constructor", "toString", "__proto__"];
    for (const path of names.map((name) => `/docs/assets/${name}`)) {
      expect((await client().get(path)).status).toBe(404);
    }
  });
});

describe("quickPrompts", () => {
  const { agents } = conformancePlatform();
  const quickPrompts = { "plain-agent": ["Hello", "What can you do?"] };
  const client = sqliteServer(definePlatform({ id: "prompts", agents, quickPrompts }));

  test("are the suggested messages of the configuration", async () => {
    expect((await client().get("/config")).json.chat).toEqual({ quick_prompts: quickPrompts });
  });
});

describe("databaseId", () => {
  const { agents, teams, workflows } = conformancePlatform();
  const client = sqliteServer(definePlatform({ id: "named", agents, teams, workflows, databaseId: "main-db" }));

  test("is the database's name in records, lists, the configuration and queries", async () => {
    for (const path of ["/agents/plain-agent", "/teams/duo-team", "/workflows/simple-flow"]) {
      expect((await client().get(path)).json.db_id).toBe("main-db");
      const list = (await client().get(path.slice(0, path.lastIndexOf("/")))).json;
      expect(new Set(list.map((item: { db_id: string }) => item.db_id))).toEqual(new Set(["main-db"]));
    }
    const { json: config } = await client().get("/config");
    expect([config.os_database, config.databases, config.session.dbs[0].db_id]).toEqual([
      "main-db",
      ["main-db"],
      "main-db",
    ]);
    expect(JSON.stringify(config)).not.toContain('"main"');
    expect((await client().get("/sessions?db_id=main-db&table=sessions")).status).toBe(200);
    expect((await client().get("/sessions?db_id=main")).json.detail).toBe("No database found with id 'main'");
  });

  test.each(["", "a\u0000b", 1, null])("definePlatform throws for the id %j", (databaseId) => {
    const options = { id: "x", databaseId } as unknown as Parameters<typeof definePlatform>[0];
    expect(() => definePlatform(options)).toThrow(/databaseId/);
  });
});

test("GET /config lists each knowledge base with its description", () => {
  const manual = defineKnowledge({
    id: "manual",
    name: "Manual",
    description: "Of the X100",
    embedder: lexicalEmbedder(),
  });
  const notes = defineKnowledge({ id: "notes", embedder: lexicalEmbedder() });
  const agent = defineAgent({ id: "support", model: scriptedModel(() => ""), knowledge: [manual] });
  const platform = definePlatform({ id: "shop", agents: [agent], knowledge: [notes] });
  const shown = toConfig(platform, [agent], { dialect: "postgres" });
  expect(shown.knowledge).toEqual({
    dbs: [{ db_id: "main", domain_config: { display_name: "Postgres" }, tables: ["knowledge"] }],
    knowledge_instances: [
      { id: "notes", name: "notes", db_id: "main", table: "knowledge" },
      { id: "manual", name: "Manual", description: "Of the X100", db_id: "main", table: "knowledge" },
    ],
  });
});
