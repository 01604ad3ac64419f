import { createSecretKey, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { modeOf } from "../../src/auth/access-rules.ts";
import { definePlatform } from "../../src/index.ts";
import type { AuthorizationOptions } from "../../src/model/authorization.ts";
import { eventually } from "../support/eventually.ts";
import { silentLog } from "../support/runtime.ts";
import { inSeconds, makePair, token } from "../support/tokens.ts";
import { accessOf, callerOf, refusalOf } from "./support.ts";

const rsa = makePair();
const second = makePair();
const secret = "a shared secret of at least thirty-two bytes";
const good = { sub: "alice", scopes: ["agents:read"] };
const badSignature = "401 Invalid token: Signature verification failed";

/** Writes a file for a test and returns its path. */
function fileOf(contents: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "keys.json");
  writeFileSync(path, typeof contents === "string" ? contents : JSON.stringify(contents));
  return path;
}

describe("the authorization mode", () => {
  const keys = { JWT_VERIFICATION_KEY: rsa.pem };
  test.each([
    ["[J1] is none by default", undefined, {}, "none"],
    ["[J40] is jwt with a key in the environment", undefined, keys, "jwt"],
    ["is jwt with a key set in the environment", undefined, { JWT_JWKS_FILE: "x" }, "jwt"],
    ["is none with empty variables", undefined, { JWT_VERIFICATION_KEY: "", OS_SECURITY_KEY: "" }, "none"],
    ["is jwt with authorization: true", true, keys, "jwt"],
    ["is jwt with options", { verificationKeys: [rsa.pem] }, {}, "jwt"],
    ["is none with authorization: false, despite a key in the environment", false, keys, "none"],
    ["is security_key with the security key alone", undefined, { OS_SECURITY_KEY: "k" }, "security_key"],
    ["is jwt with both a key and the security key", undefined, { ...keys, OS_SECURITY_KEY: "k" }, "jwt"],
    [
      "is security_key with authorization: false and the security key",
      false,
      { ...keys, OS_SECURITY_KEY: "k" },
      "security_key",
    ],
  ] as const)("%s", (_name, authorization, environment, mode) => {
    expect(modeOf({ authorization, environment })).toBe(mode);
  });

  test("[J41] authorization: true without any key throws an error that names both variables", () => {
    expect(() => accessOf(true)).toThrow(/JWT_VERIFICATION_KEY or JWT_JWKS_FILE/);
    expect(() => accessOf({})).toThrow(/JWT_VERIFICATION_KEY or JWT_JWKS_FILE/);
    expect(() => accessOf(true, { environment: { OS_SECURITY_KEY: "k" } })).toThrow(/JWT_VERIFICATION_KEY/);
  });

  test("authorization: false with keys in the environment logs a warning", () => {
    const warn = vi.fn();
    accessOf(false, { environment: keys, log: { ...silentLog, warn } });
    expect(warn).toHaveBeenCalledWith(
      { ignored: ["JWT_VERIFICATION_KEY"] },
      expect.stringContaining("authorization: false"),
    );
  });

  test("[J40] with only a key in the environment, scopes are checked too", async () => {
    const access = accessOf(undefined, {
      environment: { JWT_VERIFICATION_KEY: rsa.pem.trim().replaceAll("\n", "\\n") },
    });
    const caller = await callerOf(access, token(good, rsa));
    const demand = access.requiredScopesOf({ method: "GET", path: "/teams", resource: "teams", action: "read" });
    expect(() => access.check(caller, demand)).toThrow("Insufficient permissions. Required scope(s): teams:read");
  });
});

