import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineKnowledge } from "../../src/define/knowledge.ts";
import type { Route } from "../../src/http/transport/route.ts";
import { lexicalEmbedder } from "../../src/knowledge/lexical-embedder.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { type Answer, Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";

const pair = makePair();
const { agents, teams, workflows } = conformancePlatform();
const hosted: Record<string, readonly { id: string }[]> = { agents, teams, workflows };
const authorization = { verificationKeys: [pair.pem], userIsolation: true };
const knowledge = [defineKnowledge({ id: "manual", embedder: lexicalEmbedder() })];
/** Its deliveries stay pending: the address is not public. */
const webhooks = [
  {
    url: "https://127.0.0.1/",
    events: ["run.completed"] as const,
    secret: `whsec_${Buffer.alloc(24).toString("base64")}`,
  },
];

/** The headers of a user with the given scopes. */
function as(userId: string, ...scopes: string[]): Record<string, string> {
  return bearer(token({ sub: userId, scopes }, pair));
}

/** Every scope except the admin scope. */
function everything(routes: readonly Route[]): string[] {
  const scopes = routes.flatMap(({ access }) => (typeof access === "string" ? [] : [scopeOf(access)]));
  return [...new Set(scopes)].filter((scope) => scope !== "agent_os:admin");
}

function scopeOf({ resource, action }: Exclude<Route["access"], string>): string {
  return `${resource}:${action}`;
}

/** Whether a route repeats a route of agents for teams or workflows; the requests of these tests leave out such A2A routes. */
function isTwin({ path }: Route): boolean {
  return /^\/a2a\/(teams|workflows)\/\{id\}\/rest\//.test(path);
}

/** Ids of a caller's objects, by the names of path parameters. */
type Belongings = Readonly<Record<string, string>>;

