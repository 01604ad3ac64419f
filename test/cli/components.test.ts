/** `troupe components` against a running server. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { createServer, defineAgent, definePlatform } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createDataDir } from "../support/databases.ts";
import { workplace } from "./support/troupe.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

test("components are listed, exported, imported as drafts and compared, with the token of TROUPE_TOKEN", async () => {
  const [folder, other] = [await createDataDir(), await createDataDir()];
  const agent = defineAgent({ id: "support", name: "Support", model: scriptedModel(() => "done") });
  const platform = definePlatform({ id: "test", agents: [agent] });
  const key = { OS_SECURITY_KEY: "a-security-key-of-this-test" };
  const serve = (dataDir: string, environment = {}) =>
    createServer(platform, { dataDir, environment, port: 0, logLevel: "silent" });
  const [server, target] = [await serve(folder.path), await serve(other.path, key)];
  try {
    const [url, guarded] = [await server.listen(), await target.listen()];
    await using place = await workplace();
    const run = (line: string, environment = {}) => place.troupe(`components ${line}`, environment);
    const at = `--url ${url}`;
    const json = { "content-type": "application/json" };
    const add = (config: object, more: object = {}) =>
      fetch(`${url}/components/support/configs`, {
        ...{ method: "POST", headers: json, body: JSON.stringify({ config, ...more }) },
      });
    expect(await run(`list ${at}`)).toMatchObject({ code: 0, stdout: "" });
    expect((await add({ instructions: "Be kind.\nBe short." }, { stage: "published", notes: "why" })).status).toBe(201);
    expect((await add({ instructions: "Be kind.\nBe very short.", maxSteps: 5 })).status).toBe(201);
    expect(await run(`list ${at}`)).toMatchObject({ code: 0, stdout: "agent    support  v1\n" });

    const exported = await run(`export support ${at}`);
    expect([exported.code, JSON.parse(exported.stdout)]).toMatchObject([
      ...[0, { component_id: "support", component_type: "agent", name: "Support", version: 1, notes: "why" }],
    ]);
    const compared = await run(`diff support 2 ${at}`);
    expect(compared.stdout.split("\n").slice(0, -1)).toEqual([
      ...["--- support v2", "+++ support v1", "@@ -1,4 +1,3 @@", " instructions: |", "     Be kind."],
      ...["-    Be very short.", "-maxSteps: 5", "+    Be short."],
    ]);

    const file = join(place.folder, "support.json");
    await writeFile(file, (await run(`export support 2 ${at}`)).stdout);
    expect((await run(`diff support 2 support.json ${at}`)).stderr).toBe(
      "support v2 and support.json have the same config.\n",
    );
    expect((await run(`import support.json ${at}`)).stdout).toBe("support v2: unchanged, it has the same config\n");
    const refused = await run(`import support.json --url ${guarded}`);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^troupe: POST \/components\/import failed with 401: .* Set TROUPE_TOKEN to a token\.\n$/),
    ]);
    const token = { TROUPE_TOKEN: key.OS_SECURITY_KEY };
    expect((await run(`import support.json --url ${guarded}`, token)).stdout).toBe("support v1: a new draft\n");
    expect((await run(`list --url ${guarded}`, token)).stdout).toBe("agent    support  none current\n");
    expect(JSON.parse(await readFile(file, "utf8")).version).toBe(2);

    for (const [line, reason] of [
      [`export nobody ${at}`, "GET /components/nobody/export failed with 404: Component nobody not found"],
      [`export support x ${at}`, '"x" is no version of support: give a number, "current" or a file.'],
      [`diff support ${at}`, "Usage: troupe components diff <component> <version or file> [version or file]"],
      [`import missing.json ${at}`, "missing.json cannot be read: "],
      ["list --url nowhere", "--url nowhere is not a URL such as http://127.0.0.1:7777."],
      ["list --url http://127.0.0.1:1", "No answer from http://127.0.0.1:1: "],
    ] as const)
      expect([line, await run(line)]).toMatchObject([
        line,
        { code: 1, stderr: expect.stringContaining(`troupe: ${reason}`) },
      ]);
  } finally {
    await Promise.all([server.close({ shutdownTimeout: 0 }), target.close({ shutdownTimeout: 0 })]);
    await Promise.all([folder.remove(), other.remove()]);
  }
});