describe("keys", () => {
  test("[J19] [J20] [J44] with two keys, tokens of both are accepted, in either order", async () => {
    for (const verificationKeys of [
      [rsa.pem, second.pem],
      [second.pem, rsa.pem],
    ]) {
      const access = accessOf({ verificationKeys });
      for (const by of [rsa, second]) expect(await refusalOf(access, token(good, by))).toBe("ok");
      expect(await refusalOf(access, token(good, makePair()))).toBe(badSignature);
    }
  });

  test("[J42] by default only RS256 is accepted, from any issuer, even with a key that fits other algorithms", async () => {
    const access = accessOf({ verificationKeys: [rsa.pem] });
    for (const iss of [undefined, "https://os.agno.com", "https://elsewhere.example"])
      expect(await refusalOf(access, token({ ...good, iss }, rsa))).toBe("ok");
    for (const algorithm of ["RS384", "RS512", "PS256"]) {
      const refusal = "401 Invalid token: The specified alg value is not allowed";
      expect(await refusalOf(access, token(good, { ...rsa, algorithm }))).toBe(refusal);
    }
  });

  test.each(["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA"] as const)(
    "[J25] a key for %s is accepted as PEM, as a JWK object and as JWK text",
    async (algorithm) => {
      const pair = makePair(algorithm);
      for (const key of [pair.pem, pair.jwk, JSON.stringify(pair.jwk)]) {
        const access = accessOf({ algorithm, verificationKeys: [key] });
        expect(await refusalOf(access, token(good, pair))).toBe("ok");
        expect(await refusalOf(access, token(good, makePair(algorithm)))).toBe(badSignature);
      }
    },
  );

  test("[J19] [J25] HS256 is verified with a shared secret from the options, the environment or a JWK", async () => {
    for (const access of [
      accessOf({ algorithm: "HS256", verificationKeys: [secret] }),
      accessOf({ algorithm: "HS256" }, { environment: { JWT_VERIFICATION_KEY: secret } }),
      accessOf({
        algorithm: "HS256",
        verificationKeys: [createSecretKey(Buffer.from(secret)).export({ format: "jwk" }) as { kty: string }],
      }),
    ]) {
      expect(await refusalOf(access, token(good, secret))).toBe("ok");
      expect(await refusalOf(access, token(good, `${secret}.`))).toBe(badSignature);
    }
  });

  test("a short shared secret logs a warning that does not contain it", () => {
    const warn = vi.fn();
    accessOf({ algorithm: "HS256", verificationKeys: ["short"] }, { log: { ...silentLog, warn } });
    expect(warn).toHaveBeenCalledOnce();
    expect(JSON.stringify(warn.mock.calls)).not.toContain('short"');
  });

  test("a short secret in a key set and a short security key each log a warning without the secret", () => {
    const warn = vi.fn();
    const log = { ...silentLog, warn };
    const k = Buffer.from("short").toString("base64url");
    accessOf({ algorithm: "HS256", jwksFile: fileOf({ keys: [{ kty: "oct", k }] }) }, { log });
    expect(warn).toHaveBeenLastCalledWith({ key: expect.stringContaining("keys.json") }, expect.any(String));
    accessOf(undefined, { log, environment: { OS_SECURITY_KEY: "short" } });
    accessOf(undefined, { log, environment: { OS_SECURITY_KEY: "long enough, as it seems" } });
    expect(warn).toHaveBeenCalledTimes(2);
    expect(JSON.stringify(warn.mock.calls)).not.toMatch(new RegExp(`"short"|${k}`));
  });

  test("[J37] [J39] the key in the environment is added to the keys in the options", async () => {
    const access = accessOf({ verificationKeys: [rsa.pem] }, { environment: { JWT_VERIFICATION_KEY: second.pem } });
    for (const by of [rsa, second]) expect(await refusalOf(access, token(good, by))).toBe("ok");
  });

  const misfits: [name: string, options: AuthorizationOptions, fault: RegExp][] = [
    [
      "a key of another type",
      { verificationKeys: [makePair("ES256").pem] },
      /key 1 of verificationKeys is a key of type ec, not RSA/,
    ],
    [
      "one of two keys",
      { verificationKeys: [rsa.pem, makePair("EdDSA").pem] },
      /key 2 .* All keys must fit the algorithm RS256/,
    ],
    [
      "a key on another curve",
      { algorithm: "ES256", verificationKeys: [makePair("ES384").pem] },
      /no key on the curve of ES256/,
    ],
    [
      "an RSA key with too few bits",
      { verificationKeys: [makePair("RS256", 1024).pem] },
      /1024 bits: 2048 are the least/,
    ],
    ["a secret instead of a public key", { verificationKeys: [secret] }, /neither a public key in PEM nor a JWK/],
    ["a public key as a shared secret", { algorithm: "HS256", verificationKeys: [rsa.pem] }, /anybody could sign/],
    [
      "a private key",
      { verificationKeys: [rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString()] },
      /private key: give the public one/,
    ],
    [
      "a private JWK",
      { verificationKeys: [rsa.privateKey.export({ format: "jwk" }) as { kty: string }] },
      /private key/,
    ],
    ["a JWK of another algorithm", { verificationKeys: [{ ...rsa.jwk, alg: "RS512" }] }, /is for RS512/],
    ["a JWK for encryption", { verificationKeys: [{ ...rsa.jwk, use: "enc" }] }, /not a key for signatures/],
    [
      "broken PEM",
      { verificationKeys: ["-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"] },
      /cannot be read/,
    ],
  ];
  test.each(misfits)(
    "[J21] an unsuitable key throws at start, and the error does not contain it: %s",
    (_name, options, fault) => {
      expect(() => accessOf(options)).toThrow(fault);
      try {
        accessOf(options);
      } catch (error) {
        expect(String(error)).not.toContain(secret);
        expect(String(error)).not.toContain("BEGIN");
      }
    },
  );
});