eachDatabase("[J9] access to every route", (openDatabase) => {
  describe("", () => {
    let server: OpenServer;
    let client: Client;
    let routes: readonly Route[] = [];
    /** Alice's objects, by the first segment of the paths that use them. */
    const ofAlice: Record<string, Belongings> = {};

    beforeAll(async () => {
      server = await openServer(await openDatabase(), { agents, teams, workflows, authorization, webhooks, knowledge });
      const { port } = server.app.server.address() as { port: number };
      client = new Client(`http://127.0.0.1:${port}`);
      routes = server.app.routes.filter((route) => !isTwin(route));
      const alice = as("alice", ...everything(routes), "agent_os:admin");
      for (const family of ["agents", "teams", "workflows"]) {
        const { id = "" } = hosted[family]?.[0] ?? {};
        const fields = { message: "hello", stream: false, session_id: `alice-${family}` };
        const started = await client.post(`/${family}/${id}/runs`, fields, as("alice", `${family}:run`));
        expect(started.status).toBe(200);
        ofAlice[family] = {
          [`${family.slice(0, -1)}_id`]: id,
          id,
          run_id: started.json.run_id,
          session_id: `alice-${family}`,
          ...{ task_id: started.json.run_id, config_id: "none", chatId: `alice-${family}` },
        };
      }
      // Until a run's trace is stored, it is derived from the run's log.
      ofAlice.traces = { trace_id: ofAlice.agents?.run_id?.replaceAll("-", "") ?? "" };
      ofAlice.sessions = { session_id: ofAlice.agents?.session_id ?? "", run_id: ofAlice.agents?.run_id ?? "" };
      const body = JSON.stringify({ name: "of-alice" });
      const headers = { ...alice, "content-type": "application/json" };
      const account = await client.send("/service-accounts", { method: "POST", headers, body });
      ofAlice["service-accounts"] = { service_account_id: account.json?.id ?? "" };
      const endpoint = `/agents/${agents[0]?.id}/runs`;
      const plan = JSON.stringify({ name: "of-alice", cron_expr: "@daily", endpoint, payload: { message: "x" } });
      const schedule = await client.send("/schedules", { method: "POST", headers, body: plan });
      const trigger = { method: "POST", headers: alice };
      const fired = await client.send(`/schedules/${schedule.json?.id}/trigger`, trigger);
      const waiting = { message: "money", stream: false };
      const paused = await client.post("/agents/hitl-agent/runs", waiting, as("alice", "agents:run"));
      ofAlice.connections = { provider: "none" };
      const fact = JSON.stringify({ memory: "of alice" });
      const remembered = await client.send("/memories", { method: "POST", headers, body: fact });
      ofAlice.memories = { memory_id: remembered.json?.memory_id ?? "" };
      const known = JSON.stringify({ learning_type: "user_profile", content: {}, user_id: "alice" });
      const learned = await client.send("/learnings", { method: "POST", headers, body: known });
      ofAlice.learnings = { learning_id: learned.json.learning_id, user_id: "alice" };
      const evaluation = { eval_type: "reliability", input: "x", agent_id: agents[0]?.id, expected_tool_calls: [] };
      const evaluated = await client.send("/eval-runs", { method: "POST", headers, body: JSON.stringify(evaluation) });
      ofAlice["eval-runs"] = { eval_run_id: evaluated.json.id };
      const note = { text_content: "A note of alice." };
      const added = await client.post("/knowledge/content", note, as("alice", "knowledge:write"));
      ofAlice.knowledge = { content_id: added.json.id, knowledge_id: "manual" };
      const rated = `/agents/${agents[0]?.id}/runs/${ofAlice.agents?.run_id}/feedback`;
      await client.send(rated, { method: "POST", headers, body: JSON.stringify({ rating: "up" }) });
      const rows = JSON.stringify({ name: "of alice", rows: [{ input: "x" }] });
      const dataset = await client.send("/datasets", { method: "POST", headers, body: rows });
      const page = await client.get(`/datasets/${dataset.json.id}`, alice);
      const comparison = { dataset_id: dataset.json.id, component_type: "agent", component_id: agents[0]?.id };
      const experiment = await client.send("/experiments", {
        method: "POST",
        headers,
        body: JSON.stringify(comparison),
      });
      ofAlice.experiments = { experiment_id: experiment.json.id };
      ofAlice.datasets = { dataset_id: dataset.json.id, row_id: page.json.rows[0].id };
      ofAlice.components = { component_id: randomUUID() };
      ofAlice.users = { user_id: "nobody" };
      ofAlice.databases = { db_id: randomUUID() };
      const delivered = await client.get(`/webhooks/deliveries?run_id=${ofAlice.agents?.run_id}`, alice);
      ofAlice.webhooks = { delivery_id: delivered.json[0]?.id ?? "" };
      ofAlice.approvals = { approval_id: paused.json.tools?.[0]?.approval_id ?? "" };
      ofAlice.schedules = { schedule_id: schedule.json?.id ?? "", run_id: fired.json?.id ?? "" };
    });
    afterAll(() => server?.[Symbol.asyncDispose]());

    /** Ids of no existing object, with ids of existing components. */
    function ofNobody(family: string): Belongings {
      const components = {
        ...{ agent_id: agents[0]?.id ?? "", team_id: teams[0]?.id ?? "" },
        workflow_id: workflows[0]?.id ?? "",
        ...{ id: hosted[family]?.[0]?.id ?? "", knowledge_id: "manual" },
      };
      const others = Object.keys(ofAlice[family] ?? {}).filter((name) => !(name in components));
      return {
        ...components,
        ...Object.fromEntries(others.map((name) => [name, name === "trace_id" ? "0".repeat(32) : randomUUID()])),
      };
    }

    function ask(route: Route, headers: Record<string, string>, things: Belongings): Promise<Answer> {
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const fixed = {
          file: "swagger-ui.css",
          message_index: "0",
          model: "agent:plain-agent",
          response_id: "resp_x",
          source_id: "none",
          version: "1",
        };
        const value = { ...fixed, ...things }[name];
        if (value === undefined)
          throw new Error(`Add a value for {${name}} of ${route.path}, from an object of alice's.`);
        return encodeURIComponent(value);
      });
      const session = things.session_id ?? "none";
      const method = String(route.method);
      // Alice's document remains.
      const other = method === "DELETE" && path === "/knowledge/content" ? "&knowledge_id=none" : "";
      const url = `${path}?session_id=${encodeURIComponent(session)}${other}`;
      if (method === "GET" || method === "DELETE") return client.send(url, { method, headers });
      const fields = {
        message: "x",
        stream: "false",
        background: "true",
        session_id: session,
        session_name: "x",
        status: "approved",
        rating: "up",
      };
      const isJson = route.body?.types.join() === "json";
      const type = isJson ? "application/json" : "application/x-www-form-urlencoded";
      const body = isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString();
      return client.send(url, { method, headers: { "content-type": type, ...headers }, body });
    }

    /** The family of a route of A2A or AI SDK UI is its second segment. */
    const familyOf = ({ path }: Route): string => path.replace(/^\/(a2a|ui)(?=\/)/, "").split("/")[1] ?? "";
    const thingsFor = (route: Route): Belongings => ofAlice[familyOf(route)] ?? {};
    /** What alice may request without losing an object that later tests need. */
    const expendable = (route: Route): Belongings =>
      route.method === "DELETE" ? ofNobody(familyOf(route)) : thingsFor(route);
    /** Some routes reject what a caller with the scope asks for: another user's learnings. */
    const isLetIn = ({ status, text }: Answer): boolean =>
      status !== 401 && (status !== 403 || text.includes("for another user"));

    test("routes of A2A over plain HTTP need the same access for every kind of component", () => {
      const ofAgents = (text: string): string => text.replaceAll(/teams|workflows/g, "agents");
      const twins = server.app.routes.filter(isTwin);
      expect(twins).toHaveLength(2 * routes.filter(({ path }) => path.startsWith("/a2a/agents/{id}/rest/")).length);
      for (const { method, path, access } of twins) {
        const one = routes.find((route) => route.method === method && route.path === ofAgents(path));
        expect([path, JSON.parse(ofAgents(JSON.stringify(access)))]).toEqual([path, one?.access]);
      }
    });

    test("[J10] [J12] [J15] [W15] without a token, only public routes are served", async () => {
      for (const route of routes) {
        const answer = await ask(route, {}, thingsFor(route));
        const isPublic = route.access === "public" || route.access === "open";
        expect([route.path, isLetIn(answer)]).toEqual([route.path, isPublic]);
        if (isPublic) continue;
        if (route.errorForm) expect(answer.text).toContain("Authorization header missing");
        else expect(answer.json).toEqual({ detail: "Authorization header missing", error_code: "UNAUTHENTICATED" });
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
      }
      expect(routes.length).toBeGreaterThan(15);
    });

    test("[J9] [J11] [E4] [R30] without the required scope, a route returns 403 and names the scope", async () => {
      for (const route of routes) {
        if (typeof route.access === "string") continue;
        const { resource, action, or } = route.access;
        const others = ["read", "run", "write", "delete"].filter((one) => one !== action && one !== or);
        const near = [
          ...others.map((one) => `${resource}:${one}`),
          `${resource}:*`,
          "*",
          "*:*",
          `${resource}:other:${action}`,
        ];
        for (const scopes of [[], ["nothing:read"], near]) {
          const answer = await ask(route, as("alice", ...scopes), thingsFor(route));
          const detail = `Insufficient permissions. Required scope(s): ${resource}:${action}`;
          expect([route.method, route.path, answer.status, answer.json]).toEqual([
            route.method,
            route.path,
            403,
            { detail },
          ]);
        }
      }
    });

    test("[J9] [J34] [R23] [W2] the scope, its wildcard and the admin scope each give access", async () => {
      for (const route of routes) {
        if (typeof route.access === "string") continue;
        const { resource, action } = route.access;
        const ofRoute = action === "admin" ? [] : [`${resource}:${action}`, `${resource}:*:${action}`];
        for (const scope of [...ofRoute, "agent_os:admin"]) {
          const answer = await ask(route, as("alice", scope), expendable(route));
          expect([route.method, route.path, scope, isLetIn(answer)]).toEqual([route.method, route.path, scope, true]);
        }
      }
    });

    test("[J9] a scope of one component gives access to that component only, and lists show only that one", async () => {
      for (const route of routes) {
        if (typeof route.access === "string") continue;
        const { resource, action, idParam, lists } = route.access;
        const things = expendable(route);
        const id = idParam
          ? things[idParam]
          : (things.agent_id ?? things.team_id ?? things.workflow_id ?? "plain-agent");
        const answer = await ask(route, as("alice", `${resource}:${id}:${action}`), things);
        expect([route.path, isLetIn(answer)]).toEqual([route.path, idParam !== undefined || lists === true]);
        if (lists) expect(answer.json.map((item: { id: string }) => item.id)).toEqual([id]);
      }
    });

    test("[J16] [J17] another user's object gets the same response as an unknown one", async () => {
      const scopes = everything(routes);
      const seen = (answer: Answer): unknown => [
        answer.status,
        answer.text
          .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
          .replaceAll(/alice-\w+|bob-\d/g, "ID")
          .replaceAll(/"(search_time_ms|[a-z]+_at)":[^,}]+/g, ""),
      ];
      let compared = 0;
      for (const route of routes) {
        const things = thingsFor(route);
        if (typeof route.access === "string" || Object.keys(things).length === 0) continue;
        // A new user for every route: a start in a session creates that session for its user.
        const theirs = await ask(route, as(`bob-1 ${route.method} ${route.path}`, ...scopes), things);
        const nothing = await ask(
          route,
          as(`bob-2 ${route.method} ${route.path}`, ...scopes),
          ofNobody(familyOf(route)),
        );
        expect([route.method, route.path, ...(seen(theirs) as unknown[])]).toEqual([
          route.method,
          route.path,
          ...(seen(nothing) as unknown[]),
        ]);
        if (
          /\{(run_id|session_id|service_account_id|schedule_id|approval_id|trace_id|delivery_id|learning_id|content_id)\}/.test(
            route.path,
          )
        ) {
          // A DELETE of an unknown or foreign session or document has no effect; as the source of a fork such a session has no runs.
          const deleted = { sessions: 204, knowledge: 200 }[route.method === "DELETE" ? familyOf(route) : ""];
          const expected = deleted ?? (route.path.endsWith("/fork") ? 400 : 404);
          expect([route.method, route.path, theirs.status]).toEqual([route.method, route.path, expected]);
          compared++;
        }
      }
      expect(compared).toBeGreaterThanOrEqual(6);
    });

    test.each([
      ["alice", everything],
      ["root", () => ["agent_os:admin"]],
    ] as const)(
      "a token of %s that names a session finds no object of alice's other sessions",
      async (sub, scopesFor) => {
        const scopes = scopesFor(routes);
        const bound = bearer(token({ sub, scopes, session_id: `only of ${sub}` }, pair));
        let found = 0;
        for (const route of routes) {
          if (typeof route.access === "string") continue;
          const { status, text } = await ask(route, bound, thingsFor(route));
          if (/\{(run_id|session_id|schedule_id|approval_id|trace_id|delivery_id)\}/.test(route.path)) {
            const isDeleted = route.path.startsWith("/sessions/") && route.method === "DELETE";
            const expected = isDeleted ? 204 : route.path.endsWith("/fork") ? 403 : 404;
            expect([route.method, route.path, status]).toEqual([route.method, route.path, expected]);
            found++;
          } else if (route.method === "GET" && !route.path.startsWith("/service-accounts")) {
            const ids = Object.values(ofAlice).flatMap(({ run_id, approval_id, schedule_id }) => [
              run_id,
              approval_id,
              schedule_id,
            ]);
            expect([route.path, ids.filter((id) => id && text.includes(id))]).toEqual([route.path, []]);
            expect([route.path, /alice-(agents|teams|workflows)/.test(text)]).toEqual([route.path, false]);
          }
        }
        expect(found).toBeGreaterThan(15);
        // A deletion by session name deletes the token's session or nothing.
        const body = JSON.stringify({ session_ids: ["alice-agents"], session_types: ["agent"] });
        const headers = { ...bound, "content-type": "application/json" };
        expect((await client.send("/sessions", { method: "DELETE", headers, body })).status).toBe(204);
      },
    );

    test("[J17] the owner and an admin read the owner's runs, which other users' requests did not change", async () => {
      for (const [family, things] of Object.entries(ofAlice)) {
        if (!things.run_id || family === "sessions" || family === "schedules") continue;
        const base = `/${family}/${things.agent_id ?? things.team_id ?? things.workflow_id}/runs`;
        const query = `?session_id=${things.session_id}`;
        const alice = as("alice", `${family}:read`);
        for (const caller of [alice, as("root", "agent_os:admin")]) {
          expect((await client.get(`${base}/${things.run_id}${query}`, caller)).json.status).toBe("COMPLETED");
          const listed: { run_id: string }[] = (await client.get(base + query, caller)).json;
          expect(listed.map(({ run_id }) => run_id)).toContain(things.run_id);
        }
        // Later requests of alice added runs to her session; other users' requests with that session name added none.
        const { json } = await client.get(base + query, alice);
        expect(new Set(json.map((run: { run_input: string }) => run.run_input))).toEqual(new Set(["hello", "x"]));
        if (family === "agents")
          expect(new Set(json.map((run: { user_id: string }) => run.user_id))).toEqual(new Set(["alice"]));
      }
    });

    test("[J10] a path without a route returns 401 without a token and 404 with one", async () => {
      for (const path of ["/nope", "/agents//plain-agent", "/AGENTS", "/agents/plain-agent/nope", "/%2e%2e/agents"]) {
        expect([path, (await client.get(path)).status]).toEqual([path, 401]);
        expect([path, (await client.get(path, as("alice", "agents:read"))).status]).toEqual([path, 404]);
      }
      expect((await client.send("/agents", { method: "PUT" })).status).toBe(401);
      expect((await client.send("/health", { method: "DELETE" })).status).toBe(405);
    });
  });
});
