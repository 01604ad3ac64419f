import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Claims, encode, inSeconds, makePair, signRaw, token } from "../support/tokens.ts";
import { accessOf, callerOf, refusalOf } from "./support.ts";

const rsa = makePair();
const other = makePair();
const ec = makePair("ES256");
const access = accessOf({ verificationKeys: [rsa.pem] });
const good: Claims = { sub: "alice", scopes: ["agents:read"] };
const header = (more: object): string => JSON.stringify({ alg: "RS256", ...more });
const body = (more: object = {}): string => JSON.stringify({ exp: inSeconds(60), ...good, ...more });

const [head = "", payload = "", signature = ""] = token(good, rsa).split(".");
const signatureBytes = Buffer.from(signature, "base64url");
const badSignature = "401 Invalid token: Signature verification failed";
const badAlgorithm = "401 Invalid token: The specified alg value is not allowed";
const badHeader = "401 Invalid token: The header is no JSON object";
const badPayload = "401 Invalid token: The payload is no JSON object";
const badSubject = "401 Invalid token subject";
const unknownExtensions = "401 Invalid token: The header has extensions that are not understood";

test("[J2] [J7] [J8] a valid token returns its user and scopes", async () => {
  const caller = await callerOf(access, token(good, rsa));
  expect(caller).toEqual({ kind: "user", userId: "alice", scopes: ["agents:read"], isAdmin: false, owner: null });
  expect(await refusalOf(access, token({}, rsa))).toBe("ok");
});