describe("key sets in files", () => {
  const set = (...jwks: object[]): object => ({ keys: jwks });
  const nameless = ({ jwk: { kid: _, ...rest } }: ReturnType<typeof makePair>): object => rest;

  test("[J22] [J23] a token is verified by the key with its kid; a token without kid only by a key without kid", async () => {
    const third = makePair();
    const jwksFile = fileOf(set(rsa.jwk, second.jwk, nameless(third), makePair("ES256").jwk));
    const access = accessOf({ jwksFile });
    for (const by of [rsa, second, third]) expect(await refusalOf(access, token(good, by))).toBe("ok");
    const { kid: _, ...noKid } = { alg: "RS256", typ: "JWT", kid: undefined };
    expect(await refusalOf(access, token(good, third, { ...noKid, kid: undefined }))).toBe("ok");
    expect(await refusalOf(access, token(good, rsa, { kid: undefined }))).toBe(badSignature);
    expect(await refusalOf(access, token(good, rsa, { kid: second.kid }))).toBe(badSignature);
  });

  test("[J30] [J31] with verificationKeys beside a key set, a token is verified by the set or else by these keys", async () => {
    const access = accessOf({ jwksFile: fileOf(set(rsa.jwk)), verificationKeys: [second.pem] });
    for (const by of [rsa, second]) expect(await refusalOf(access, token(good, by))).toBe("ok");
    expect(await refusalOf(access, token(good, second, { kid: rsa.kid }))).toBe("ok");
  });

  test("[J38] [J39] the files in the options and in the environment are both used", async () => {
    const access = accessOf(
      { jwksFile: fileOf(set(rsa.jwk)) },
      { environment: { JWT_JWKS_FILE: fileOf(set(second.jwk)) } },
    );
    for (const by of [rsa, second]) expect(await refusalOf(access, token(good, by))).toBe("ok");
  });

  test.each([
    ["does not exist", () => "/nowhere/keys.json", /cannot be read: ENOENT/],
    ["is not JSON", () => fileOf("-----BEGIN"), /is not JSON/],
    ["is not a key set", () => fileOf({ kty: "RSA" }), /no list "keys"/],
    ["has no key for the algorithm", () => fileOf(set(makePair("ES256").jwk)), /no key for RS256/],
    ["has no keys", () => fileOf(set()), /no key for RS256/],
  ])("[J21] a file that %s throws at start", (_name, make, fault) => {
    expect(() => accessOf({ jwksFile: make() })).toThrow(fault);
  });

  test("[J24] replacing the file under load rejects no valid token", async () => {
    const jwksFile = fileOf(set(rsa.jwk));
    const access = accessOf({ jwksFile });
    let signer = rsa;
    let isOver = false;
    const refusals = new Set<string>();
    let asked = 0;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        refusals.add(await refusalOf(access, token({ ...good, jti: randomBytes(4).toString("hex") }, signer)));
        asked++;
      }
    });
    for (let round = 0; round < 10; round++) {
      const next = makePair();
      // A half-written file is not JSON: the known keys stay valid.
      writeFileSync(jwksFile, '{"keys": [');
      expect(await refusalOf(access, token(good, signer))).toBe("ok");
      writeFileSync(jwksFile, JSON.stringify(set(signer.jwk, next.jwk)));
      signer = next;
      const before = asked;
      await eventually(() => expect(asked).toBeGreaterThan(before + 8));
    }
    isOver = true;
    await Promise.all(load);
    expect([...refusals]).toEqual(["ok"]);
    expect(asked).toBeGreaterThan(100);
  });

  test("[J24] after a key is removed from the file, its tokens are rejected, even those accepted before", async () => {
    let monotonic = 0;
    const { testRuntime } = await import("../support/runtime.ts");
    const runtime = { ...testRuntime, clock: { ...testRuntime.clock, monotonic: () => monotonic } };
    const jwksFile = fileOf(set(rsa.jwk, second.jwk));
    const access = accessOf({ jwksFile }, { runtime });
    const old = token(good, rsa);
    expect(await refusalOf(access, old)).toBe("ok");
    writeFileSync(jwksFile, JSON.stringify(set(second.jwk)));
    monotonic += 2_000;
    await eventually(async () => expect(await refusalOf(access, old)).toBe(badSignature));
    expect(await refusalOf(access, token(good, second))).toBe("ok");
  });
});

