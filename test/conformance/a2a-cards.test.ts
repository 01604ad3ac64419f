/** Agent cards: their contents, the access they need, and their signatures. */
import { generateKeyPairSync } from "node:crypto";
import { type AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
  agentFactory,
  defineAgent,
  definePlatform,
  defineTeam,
  defineTool,
  defineWorkflow,
  type PlatformOptions,
  step,
} from "../../src/index.ts";
import { a2aRoutes } from "../../src/interfaces/a2a/routes/all.ts";
import { createServer } from "../../src/platform/server.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { postJson, request } from "./support/a2a.ts";
import { Client } from "./support/client.ts";
import { databaseOptions } from "./support/server.ts";

const model = scriptedModel(["hello"]);
const search = defineTool({
  name: "search",
  description: "Searches.",
  input: z.object({ q: z.string() }),
  execute: () => "",
});
const agent = defineAgent({
  id: "finder",
  name: "Finder",
  description: "Finds.",
  model,
  tools: [search],
  instructions: "top secret",
});
const typed = defineAgent({ id: "typed", model, output: z.object({ a: z.string() }) });
const team = defineTeam({ id: "desk", name: "Desk", model, members: [agent, typed] });
const flow = defineWorkflow({ id: "flow", input: z.object({ a: z.string() }), steps: [step({ name: "one", agent })] });
const pair = makePair();

interface Serving {
  readonly client: Client;
  readonly base: string;
  close(): Promise<void>;
}

/** Starts a server that hosts the components above. */
async function open(
  options: Partial<PlatformOptions> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const database = await openDatabaseOf("sqlite");
  const hosted = { agents: [agent, typed], teams: [team], workflows: [flow] };
  const platform = definePlatform({ id: "cards", version: "3.2.1", ...hosted, ...options });
  const place = { ...databaseOptions(database), port: 0, logLevel: "silent", environment };
  const server = await createServer(platform, place);
  const base = await server.listen();
  const close = async (): Promise<void> => {
    await server.close({ shutdownTimeout: 0 });
    await database[Symbol.asyncDispose]();
  };
  return { client: new Client(base), base, close };
}

/** Starts a server that stops when the current test finishes. */
async function serve(
  options: Partial<PlatformOptions>,
  environment?: Readonly<Record<string, string>>,
): Promise<Serving> {
  const serving = await open(options, environment);
  onTestFinished(serving.close);
  return serving;
}

/** A server without options, which all tests share. */
let usual: Serving;
beforeAll(async () => {
  usual = await open();
});
afterAll(() => usual?.close());

const cardOf = (name: string): string => `/a2a/${name}/.well-known/agent-card.json`;

