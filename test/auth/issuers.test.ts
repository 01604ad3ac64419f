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
const unavailable = "503 Authentication is temporarily unavailable";

/** An identity provider on a local port. */
class Provider {
  keys: object[];
  /** Replaces its discovery document. */
  document: object | undefined;
  isDown = false;
  /** Number of requests for keys. */
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

/** Returns a runtime with a monotonic clock that the test moves; sleeping only advances the clock. */
function movedBy(clock: { now: number }): Runtime {
  const sleep = async (milliseconds: number): Promise<void> => {
    clock.now += milliseconds;
  };
  return { ...testRuntime, clock: { ...testRuntime.clock, monotonic: () => clock.now, sleep } };
}

/** Opens authorization whose sleeps take no time. */
function quick(options: AuthorizationOptions): AccessControl {
  return accessOf(options, { runtime: movedBy({ now: 0 }) });
}

const [a, b, unknown] = [makePair(), makePair(), makePair()];

describe("[J43] identity providers", () => {
  test("keys are read by discovery or from jwksUrl", async () => {
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

  test("an issuer's tokens are accepted only with its own keys and audience", async () => {
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

  test("verificationKeys beside issuers verify tokens without these issuers, and no token of an issuer", async () => {
    const one = await provider(a);
    const access = quick({ issuers: [one.options()], verificationKeys: [b.pem] });
    expect(await refusalOf(access, token(good, b))).toBe("ok");
    expect(await refusalOf(access, one.token(a))).toBe("ok");
    expect(await refusalOf(access, one.token(b))).toBe(badSignature);
    expect(await refusalOf(access, token(good, a))).toBe(badSignature);
  });

  test("a token without kid is verified with every key of its type; an algorithm that is not configured is rejected", async () => {
    const ec = makePair("ES256");
    const one = await provider(ec, b, a);
    const access = quick({ issuers: [one.options({ algorithms: ["RS256", "ES256"] })] });
    for (const by of [a, b, ec]) expect(await refusalOf(access, one.token(by, {}, { kid: undefined }))).toBe("ok");
    const strict = quick({ issuers: [one.options()] });
    expect(await refusalOf(strict, one.token(ec))).toBe("401 Invalid token: The specified alg value is not allowed");
    const hs = token({ ...good, iss: one.issuer }, a.pem);
    expect(await refusalOf(strict, hs)).toBe("401 Invalid token: The specified alg value is not allowed");
  });

  test("each issuer has its own claims and scope mappings", async () => {
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

  test("userIdPrefix separates users of two issuers with the same id; without it they are the same user", async () => {
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

  test("keys over plain HTTP are rejected at start, except with allowHttp", () => {
    const fault = /plain HTTP: keys are read over HTTPS/;
    const issuer = "http://keycloak:8080/realms/x";
    expect(() => accessOf({ issuers: [{ issuer, audience: "a" }] })).toThrow(fault);
    expect(() => accessOf({ issuers: [{ issuer: "x", jwksUrl: `${issuer}/keys`, audience: "a" }] })).toThrow(fault);
    expect(() => accessOf({ issuers: [{ issuer: "x", audience: "a" }] })).toThrow(/no address of the web/);
    expect(accessOf({ issuers: [{ issuer, audience: "a", allowHttp: true }] }).mode).toBe("jwt");
  });

  test("an invalid discovery document, or one of another issuer or with a plain HTTP address, yields 503 and a warning", async () => {
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
      expect(await refusalOf(access, one.token(a))).toBe(unavailable);
    }
    expect(one.asked).toBe(0);
    expect(warn).toHaveBeenCalledTimes(4);
  });
});

describe("remote key sets", () => {
  test("a key rotation under load rejects no valid token, with one request for keys at a time", async () => {
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
    // The number of requests does not depend on the load.
    expect(one.asked).toBeLessThanOrEqual(8);
  });

  test("while the address is down, known keys stay valid, and tokens with unknown keys cause at most four requests", async () => {
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
    // Each pause between requests is twice the one before; a token waits only for a short pause.
    expect(read.mock.calls.length).toBeLessThanOrEqual(4);
    clock.now += 24 * 3_600_000;
    expect(await refusalOf(access, one.token(a))).toBe("ok");
    one.isDown = false;
    one.keys = [b.jwk];
    clock.now += 60_000;
    expect(await refusalOf(access, one.token(b))).toBe("ok");
    expect(await refusalOf(access, one.token(a))).toBe(badSignature);
  });

  test("100 concurrent tokens cause at most two requests; without any known key, a token gets 503", async () => {
    const one = await provider(a);
    const access = accessOf({ issuers: [one.options()] });
    const answers = await Promise.all(Array.from({ length: 100 }, () => refusalOf(access, one.token(a))));
    expect(new Set(answers)).toEqual(new Set(["ok"]));
    expect(one.asked).toBeLessThanOrEqual(2);
    const two = await provider(b);
    two.isDown = true;
    expect(await refusalOf(accessOf({ issuers: [two.options()] }), two.token(b))).toBe(unavailable);
  });

  test("an answer that is not a usable key set leaves the known keys valid", async () => {
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