describe("claims", () => {
  const of = (options: AuthorizationOptions, claims: object) =>
    callerOf(accessOf({ verificationKeys: [rsa.pem], ...options }), token({ ...claims }, rsa));

  test("[J27] scopesClaim and userIdClaim select the claims, also nested ones", async () => {
    expect(await of({ scopesClaim: "permissions" }, { sub: "a", permissions: ["x:y"] })).toMatchObject({
      scopes: ["x:y"],
    });
    const keycloak = { sub: "a", realm_access: { roles: ["agents:run"] } };
    expect(await of({ scopesClaim: "realm_access.roles" }, keycloak)).toMatchObject({ scopes: ["agents:run"] });
    const named = { sub: "a", "https://example.com/roles": ["agents:run"] };
    expect(await of({ scopesClaim: "https://example.com/roles" }, named)).toMatchObject({ scopes: ["agents:run"] });
    expect(await of({ userIdClaim: "email" }, { sub: "1", email: "a@example.com" })).toMatchObject({
      userId: "a@example.com",
    });
    expect(await of({ scopesClaim: "constructor.name" }, { sub: "a" })).toMatchObject({ scopes: [] });
  });

  test("[J36] options of AuthorizationConfig and of the JWT middleware apply together in one object", async () => {
    const pair = makePair("ES256");
    const access = accessOf({
      ...{ verificationKeys: [pair.pem], algorithm: "ES256", audience: "api", userIsolation: true },
      ...{ scopesClaim: "roles", userIdClaim: "email", tokenSource: "COOKIE", cookieName: "session" },
      scopeMappings: { "GET /agents": ["see:agents"] },
    });
    const claims = { sub: "1", aud: "api", email: "a@example.com", roles: ["see:agents"] };
    const address = "192.0.2.1";
    const entering = (cookie: string) => access.callerOf({ authorization: undefined, cookie, address });
    const caller = await entering(`session=${token(claims, pair)}`);
    expect(caller).toMatchObject({ userId: "a@example.com", owner: "a@example.com", scopes: ["see:agents"] });
    const demand = access.requiredScopesOf({ method: "GET", path: "/agents", resource: "agents", action: "read" });
    expect(() => access.check(caller, demand)).not.toThrow();
    await expect(entering(`session=${token({ ...claims, aud: "x" }, pair)}`)).rejects.toThrow("audience");
    expect(() => entering(`access_token=${token(claims, pair)}`)).toThrow("JWT cookie 'session' missing");
  });

  test("selected claims become the session id, dependencies and session state of the caller's runs", async () => {
    const options = {
      sessionIdClaim: "sid",
      dependenciesClaims: ["tenant", "org.plan", "none"],
      sessionStateClaims: ["locale"],
    };
    const claims = { sub: "a", sid: "s-1", tenant: "acme", org: { plan: "pro" }, locale: "da" };
    expect((await of(options, claims)).claims).toEqual({
      sessionId: "s-1",
      dependencies: { tenant: "acme", "org.plan": "pro" },
      sessionState: { locale: "da" },
    });
    expect((await of(options, { sub: "a" })).claims).toBeUndefined();
    await expect(of({}, { sub: "a", session_id: 7 })).rejects.toThrow('the claim "session_id" is no session id');
  });

  const missingAudience =
    '401 Invalid token: Token is missing the "aud" claim. Audience verification requires this claim to be present in the token.';
  const wrongAudience = "401 Invalid token audience - token not valid for this AgentOS instance";
  test.each([
    ["the configured one is accepted", { audience: "api" }, { aud: "api" }, "ok"],
    ["one of several configured is accepted", { audience: ["a", "b"] }, { aud: ["x", "b"] }, "ok"],
    ["another is rejected", { audience: "api" }, { aud: "other" }, wrongAudience],
    ["one that begins like the configured one is rejected", { audience: "api" }, { aud: "api2" }, wrongAudience],
    ["an object is rejected", { audience: "api" }, { aud: { api: true } }, wrongAudience],
    ["a list without the configured one is rejected", { audience: "api" }, { aud: ["other", 1, null] }, wrongAudience],
    ["an empty list is rejected", { audience: "api" }, { aud: [] }, wrongAudience],
    ["a missing one is rejected", { audience: "api" }, {}, missingAudience],
    ["null is rejected", { audience: "api" }, { aud: null }, missingAudience],
    [
      "another is rejected with verifyAudience: true",
      { audience: "api", verifyAudience: true },
      { aud: "other" },
      wrongAudience,
    ],
    ["any is accepted if none is configured", {}, { aud: "other" }, "ok"],
    ["any is accepted with verifyAudience: false", { verifyAudience: false }, { aud: "other" }, "ok"],
    [
      "with verifyAudience: true and none configured, the platform's id is accepted",
      { verifyAudience: true },
      { aud: "test-os" },
      "ok",
    ],
    [
      "with verifyAudience: true and none configured, another is rejected",
      { verifyAudience: true },
      { aud: "other" },
      wrongAudience,
    ],
    [
      "with verifyAudience: true and none configured, a missing one is rejected",
      { verifyAudience: true },
      {},
      missingAudience,
    ],
  ] as const)("[J28] [J29] audience: %s", async (_name, options, claims, refusal) => {
    const access = accessOf({ verificationKeys: [rsa.pem], ...options });
    expect(await refusalOf(access, token({ ...good, ...claims }, rsa))).toBe(refusal);
  });

  test("[J29] definePlatform throws for an audience together with verifyAudience: false", () => {
    const authorization = { verificationKeys: [rsa.pem], audience: "api", verifyAudience: false };
    const fault = "has an audience and verifyAudience: false: leave one of them out";
    expect(() => definePlatform({ id: "p", authorization })).toThrow(fault);
  });

  test("[J46] with requireExpiration: false a token without exp is accepted, and an expired one is still rejected", async () => {
    const access = accessOf({ verificationKeys: [rsa.pem], requireExpiration: false });
    expect(await refusalOf(access, token({ ...good, exp: undefined }, rsa))).toBe("ok");
    expect(await refusalOf(access, token({ ...good, exp: inSeconds(-60) }, rsa))).toBe("401 Token has expired");
  });

  test("adminScope replaces the default admin scope", async () => {
    expect(await of({ adminScope: "Platform.Admin" }, { sub: "a", scopes: ["Platform.Admin"] })).toMatchObject({
      isAdmin: true,
    });
    expect(await of({ adminScope: "Platform.Admin" }, { sub: "a", scopes: ["agent_os:admin"] })).toMatchObject({
      isAdmin: false,
    });
    expect(await of({}, { sub: "a", scopes: ["agent_os:admin"] })).toMatchObject({ isAdmin: true });
  });

  test("[J16] [J17] with userIsolation a caller owns its user id's name space; a caller without user id is nameless unless it is an admin", async () => {
    expect(await of({}, good)).toMatchObject({ owner: null });
    expect(await of({ userIsolation: true }, good)).toMatchObject({ owner: "alice" });
    expect(await of({ userIsolation: true }, { scopes: ["agents:read"] })).toMatchObject({
      owner: null,
      isNameless: true,
    });
    expect(await of({ userIsolation: true }, { scopes: ["agent_os:admin"] })).not.toHaveProperty("isNameless");
  });
});