describe("the agent card of a component", () => {
  test("lists the addresses of the standard endpoints for clients of both protocol versions", async () => {
    const { client, base } = usual;
    const { status, json, headers } = await client.get(cardOf("agents/finder"));
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    expect(headers.vary).toBe("Origin, A2A-Version");
    const url = `${base}/a2a/agents/finder`;
    expect(json).toEqual({
      ...{ name: "Finder", description: "Finds.", version: "3.2.1", protocolVersion: "0.3.0" },
      ...{ url, preferredTransport: "JSONRPC" },
      additionalInterfaces: [
        { url, transport: "JSONRPC" },
        { url: `${url}/rest`, transport: "HTTP+JSON" },
      ],
      supportedInterfaces: ["1.0", "0.3"].flatMap((protocolVersion) => [
        { url, protocolBinding: "JSONRPC", protocolVersion },
        { url: `${url}/rest`, protocolBinding: "HTTP+JSON", protocolVersion },
      ]),
      capabilities: {
        ...{ streaming: true, pushNotifications: expect.any(Boolean), stateTransitionHistory: false },
        extendedAgentCard: expect.any(Boolean),
      },
      ...{ supportsAuthenticatedExtendedCard: expect.any(Boolean) },
      ...{ defaultInputModes: ["text/plain", "application/json"], defaultOutputModes: ["text/plain"] },
      skills: [
        { id: "finder", name: "Finder", description: "Finds.", tags: ["agent"], ...skillRest },
        { id: "finder/search", name: "search", description: "Searches.", tags: ["tool"], ...skillRest },
      ],
    });
    expect(JSON.stringify(json)).not.toContain("secret");
  });

  const skillRest = { examples: [], outputModes: ["text/plain"] };

  test("lists a team's members as skills, and the input and output modes of workflows and typed agents", async () => {
    const { client } = usual;
    const desk = (await client.get(cardOf("teams/desk"))).json;
    expect(desk.skills.map(({ id }: { id: string }) => id)).toEqual(["desk", "desk/finder", "desk/typed"]);
    const other = (await client.get(cardOf("workflows/flow"))).json;
    expect([other.defaultInputModes, other.description]).toEqual([["application/json"], ""]);
    expect((await client.get(cardOf("agents/typed"))).json.defaultOutputModes).toEqual(["application/json"]);
  });

  test("of a factory shows the factory's own description, and messages build the component from the metadata's factory_input", async () => {
    const build = ({ input }: { input: { topic: string } }) =>
      defineAgent({ id: "x", model: scriptedModel([`about ${input.topic}`]) });
    const factory = agentFactory({
      id: "made",
      description: "To order.",
      input: z.object({ topic: z.string() }),
      build,
    });
    const { client } = await serve({ agents: [agent, typed, factory] });
    const { json } = await client.get(cardOf("agents/made"));
    expect(json.skills).toEqual([
      { id: "made", name: "made", description: "To order.", tags: ["agent"], ...skillRest },
    ]);
    const path = "/a2a/agents/made/v1/message:send";
    const sent = await postJson(client, path, request("x", {}, { metadata: { factory_input: { topic: "birds" } } }));
    expect(sent.json.result.history[0].parts).toEqual([{ kind: "text", text: "about birds" }]);
    expect((await postJson(client, path, request("x"))).status).toBe(400);
  });

  test("omits the other version's members when the client names a version in A2A-Version", async () => {
    const authorization = { verificationKeys: [pair.pem] };
    const { client } = await serve({ authorization, a2a: { publicCards: true } });
    const one = (await client.get(cardOf("agents/finder"), { "a2a-version": "1.0" })).json;
    expect(Object.keys(one)).not.toContain("url");
    expect(one.securitySchemes.bearer).toEqual({
      httpAuthSecurityScheme: { scheme: "Bearer", bearerFormat: "JWT", description: expect.any(String) },
    });
    expect(one.securityRequirements).toEqual([{ schemes: { bearer: { list: [] } } }]);
    const old = (await client.get(cardOf("agents/finder"), { "a2a-version": "0.3" })).json;
    expect(Object.keys(old)).not.toContain("supportedInterfaces");
    expect([old.securitySchemes, old.security]).toEqual([
      { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: expect.any(String) } },
      [{ bearer: [] }],
    ]);
  });

  test.each(["0.3", "1.0", undefined])(
    "omits absent members instead of sending null, for the version %s",
    async (version) => {
      const headers: Record<string, string> = version === undefined ? {} : { "a2a-version": version };
      for (const name of ["agents/finder", "teams/desk", "workflows/flow"]) {
        expect((await usual.client.get(cardOf(name), headers)).text).not.toContain("null");
      }
    },
  );

  test("has Cache-Control and ETag headers, and returns 304 for a matching If-None-Match", async () => {
    const { client } = usual;
    const first = await client.get(cardOf("agents/finder"));
    expect(first.headers["cache-control"]).toBe("public, max-age=300");
    const { etag = "" } = first.headers;
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    for (const tags of [etag, `"other", ${etag}`, etag.replace("W/", ""), "*"]) {
      const again = await client.get(cardOf("agents/finder"), { "if-none-match": tags });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, "", etag]);
      expect(again.headers["cache-control"]).toBe("public, max-age=300");
    }
    for (const others of [
      { "if-none-match": '"other"' },
      { "if-none-match": etag, "a2a-version": "1.0" },
      { "if-none-match": etag, host: "agents.localhost" },
    ]) {
      expect((await client.get(cardOf("agents/finder"), others)).status).toBe(200);
    }
  });

  test("returns 404 for an unknown component", async () => {
    const { client } = usual;
    for (const [kind, title] of [
      ["agents", "Agent"],
      ["teams", "Team"],
      ["workflows", "Workflow"],
    ]) {
      const { status, json } = await client.get(cardOf(`${kind}/nope`));
      expect([status, json]).toEqual([404, { detail: `${title} not found`, error_code: "NOT_FOUND" }]);
    }
  });
});

