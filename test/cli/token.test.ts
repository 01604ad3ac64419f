import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { bearer, makePair, token } from "../support/tokens.ts";
import { appFile, type Ran, type Workplace, workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const demo = fileURLToPath(new URL("../../examples/demo/app.ts", import.meta.url));

const keys = { JWT_JWKS_FILE: ".troupe/token-keys.json" };

/** Returns doctor's explanation of a token. */
async function explained(place: Workplace, text: string, environment: Record<string, string> = keys): Promise<string> {
  const { stdout } = await place.troupe(`doctor --port 0 --token ${text}`, environment);
  const lines = stdout.split("\n");
  const start = lines.findIndex((line) => /^\w+ +token /.test(line));
  return lines.slice(start).join("\n").trim().replaceAll(/\n +/g, "\n");
}

function minted({ stdout, stderr }: Ran): string {
  expect(stderr).toContain("JWT_JWKS_FILE=.troupe/token-keys.json");
  return stdout.trim();
}

test("troupe token creates a token that a server with its key set accepts within the token's scopes", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const mine = minted(await place.troupe("token --sub alice --scopes agents:read,agents:run --expires 15m"));
  const all = minted(await place.troupe("token"));
  expect((await stat(join(place.folder, ".troupe/token-key.pem"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(place.folder, ".troupe"))).mode & 0o777).toBe(0o700);
  expect(await readFile(join(place.folder, keys.JWT_JWKS_FILE), "utf8")).not.toMatch(/"[dpq]"/);

  const server = await place.serve("start --port 0", keys);
  expect(server.output).toContain("access    with a token");
  // With authorization the printed resume request also contains a session id.
  await server.printed(/RUN_ID\/resume -d last_event_index=LAST_ID -d session_id=SESSION_ID\n/);
  const ask = async (path: string, text?: string) =>
    (await fetch(`${server.address}${path}`, text === undefined ? {} : { headers: bearer(text) })).status;
  expect([
    await ask("/agents"),
    await ask("/agents", mine),
    await ask("/config", mine),
    await ask("/config", all),
  ]).toEqual([401, 200, 403, 200]);
});

test("the demo with a key set rejects requests without a token and serves those within a token's scopes", async () => {
  await using place = await workplace();
  const mine = minted(await place.troupe("token --sub alice --scopes teams:run,teams:read"));
  const server = await place.serve(`start ${demo} --port 0`, keys);
  expect((await fetch(`${server.address}/teams`)).status).toBe(401);
  const headers = bearer(mine);
  const teams = (await (await fetch(`${server.address}/teams`, { headers })).json()) as { id: string }[];
  const body = new URLSearchParams({ message: "Hello", stream: "false" });
  const answer = await fetch(`${server.address}/teams/${teams[0]?.id}/runs`, { method: "POST", body, headers });
  expect(await answer.json()).toMatchObject({ status: "COMPLETED", user_id: "alice" });
  expect((await fetch(`${server.address}/agents`, { headers })).status).toBe(403);
});

test("doctor --token prints a token's user, scopes and routes, or the reason why it is rejected", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const mine = minted(await place.troupe("token --sub alice --scopes agents:greeter:read,config:read --expires 15m"));
  const good = await explained(place, mine);
  expect(good).toMatch(/^ok +token +good: user "alice", scopes agents:greeter:read, config:read, expires \S+Z\n/);
  expect(good).toMatch(/\nverified by key 1 of \.troupe\/token-keys\.json \(RSA, 2048 bits\)\n/);
  expect(good).toContain("\nGET /config\n");
  expect(good).toContain("\nGET /agents/{agent_id} (greeter)\n");
  expect(good).not.toMatch(/POST \/(?!a2a\/)/);

  const pair = makePair();
  const other = await explained(place, token({ sub: "mallory", aud: "x", iss: "https://other.example" }, pair));
  expect(other).toMatch(/^PROBLEM +token +refused with 401: Invalid token: Signature verification failed\n/);
  expect(other).toContain(
    `it contains: alg "RS256", kid "${pair.kid}", iss "https://other.example", sub "mallory", aud "x", exp `,
  );
  expect(other).toContain("any issuer: RS256 by the key set .troupe/token-keys.json, for any audience, with exp");

  expect(await explained(place, mine, {})).toMatch(
    /^PROBLEM +token +tokens are not checked: there is no authorization\n/,
  );
  expect(await explained(place, "nonsense")).toContain("it is no JSON Web Token");
  expect(await explained(place, "agno_pat_123")).toContain("service account");
});

test("doctor reports how callers are authenticated", async () => {
  await using place = await workplace({ "app.ts": appFile() });
  const access = async (environment: Record<string, string>, options = "") => {
    const { stdout } = await place.troupe(`doctor --port 0 ${options}`, environment);
    return /^\w+ +access +(.*)$/m.exec(stdout)?.[1];
  };
  const { pem } = makePair();
  expect(await access({ JWT_VERIFICATION_KEY: pem }, "--host 0.0.0.0")).toBe(
    "tokens verified by the key in JWT_VERIFICATION_KEY (RSA, 2048 bits) with RS256; users are not isolated",
  );
  expect(await access({ OS_SECURITY_KEY: "hidden" })).toBe(
    "the security key: who has OS_SECURITY_KEY may do everything",
  );
  expect(await access({ JWT_VERIFICATION_KEY: "no key" })).toContain(
    "the key in JWT_VERIFICATION_KEY is neither a public key in PEM nor a JWK",
  );
});

test.each([
  ["token --expires tomorrow", 'takes a time like 15m, 8h or 30d, not "tomorrow"'],
  ["token --expires 0s", "takes a time"],
])("%s is rejected", async (commandLine, fault) => {
  await using place = await workplace();
  const { code, stderr } = await place.troupe(commandLine);
  expect([code, stderr]).toEqual([1, expect.stringContaining(fault)]);
});