describe("definePlatform rejects invalid authorization options", () => {
  const mistakes: [name: string, options: object, fault: string][] = [
    ["verification_keys", { verification_keys: [] }, 'it is called "verificationKeys" here'],
    ["jwks_file", { jwks_file: "x" }, '"jwksFile"'],
    ["scopes_claim", { scopes_claim: "x" }, '"scopesClaim"'],
    ["user_isolation", { user_isolation: true }, '"userIsolation"'],
    ["cookie_name", { cookie_name: "x" }, '"cookieName"'],
    ["verify_audience", { verify_audience: true }, '"verifyAudience"'],
    ["excluded_route_paths", { excluded_route_paths: [] }, '"excludedRoutePaths"'],
    ["secret_key", { secret_key: "x" }, "give the secret in verificationKeys"],
    ["validate", { validate: false }, "tokens are always verified"],
    ["a misspelled option", { verificationKey: [] }, 'did you mean "verificationKeys"?'],
    ["an unknown algorithm", { algorithm: "none" }, "must be one of RS256"],
    ["keys that are not a list", { verificationKeys: "x" }, "must be a list of keys"],
    [
      "an empty key, as from an unset variable",
      { verificationKeys: ["x", ""] },
      "has nothing as its key 2: the environment variable",
    ],
    ["a key that is a number", { verificationKeys: [5] }, "has as its key 1 what is neither a text nor"],
    ["a token source in lower case", { tokenSource: "cookie" }, "must be one of HEADER, COOKIE, BOTH"],
    ["a leeway of days", { leewaySeconds: 86_400 }, "from 0 to 600"],
    ["a mapping without a method", { scopeMappings: { "/agents": [] } }, "not a method and a path"],
    ["a mapping to a string", { scopeMappings: { "GET /agents": "x" } }, "must be a list of scopes"],
    ["a short internal token", { internalServiceToken: "x" }, "at least 32 characters"],
    ["an issuer without an audience", { issuers: [{ issuer: "https://a.example" }] }, "has no audience"],
    [
      "an issuer with a shared secret",
      { issuers: [{ issuer: "i", audience: "a", algorithms: ["HS256"] }] },
      "algorithms must be a list of RS256",
    ],
    [
      "an issuer with a reserved user id prefix",
      { issuers: [{ issuer: "i", audience: "a", userIdPrefix: "sa:" }] },
      "no program's id begins with",
    ],
    ["the same issuer twice", { issuers: [1, 2].map(() => ({ issuer: "i", audience: "a" })) }, "twice"],
    ["an issuer's jwks_url", { issuers: [{ issuer: "i", audience: "a", jwks_url: "x" }] }, '"jwksUrl"'],
    [
      "an issuer with both jwksUrl and discovery",
      { issuers: [{ issuer: "i", audience: "a", jwksUrl: "x", discovery: true }] },
      "give one of them",
    ],
  ];
  test.each(mistakes)("[J18] %s", (_name, options, fault) => {
    expect(() => definePlatform({ id: "p", authorization: options })).toThrow(fault);
  });
});