describe("access to agent cards", () => {
  const authorization = { verificationKeys: [pair.pem] };
  const as = (...scopes: string[]) => bearer(token({ sub: "alice", scopes }, pair));

  test("public cards return 200 without a token, and even with an invalid one, when other routes need one", async () => {
    const closed = { ...authorization, excludedRoutePaths: [] };
    const { client } = await serve({ authorization: closed, a2a: { publicCards: true } });
    for (const headers of [{}, bearer("nonsense"), as()]) {
      expect((await client.get(cardOf("agents/finder"), headers)).status).toBe(200);
    }
    expect((await client.get("/health")).status).toBe(401);
  });

  test.each([{}, { publicCards: false }])(
    "[J15] with authorization and the options %j, a card needs the read scope of its component and is marked private for caches",
    async (options) => {
      const { client } = await serve({ authorization, a2a: { ...options, rootCard: "teams/desk" } });
      for (const path of [cardOf("teams/desk"), "/.well-known/agent-card.json"]) {
        expect((await client.get(path)).status).toBe(401);
        expect((await client.get(path, as("agents:read"))).status).toBe(403);
        const shown = await client.get(path, as("teams:read"));
        expect([shown.status, shown.headers["cache-control"]]).toEqual([200, "private, max-age=300"]);
        expect(shown.headers.vary).toBe("Origin, A2A-Version, Authorization");
      }
      expect((await client.get(cardOf("teams/desk"), as("teams:desk:read"))).status).toBe(200);
      expect((await client.get(cardOf("teams/desk"), as("teams:other:read"))).status).toBe(403);
      for (const path of [cardOf("agents/finder"), cardOf("workflows/flow"), cardOf("agents/nope")])
        expect((await client.get(path)).status).toBe(401);
    },
  );

  test("with a security key, a card returns 401 without the key and 200 with it", async () => {
    const { client } = await serve({}, { OS_SECURITY_KEY: "a key that nobody guesses" });
    expect((await client.get(cardOf("teams/desk"))).status).toBe(401);
    expect((await client.get(cardOf("teams/desk"), bearer("a key that nobody guesses"))).status).toBe(200);
  });

  test.each([
    ["COOKIE", ["cookie"]],
    ["BOTH", ["bearer", "cookie"]],
  ] as const)("with the token source %s, a public card lists its security schemes", async (tokenSource, names) => {
    const sent = { ...authorization, tokenSource, cookieName: "sid" };
    const { client } = await serve({ authorization: sent, a2a: { publicCards: true } });
    const { securitySchemes, security } = (await client.get(cardOf("agents/finder"))).json;
    expect([Object.keys(securitySchemes), security]).toEqual([names, names.map((name) => ({ [name]: [] }))]);
    expect(securitySchemes.cookie).toMatchObject({ type: "apiKey", in: "cookie", name: "sid" });
  });
});

