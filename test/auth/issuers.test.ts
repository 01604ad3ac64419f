import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AccessControl } from "../../src/auth/access-control.ts";
import type { AuthorizationOptions, IssuerOptions } from "../../src/model/authorization.ts";
import type { Runtime } from "../../src/model/runtime.ts";
import { eventually } from "../support/eventually.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";
import { makePair, type Pair, token } from "../support/tokens.ts";
import { accessOf, callerOf, refusalOf } from "./support.ts";

const good = { sub: "alice", aud: "api", scopes: ["agents:read"] };
const badSignature = "401 Invalid token: Signature verification failed";
const away = "503 Authentication is temporarily unavailable";

/** An identity provider on this machine. */
class Provider {
  keys: object[];
  /** What its discovery document says instead. */
  document: object | undefined;
  isDown = false;
  /** Requests for keys. */
  asked = 0;
  readonly #server: Server;

  constructor(...pairs: Pair[]) {
    this.keys = pairs.map(({ jwk }) => jwk);
    this.#server = createServer((request, response) => {
      if (this.isDown) return void request.socket.destroy();
      const isDocument = request.url === "/.well-known/openid-configuration";
      if (!isDocument) this.asked++;
      const document = this.document ?? { issuer: this.issuer, jwks_uri: `${this.issuer}/keys` };
      response.end(JSON.stringify(isDocument ? document : { keys: this.keys }));
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
    return this;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  options(more: Partial<IssuerOptions> = {}): IssuerOptions {
    return { issuer: this.issuer, audience: "api", ...more };
  }

  token(by: Pair, claims: object = {}, header: object = {}): string {
    return token({ ...good, iss: this.issuer, jti: randomUUID(), ...claims }, by, { ...header });
  }
}

function provider(...pairs: Pair[]): Promise<Provider> {
  return new Provider(...pairs).listen();
}

/** A runtime whose monotonic clock a test moves; its pauses take no time. */
function movedBy(clock: { now: number }): Runtime {
  const sleep = async (milliseconds: number): Promise<void> => {
    clock.now += milliseconds;
  };
  return { ...testRuntime, clock: { ...testRuntime.clock, monotonic: () => clock.now, sleep } };
}

/** Authorization whose pauses take no time. */
function quick(options: AuthorizationOptions): AccessControl {
  return accessOf(options, { runtime: movedBy({ now: 0 }) });
}

const [a, b, unknown] = [makePair(), makePair(), makePair()];

describe("[J43] identity providers", () => {
  test("keys are found by discovery, and at an address", async () => {
    const one = await provider(a);
    for (const more of [
      {},
      { discovery: true },
      { discovery: `${one.issuer}/.well-known/openid-configuration` },
      { jwksUrl: `${one.issuer}/keys` },
    ]) {
      const access = quick({ issuers: [one.options(more)] });
      expect(await callerOf(access, one.token(a))).toMatchObject({ userId: "alice", scopes: ["agents:read"] });
      expect(await refusalOf(access, one.token(unknown))).toBe(badSignature);
    }
  });

  test("each is bound to its own keys and audience", async () => {
    const [one, two] = [await provider(a), await provider(b)];
    const access = quick({ issuers: [one.options(), two.options({ audience: ["two", "deux"] })] });
    expect(await refusalOf(access, one.token(a))).toBe("ok");
    expect(await refusalOf(access, two.token(b, { aud: "deux" }))).toBe("ok");
    expect(await refusalOf(access, two.token(b))).toContain("Invalid token audience");
    expect(await refusalOf(access, one.token(a, { aud: "two" }))).toContain("Invalid token audience");
    for (const header of [{}, { kid: a.kid }, { kid: undefined }]) {
      expect(await refusalOf(access, one.token(b, {}, header))).toBe(badSignature);
    }
    for (const iss of ["https://other.example", `${one.issuer}/`, undefined, [one.issuer], null]) {
      expect(await refusalOf(access, one.token(a, { iss }))).toBe(
        "401 Invalid token: The token's issuer is not accepted",
      );
    }
  });

  test("beside them the operator's own keys verify tokens of others, and none of theirs", async () => {
    const one = await provider(a);
    const access = quick({ issuers: [one.options()], verificationKeys: [b.pem] });
    expect(await refusalOf(access, token(good, b))).toBe("ok");
    expect(await refusalOf(access, one.token(a))).toBe("ok");
    expect(await refusalOf(access, one.token(b))).toBe(badSignature);
    expect(await refusalOf(access, token(good, a))).toBe(badSignature);
  });

  test("a token without kid is tried against the keys of its type; other algorithms are refused", async () => {
    const ec = makePair("ES256");
    const one = await provider(ec, b, a);
    const access = quick({ issuers: [one.options({ algorithms: ["RS256", "ES256"] })] });
    for (const by of [a, b, ec]) expect(await refusalOf(access, one.token(by, {}, { kid: undefined }))).toBe("ok");
    const strict = quick({ issuers: [one.options()] });
    expect(await refusalOf(strict, one.token(ec))).toBe("401 Invalid token: The specified alg value is not allowed");
    const hs = token({ ...good, iss: one.issuer }, a.pem);
    expect(await refusalOf(strict, hs)).toBe("401 Invalid token: The specified alg value is not allowed");
  });

  test("each has its own claims, and endpoints its own names for scopes", async () => {
    const [one, two] = [await provider(a), await provider(b)];
    const access = quick({
      issuers: [
        one.options({
          scopesClaim: "realm_access.roles",
          userIdClaim: "email",
          scopeMappings: { "GET /agents": ["agent-reader"] },
        }),
        two.options(),
      ],
    });
    const roles = { realm_access: { roles: ["agent-reader"] }, email: "alice@example.com" };
    const ofOne = await callerOf(access, one.token(a, roles));
    expect(ofOne).toMatchObject({ userId: "alice@example.com", scopes: ["agent-reader"] });
    const demand = access.requiredScopesOf({ method: "GET", path: "/agents", resource: "agents", action: "read" });
    access.check(ofOne, demand);
    access.check(await callerOf(access, two.token(b)), demand);
    const roleOfTwo = await callerOf(access, two.token(b, { scopes: ["agent-reader"] }));
    expect(() => access.check(roleOfTwo, demand)).toThrow("Required scope(s): agents:read");
  });

  test("users of one name are told apart by a prefix, and are one without", async () => {
    const [one, two] = [await provider(a), await provider(b)];
    const userOf = async (access: AccessControl, from: Provider, by: Pair) =>
      (await callerOf(access, from.token(by))).userId;
    const apart = quick({ userIsolation: true, issuers: [one.options(), two.options({ userIdPrefix: "two|" })] });
    expect([await userOf(apart, one, a), await userOf(apart, two, b)]).toEqual(["alice", "two|alice"]);
    const same = quick({ issuers: [one.options(), two.options()] });
    expect([await userOf(same, one, a), await userOf(same, two, b)]).toEqual(["alice", "alice"]);
    const long = two.token(b, { sub: "x".repeat(253) });
    expect(await refusalOf(apart, long)).toBe("401 Invalid token subject");
    const kept = quick({ issuers: [one.options({ userIdPrefix: "s" })] });
    expect(await refusalOf(kept, one.token(a, { sub: "a:bot" }))).toBe("401 Invalid token subject");
  });

  test("keys are read over HTTPS only, but for this machine's own", () => {
    const fault = /plain HTTP: keys are read over HTTPS/;
    const issuer = "http://keycloak:8080/realms/x";
    expect(() => accessOf({ issuers: [{ issuer, audience: "a" }] })).toThrow(fault);
    expect(() => accessOf({ issuers: [{ issuer: "x", jwksUrl: `${issuer}/keys`, audience: "a" }] })).toThrow(fault);
    expect(() => accessOf({ issuers: [{ issuer: "x", audience: "a" }] })).toThrow(/no address of the web/);
    expect(accessOf({ issuers: [{ issuer, audience: "a", allowHttp: true }] }).mode).toBe("jwt");
  });

  test("a discovery document of another issuer, or one that leads to plain HTTP, brings no keys", async () => {
    const one = await provider(a);
    const warn = vi.fn();
    for (const document of [
      { issuer: "https://other.example", jwks_uri: `${one.issuer}/keys` },
      { issuer: one.issuer, jwks_uri: "http://keys.example/keys" },
      { issuer: one.issuer },
      [],
    ]) {
      one.document = document;
      const access = accessOf({ issuers: [one.options()] }, { log: { ...silentLog, warn } });
      expect(await refusalOf(access, one.token(a))).toBe(away);
    }
    expect(one.asked).toBe(0);
    expect(warn).toHaveBeenCalledTimes(4);
  });
});

describe("remote keys come and go", () => {
  test("rotation under load: no valid token is refused", async () => {
    const one = await provider(a);
    const access = accessOf({ issuers: [one.options()] });
    let signer = a;
    let isOver = false;
    let asked = 0;
    const refusals = new Set<string>();
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        refusals.add(await refusalOf(access, one.token(signer)));
        asked++;
      }
    });
    for (let round = 0; round < 3; round++) {
      const next = makePair();
      one.keys = [signer.jwk, next.jwk];
      signer = next;
      const before = asked;
      await eventually(() => expect(asked).toBeGreaterThan(before + 20));
    }
    isOver = true;
    await Promise.all(load);
    expect([...refusals]).toEqual(["ok"]);
    // One request at a time, whatever the load.
    expect(one.asked).toBeLessThanOrEqual(8);
  });

  test("while the address is down known keys go on, and unknown ones do not hammer it", async () => {
    const clock = { now: 0 };
    const one = await provider(a);
    const read = vi.fn(async (url: string) => (await fetch(url)).text());
    const access = accessOf(
      { issuers: [one.options({ jwksUrl: `${one.issuer}/keys` })] },
      { runtime: movedBy(clock), read },
    );
    expect(await refusalOf(access, one.token(a))).toBe("ok");
    one.isDown = true;
    read.mockClear();
    const refused = await Promise.all(Array.from({ length: 200 }, () => refusalOf(access, one.token(unknown))));
    expect(new Set(refused)).toEqual(new Set([badSignature]));
    for (let round = 0; round < 20; round++) expect(await refusalOf(access, one.token(unknown))).toBe(badSignature);
    // The pause after each look is twice the one before; a token waits for a short one only.
    expect(read.mock.calls.length).toBeLessThanOrEqual(4);
    clock.now += 24 * 3_600_000;
    expect(await refusalOf(access, one.token(a))).toBe("ok");
    one.isDown = false;
    one.keys = [b.jwk];
    clock.now += 60_000;
    expect(await refusalOf(access, one.token(b))).toBe("ok");
    expect(await refusalOf(access, one.token(a))).toBe(badSignature);
  });

  test("many tokens at once bring one request; without any key yet, callers are told to come again", async () => {
    const one = await provider(a);
    const access = accessOf({ issuers: [one.options()] });
    const answers = await Promise.all(Array.from({ length: 100 }, () => refusalOf(access, one.token(a))));
    expect(new Set(answers)).toEqual(new Set(["ok"]));
    expect(one.asked).toBeLessThanOrEqual(2);
    const two = await provider(b);
    two.isDown = true;
    expect(await refusalOf(accessOf({ issuers: [two.options()] }), two.token(b))).toBe(away);
  });

  test("what is no key set leaves the known keys", async () => {
    const clock = { now: 0 };
    let text = JSON.stringify({ keys: [a.jwk] });
    const issuers = [{ issuer: "https://id.example", jwksUrl: "https://id.example/keys", audience: "api" }];
    const access = accessOf({ issuers }, { runtime: movedBy(clock), read: async () => text });
    const of = (by: Pair) => refusalOf(access, token({ ...good, iss: "https://id.example", jti: randomUUID() }, by));
    expect(await of(a)).toBe("ok");
    for (text of ["<html>", "{}", '{"keys":[]}', JSON.stringify({ keys: [makePair("ES256").jwk] })]) {
      clock.now += 600_000;
      expect(await of(unknown)).toBe(badSignature);
      expect(await of(a)).toBe("ok");
    }
  });
});
