/** The files of the console over HTTP: policy, caching, compression, paths. */
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ConsoleServer, startConsole } from "./support/set-up.ts";

/** Sends a path as it is: `fetch` removes segments such as `..` first. */
async function send(url: string, method: string, path: string) {
  const { hostname, port } = new URL(url);
  const [response] = (await once(request({ hostname, port, method, path }).end(), "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

const assets = join(import.meta.dirname, "../../dist/console/assets");

describe("the files of the console", () => {
  let served: ConsoleServer;

  beforeAll(async () => {
    served = await startConsole({}, { OS_SECURITY_KEY: "an-operator-key-of-32-characters" });
  });
  afterAll(() => served?.[Symbol.asyncDispose]());

  test("the page needs no token, is never cached, and permits no inline script and no style without its nonce", async () => {
    const first = await fetch(served.console);
    expect(first.status).toBe(200);
    expect(first.headers.get("cache-control")).toBe("no-store");
    const policy = first.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-");
    expect(policy).not.toContain("unsafe");
    expect(policy).toContain("connect-src 'self';");
    expect(first.headers.get("x-frame-options")).toBe("DENY");
    expect(first.headers.get("referrer-policy")).toBe("no-referrer");
    const page = await first.text();
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    expect(page).toContain(`nonce="${nonce}"`);
    const second = await fetch(served.console);
    expect(second.headers.get("content-security-policy")).not.toContain(nonce);
  });

  test.each([
    ["/console", "console/"],
    ["/console/", "./"],
    ["/console/sessions", "./"],
    ["/console/runs/1", "../"],
    ["/console/runs/1/?view=/a/b", "../../"],
  ])("%s finds its files below %s", async (path, root) => {
    const page = await (await fetch(served.url + path)).text();
    expect(page).toContain(`name="troupe-root" content="${root}"`);
    expect(page).toContain(`src="${root}assets/`);
  });

  test("files with a hash in their name are compressed and cached for a year", async () => {
    const name = readdirSync(assets).find((file) => file.endsWith(".js"));
    const response = await fetch(`${served.console}/assets/${name}`, { headers: { "accept-encoding": "gzip" } });
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(response.headers.get("content-type")).toMatch(/javascript/);
    const plain = await fetch(`${served.console}/assets/${name}`, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe(await response.text());
  });

  test.each([
    ["a missing file", "GET", "/console/assets/none.js", 404],
    ["another method, which no route has,", "POST", "/console/sessions", 401],
    ["a file outside of the build", "GET", "/console/assets/..%2f..%2fpackage.json", 200],
    ["the folder of the files", "GET", "/console/assets/%2e", 200],
    ["the folder above them", "GET", "/console/assets/%2e%2e", 200],
    ["a file of the build that browsers do not load", "GET", "/console/manifest.json", 200],
  ])("%s: %s %s returns %i", async (_, method, path, status) => {
    const response = await send(served.url, method, path);
    expect(response.status).toBe(status);
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.text).not.toContain('"version"');
    // A path that is not a file is a place in the console.
    expect(response.text.startsWith("<!doctype html>")).toBe(status === 200);
  });

  test("console: false removes it", async () => {
    await using without = await startConsole({ console: false });
    expect((await fetch(without.console)).status).toBe(404);
    expect((await fetch(`${without.console}/assets/none.js`)).status).toBe(404);
  });

  test("the page may call the sign-in provider, and contains its options as text", async () => {
    const oidc = {
      issuer: "https://sso.example/realms/staff",
      clientId: 'a"><script>',
      origins: ["https://t.example"],
    };
    await using signedIn = await startConsole({ console: { oidc } });
    const response = await fetch(signedIn.console);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("connect-src 'self' https://sso.example https://t.example;");
    const page = await response.text();
    expect(page).not.toContain("<script>");
    expect(page).toContain("&lt;script>");
  });
});