describe("options of agent cards", () => {
  test("rootCard selects the card at the server's well-known path, with the configured address and provider", async () => {
    const provider = { organization: "Acme", url: "https://acme.example" };
    const { client } = await serve({
      a2a: { rootCard: "agents/finder", url: "https://agents.example/base/", provider },
    });
    const { json } = await client.get("/.well-known/agent-card.json");
    expect([json.url, json.provider]).toEqual(["https://agents.example/base/a2a/agents/finder", provider]);
    expect(json).toEqual((await client.get(cardOf("agents/finder"))).json);
    expect((await usual.client.get("/.well-known/agent-card.json")).status).toBe(404);
  });

  test("a signed card passes the stock client's verification, and an altered card fails it", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const signingKey = { ...privateKey.export({ format: "jwk" }), kty: "EC", alg: "ES256", kid: "k1" };
    const { client } = await serve({ a2a: { signingKey, url: "https://agents.example" } });
    const { AgentCard: cards } = await import("@a2a-js/sdk");
    for (const headers of [{ "a2a-version": "1.0" }, {}] as Record<string, string>[]) {
      const card: AgentCard = cards.fromJSON((await client.get(cardOf("agents/finder"), headers)).json);
      const verify = verifyAgentCardSignature(async (kid) => {
        expect(kid).toBe("k1");
        return publicKey;
      });
      await verify(card);
      // The SDK prints a failed verification.
      const written = vi.spyOn(console, "debug").mockImplementation(() => {});
      onTestFinished(() => written.mockRestore());
      await expect(verify({ ...card, name: "Another" })).rejects.toThrow();
    }
  });

  test("a card whose address comes from the Host header is not signed, and a warning names a2a.url", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const signingKey = { ...privateKey.export({ format: "jwk" }), kty: "EC", alg: "ES256", kid: "k1" };
    const { client } = await serve({ a2a: { signingKey } });
    const { json } = await client.get(cardOf("agents/finder"), { host: "localhost:666" });
    expect(json.url).toBe("http://localhost:666/a2a/agents/finder");
    expect(json).not.toHaveProperty("signatures");
    const warn = vi.fn();
    a2aRoutes({ a2a: { signingKey, url: "https://agents.example" } }, { warn });
    expect(warn).not.toHaveBeenCalled();
    a2aRoutes({ a2a: { signingKey } }, { warn });
    expect(warn).toHaveBeenCalledWith({}, expect.stringContaining("a2a.url"));
  });

  test("the server does not start with a signing key that does not match its algorithm", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwk = { ...privateKey.export({ format: "jwk" }), kty: "EC", kid: "k1" };
    for (const wrong of [
      ...["RS256", "ES384", "EdDSA", "HS256", "none", ""].map((alg) => ({ ...jwk, alg })),
      { ...jwk, alg: "ES256", x: "AA" },
    ]) {
      await expect(serve({ a2a: { signingKey: wrong } })).rejects.toThrow(/signingKey cannot sign by its alg/);
    }
  });

  test("a2a: false removes the cards and the message routes: 404", async () => {
    const { client } = await serve({ a2a: false });
    expect((await client.get(cardOf("agents/finder"))).status).toBe(404);
    expect((await client.send("/a2a/agents/finder/v1/message:send", { method: "POST" })).status).toBe(404);
  });

  test.each([
    ["text", "must be true, false or an object"],
    [{ publicCards: "yes" }, "publicCards must be true or false"],
    [{ rootCard: "finder" }, "names no component"],
    [{ rootCard: "agents/nope" }, "names no component"],
    [{ url: "ftp://x" }, "url must be an address"],
    [{ provider: { organization: "x" } }, "provider must have an organization and a url"],
    [{ signingKey: { kty: "EC" } }, "signingKey must be a private JSON Web Key"],
    [{ publicCard: true }, 'did you mean "publicCards"'],
  ])("definePlatform throws for the a2a option %j", (a2a, reason) => {
    const options = { id: "x", agents: [agent], a2a } as unknown as PlatformOptions;
    expect(() => definePlatform(options)).toThrow(reason);
  });
});
