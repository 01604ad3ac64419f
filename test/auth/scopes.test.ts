import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mappedScopes } from "../../src/auth/mappings.ts";
import { parseScope, satisfies, unheldScopes, vocabulary } from "../../src/auth/scopes.ts";
import { interfaceRoutes } from "../../src/http/routes/all.ts";
import { a2aRoutes } from "../../src/interfaces/a2a/routes/all.ts";
import { open } from "../../src/model/principal.ts";

interface RecordedRoute {
  readonly method: string;
  readonly path: string;
  readonly middleware_scopes: readonly string[];
  readonly route_gate_scope?: string;
  readonly excluded_from_auth: boolean;
}

const recorded: { vocabulary: object; routes: readonly RecordedRoute[] } = JSON.parse(
  readFileSync(new URL("../conformance/data/scopes.json", import.meta.url), "utf8"),
);

test("[J45] the vocabulary equals the recorded resources and actions, with those of webhooks", () => {
  expect(vocabulary).toEqual({ ...recorded.vocabulary, webhooks: ["read", "write"] });
});

test("[J45] every recorded route requires the recorded scope", () => {
  const routes = [...interfaceRoutes(0), ...a2aRoutes({ a2a: {} })];
  const wrong = routes.flatMap(({ method, path, access }) => {
    const known = recorded.routes.find((route) => route.method === method && route.path === path);
    const wanted = known?.middleware_scopes[0] ?? known?.route_gate_scope ?? "public";
    const ours = typeof access === "string" ? access : `${access.resource}:${access.action}`;
    return known && wanted !== ours ? [`${method} ${path}: ${ours} instead of ${wanted}`] : [];
  });
  expect(wrong).toEqual([]);
});

describe("[J9] [J34] satisfies", () => {
  test.each([
    ["agents:read", "agents:read", undefined, true],
    ["agents:*:read", "agents:read", undefined, true],
    ["agents:a:read", "agents:read", undefined, false],
    ["agents:a:read", "agents:read", "a", true],
    ["agents:a:read", "agents:read", "b", false],
    ["agents:A:read", "agents:read", "a", false],
    ["agents:write", "agents:read", undefined, false],
    ["agents:run", "agents:read", "a", false],
    ["*", "agents:read", "a", false],
    ["agents:*", "agents:read", "a", false],
    ["*:*:read", "agents:read", "a", false],
    ["agents", "agents:read", "a", false],
    ["agents:a:b:read", "agents:read", "a:b", false],
    ["agents:read ", "agents:read", "a", false],
    ["system:read", "config:read", undefined, true],
    ["config:read", "system:read", undefined, true],
    ["agents:a:run", "agents:a:run", undefined, true],
    ["agents:run", "agents:a:run", undefined, false],
    ["Agents.Read", "Agents.Read", "a", true],
    ["a:b:c:d", "a:b:c:d", undefined, true],
  ] as const)("a held scope %s for the required scope %s of component %s: %s", (held, required, id, answer) => {
    expect(satisfies([held], required, id)).toBe(answer);
  });

  const word = fc.stringMatching(/^[a-z*_-]{1,6}$/);
  const scope = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(":"));

  test("a further held scope never revokes access, and access to all components includes each component", () => {
    fc.assert(
      fc.property(fc.array(scope), scope, scope, word, (held, more, required, id) => {
        if (satisfies(held, required, id)) expect(satisfies([...held, more], required, id)).toBe(true);
        if (satisfies(held, required)) expect(satisfies(held, required, id)).toBe(true);
      }),
    );
  });

  test("scopes granted within unheldScopes never satisfy a requirement that the giver's scopes do not", () => {
    fc.assert(
      fc.property(fc.array(scope), fc.array(scope), scope, word, (held, wanted, required, id) => {
        const giver = { ...open, isAdmin: false, scopes: held };
        const granted = wanted.filter((one) => parseScope(one) && unheldScopes(giver, [one]).length === 0);
        if (satisfies(granted, required, id)) expect(satisfies(held, required, id)).toBe(true);
      }),
    );
  });
});

describe("[J35] mappedScopes", () => {
  const runs = { method: "POST", path: "/agents/{agent_id}/runs" };
  const one = { method: "GET", path: "/agents/{agent_id}/runs/{run_id}" };
  test.each([
    [{ "POST /agents/*/runs": ["a"] }, runs, ["a"]],
    [{ "POST /agents/{agent_id}/runs": ["a"], "POST /agents/*/runs": ["b"] }, runs, ["a"]],
    [{ "POST /agents/*": ["a"] }, runs, undefined],
    [{ "POST /agents/*": [] }, runs, undefined],
    [{ "GET /agents/*/runs": ["a"] }, runs, undefined],
    [{ "GET /agents/*": ["a"] }, one, ["a"]],
    [{ "GET /agents/*": ["a"], "GET /agents/*/runs/*": ["b"] }, one, ["b"]],
    [{ "GET /agents": ["a"] }, one, undefined],
    [{ "GET /*": ["a"] }, one, ["a"]],
    [{ "GET /agents/+": ["a"] }, one, undefined],
    [{}, one, undefined],
  ])("with the mappings %j the route %j requires %j", (mappings, route, scopes) => {
    expect(mappedScopes(mappings as Record<string, string[]>, route)).toEqual(scopes);
  });
});