/** Invalid tokens, each with one fault, and the error that rejects them. */
const rejected: [name: string, token: string, refusal: string][] = [
  ["an empty token", "", "401 Invalid token: Not enough segments"],
  ["Basic credentials", "Basic dXNlcjpwdw==", "401 Invalid token: Not enough segments"],
  ["two parts", `${head}.${payload}`, "401 Invalid token: Not enough segments"],
  ["four parts", `${head}.${payload}.${signature}.`, "401 Invalid token: Too many segments"],
  ["five parts, as in an encrypted token", `${head}....`, "401 Invalid token: Too many segments"],
  [
    "a token of 20,000 characters",
    token({ ...good, more: "x".repeat(20_000) }, rsa),
    "401 Invalid token: The token is too long",
  ],

  ["alg none without a signature", `${encode('{"alg":"none"}')}.${encode(body())}.`, badAlgorithm],
  ["alg none with a signature", `${encode('{"alg":"none"}')}.${encode(body())}.${signature}`, badAlgorithm],
  ["alg NoNe", `${encode('{"alg":"NoNe"}')}.${encode(body())}.`, badAlgorithm],
  ["alg rs256 in lower case", signRaw('{"alg":"rs256"}', body(), rsa), badAlgorithm],
  ["alg empty", signRaw('{"alg":""}', body(), rsa), badAlgorithm],
  ["alg missing", signRaw("{}", body(), rsa), badAlgorithm],
  ["alg a list", signRaw('{"alg":["RS256"]}', body(), rsa), badAlgorithm],
  ["another algorithm of the same key", token(good, { ...rsa, algorithm: "RS512" }), badAlgorithm],
  ["PS256 with the RSA key", token(good, { ...rsa, algorithm: "PS256" }), badAlgorithm],
  ["[J26] an algorithm that is not configured", token(good, ec), badAlgorithm],
  ["HS256 with the public key as the secret", token(good, rsa.pem), badAlgorithm],
  [
    "HS256 with the public key, written in one line, as the secret",
    token(good, rsa.pem.replaceAll("\n", "\\n")),
    badAlgorithm,
  ],
  [
    "RS256 in the header and an HMAC with the public key as the signature",
    `${head}.${payload}.${createHmac("sha256", rsa.pem).update(`${head}.${payload}`).digest("base64url")}`,
    badSignature,
  ],

  ["a signature by another key", token(good, other), badSignature],
  ["a signature by another key under the configured kid", token(good, other, { kid: rsa.kid }), badSignature],
  ["a signature of zeros", `${head}.${payload}.${Buffer.alloc(256).toString("base64url")}`, badSignature],
  ["an empty signature", `${head}.${payload}.`, badSignature],
  [
    "a signature without its last byte",
    `${head}.${payload}.${signatureBytes.subarray(0, 255).toString("base64url")}`,
    badSignature,
  ],
  [
    "a signature with an extra byte",
    `${head}.${payload}.${Buffer.concat([signatureBytes, Buffer.of(0)]).toString("base64url")}`,
    badSignature,
  ],
  ["a signature of another payload", `${head}.${encode(body({ sub: "mallory" }))}.${signature}`, badSignature],
  ["a signature of another header", `${encode(header({ kid: "x" }))}.${payload}.${signature}`, badSignature],

  ["base64 padding", `${head}.${payload}.${signature}==`, "401 Invalid token: The signature is not base64url"],
  [
    "characters of plain base64",
    `${head}.${payload}.+/${signature.slice(2)}`,
    "401 Invalid token: The signature is not base64url",
  ],
  ["a space inside", `${head}.${payload} .${signature}`, "401 Invalid token: The payload is not base64url"],
  ["a line break at the end", `${head}.${payload}.${signature}\n`, "401 Invalid token: The signature is not base64url"],
  ["a NUL", `${head}.${payload}\u0000.${signature}`, "401 Invalid token: The payload is not base64url"],

  ["a header that is not JSON", signRaw("nonsense", body(), rsa), badHeader],
  ["a header that is a list", signRaw('["RS256"]', body(), rsa), badHeader],
  ["a header that is null", signRaw("null", body(), rsa), badHeader],
  ["a byte order mark before the header", signRaw(`\uFEFF${header({})}`, body(), rsa), badHeader],
  ["a byte order mark before the payload", signRaw(header({}), `\uFEFF${body()}`, rsa), badPayload],
  ["a payload that is a list", signRaw(header({}), "[]", rsa), badPayload],
  ["a payload that is a string", signRaw(header({}), '"alice"', rsa), badPayload],
  [
    "a payload that is not UTF-8",
    `${head}.${Buffer.from('{"sub":"\xe9"}', "latin1").toString("base64url")}.${signature}`,
    badPayload,
  ],
  ["a truncated payload", signRaw(header({}), '{"sub":"alice"', rsa), badPayload],

  ["crit", signRaw(header({ crit: ["exp"], exp: 1 }), body(), rsa), unknownExtensions],
  ["crit with an unknown extension", signRaw(header({ crit: ["x"], x: 1 }), body(), rsa), unknownExtensions],
  ["crit empty", signRaw(header({ crit: [] }), body(), rsa), unknownExtensions],
  ["an unencoded payload", signRaw(header({ b64: false, crit: ["b64"] }), body(), rsa), unknownExtensions],
  ["a foreign key in jwk", signRaw(header({ jwk: other.jwk }), body(), other), badSignature],
  ["foreign keys at jku", signRaw(header({ jku: "http://127.0.0.1:1/keys" }), body(), other), badSignature],
  ["a foreign certificate at x5u", signRaw(header({ x5u: "http://127.0.0.1:1/x" }), body(), other), badSignature],
  ["a foreign certificate in x5c", signRaw(header({ x5c: ["AAAA"] }), body(), other), badSignature],
  ["a kid that is a path", signRaw(header({ kid: "../../../../dev/null" }), body(), other), badSignature],
  ["a kid that is SQL", signRaw(header({ kid: "x' UNION SELECT 'key" }), body(), other), badSignature],
  ["a kid that is an object", signRaw(header({ kid: { $ne: null } }), body(), other), badSignature],

  ["no exp", signRaw(header({}), JSON.stringify(good), rsa), '401 Invalid token: Token is missing the "exp" claim'],
  ["expired", token({ ...good, exp: inSeconds(-11) }, rsa), "401 Token has expired"],
  [
    "expired and signed by another key: the error is about the signature",
    token({ ...good, exp: 1 }, other),
    badSignature,
  ],
  ["not yet valid", token({ ...good, nbf: inSeconds(30) }, rsa), "401 Invalid token: The token is not yet valid (nbf)"],
  [
    "issued in the future",
    token({ ...good, iat: inSeconds(30) }, rsa),
    "401 Invalid token: The token is not yet valid (iat)",
  ],
  ...["exp", "nbf", "iat"].flatMap((name): [string, string, string][] =>
    [String(inSeconds(60)), null, true, [inSeconds(60)], {}].map((value) => [
      `${name} as ${JSON.stringify(value)}`,
      token({ ...good, [name]: value }, rsa),
      expect.stringContaining(`claim (${name}) must be a number of seconds`),
    ]),
  ),

  // 1e999 in JSON is Infinity in JavaScript: a token with such an exp would never expire.
  ...["exp", "nbf", "iat"].flatMap((name): [string, string, string][] =>
    ["1e999", "-1e999"].map((value) => [
      `${name} as ${value}`,
      signRaw(header({}), body({ [name]: 0 }).replace(`"${name}":0`, `"${name}":${value}`), rsa),
      expect.stringContaining(`claim (${name}) must be a number of seconds`),
    ]),
  ),

  ["sub a number", token({ ...good, sub: 1 }, rsa), "401 Invalid token: Subject must be a string"],
  ["sub an object", token({ ...good, sub: { $gt: "" } }, rsa), "401 Invalid token: Subject must be a string"],
  ...["", " ", "\t", "\u00a0 ", "a\u0000b", "a\nb", "a\u0085", "\ud800", "x".repeat(256)].map(
    (sub): [string, string, string] => [
      `[J46] sub ${JSON.stringify(sub).slice(0, 20)}`,
      token({ ...good, sub }, rsa),
      badSubject,
    ],
  ),
  ...["sa:bot", "sa:", "__scheduler__", "__oauth__:x"].map((sub): [string, string, string] => [
    `sub ${sub}, which is reserved`,
    token({ ...good, sub }, rsa),
    badSubject,
  ]),
  [
    "scopes that are not strings",
    token({ ...good, scopes: ["agents:read", 1] }, rsa),
    '401 Error decoding token: the claim "scopes" must be a list of texts',
  ],
];

describe("[J2] [J10] [R29] an invalid token is rejected", () => {
  test.each(rejected)("%s", async (_name, text, refusal) => {
    expect(await refusalOf(access, text)).toEqual(refusal);
  });

  test("a change of any character of a valid token", async () => {
    const text = token(good, rsa);
    expect(await refusalOf(access, text)).toBe("ok");
    for (let place = 0; place < text.length; place += 7) {
      const changed = `${text.slice(0, place)}${text[place] === "A" ? "B" : "A"}${text.slice(place + 1)}`;
      expect([place, await refusalOf(access, changed)]).toEqual([place, expect.stringMatching(/^401 /)]);
    }
  });
});

describe("an unusual but valid token is accepted", () => {
  const accepted: [name: string, token: string, caller: object][] = [
    [
      "[J33] scopes as a string is one scope",
      token({ ...good, scopes: "agents:read teams:read" }, rsa),
      { scopes: ["agents:read teams:read"] },
    ],
    [
      "[J32] scopes as an object grants nothing",
      token({ ...good, scopes: { "agents:read": true } }, rsa),
      { scopes: [] },
    ],
    ["scopes as a number grants nothing", token({ ...good, scopes: 1 }, rsa), { scopes: [] }],
    ["without scopes: it grants none", token({ sub: "alice" }, rsa), { scopes: [] }],
    [
      "a duplicate claim: the last one counts (RFC 7519 section 4)",
      signRaw(header({}), body().replace("{", '{"sub":"first",'), rsa),
      { userId: "alice" },
    ],
    ["a duplicate alg: the last one counts", signRaw('{"alg":"none","alg":"RS256"}', body(), rsa), { userId: "alice" }],
    ["issued at any time in the past", token({ ...good, iat: 1 }, rsa), { userId: "alice" }],
    ["issued at a fraction of a second", token({ ...good, iat: Date.now() / 1000 }, rsa), { userId: "alice" }],
    ["expired within the leeway", token({ ...good, exp: inSeconds(-5) }, rsa), { userId: "alice" }],
    [
      "not yet valid within the leeway",
      token({ ...good, nbf: inSeconds(5), iat: inSeconds(5) }, rsa),
      { userId: "alice" },
    ],
    ["a subject that begins like a reserved one", token({ ...good, sub: "sam" }, rsa), { userId: "sam" }],
    [
      "a subject with non-ASCII letters",
      token({ ...good, sub: "Ærøskøbing 東京" }, rsa),
      { userId: "Ærøskøbing 東京" },
    ],
    [
      "a claim __proto__: it grants nothing",
      signRaw(header({}), body().replace("{", '{"__proto__":{"scopes":["agent_os:admin"]},'), rsa),
      { isAdmin: false },
    ],
    ["an unknown kid, if the keys have no kid", token(good, rsa, { kid: "unknown" }), { userId: "alice" }],
  ];

  test.each(accepted)("%s", async (_name, text, caller) => {
    expect(await callerOf(access, text)).toMatchObject(caller);
  });
});

test("a token whose exp has a fraction of a second is rejected from exactly that time", async () => {
  let now = 1_800_000_000_000;
  const { testRuntime } = await import("../support/runtime.ts");
  const runtime = { ...testRuntime, clock: { ...testRuntime.clock, now: () => now } };
  const of = (exp: number) =>
    refusalOf(accessOf({ verificationKeys: [rsa.pem], leewaySeconds: 0 }, { runtime }), token({ ...good, exp }, rsa));
  const exp = now / 1000 + 0.5;
  now += 499;
  expect(await of(exp)).toBe("ok");
  now += 1;
  expect(await of(exp)).toBe("401 Token has expired");
});

test("a token that was accepted before is rejected once it expires", async () => {
  let now = Date.now();
  const { testRuntime } = await import("../support/runtime.ts");
  const runtime = { ...testRuntime, clock: { ...testRuntime.clock, now: () => now } };
  const watched = accessOf({ verificationKeys: [rsa.pem], leewaySeconds: 0 }, { runtime });
  const text = token({ ...good, exp: Math.floor(now / 1000) + 5 }, rsa);
  expect(await refusalOf(watched, text)).toBe("ok");
  now += 4_000;
  expect(await refusalOf(watched, text)).toBe("ok");
  now += 2_000;
  expect(await refusalOf(watched, text)).toBe("401 Token has expired");
});
