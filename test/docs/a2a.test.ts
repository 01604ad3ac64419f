/** docs/a2a.md and docs/a2a-musts.md: the clients shown get answers from the demo, and the tables match the code. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { a2aErrorTable } from "../../src/interfaces/a2a/standard/errors.ts";
import { openPlatform } from "../../src/platform/open.ts";
import { createDataDir } from "../support/databases.ts";
import { silentLog } from "../support/runtime.ts";
import { blocks, page, project, rows } from "./support/pages.ts";

// Without API keys the demo uses its scripted models.
vi.hoisted(() => {
  for (const key of ["DEMO_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"]) delete process.env[key];
});

const run = promisify(execFile);
const guide = page("docs/a2a.md");

describe("clients in docs/a2a.md", () => {
  test.each([
    ["1.0", ["state: 3", "statusUpdate", "artifactUpdate"]],
    ["0.3", ["completed", "status-update", "artifact-update"]],
  ])("the client of %s, copied from the page, gets a completed task from the demo", async (name, expected) => {
    const block = blocks(guide).find(({ marks }) => marks.includes(`client=${name}`));
    const { default: platform } = await import("../../examples/demo/app.ts");
    const { path: dataDir, remove } = await createDataDir();
    // The folder is in the checkout, so that packages resolve. Git ignores it.
    const folder = await mkdtemp(join(project, ".docs-"));
    const parts = await openPlatform(platform, { dataDir, log: silentLog, role: "all", isLocalOnly: true });
    try {
      const address = await parts.app.listen({ host: "127.0.0.1", port: 0 });
      parts.begin();
      const file = join(folder, "client.ts");
      await writeFile(file, (block?.code ?? "").replaceAll("http://127.0.0.1:7777", address));
      const { stdout } = await run(process.execPath, [file], { timeout: 50_000 });
      for (const word of expected) expect(stdout).toContain(word);
    } finally {
      await parts.end(0);
      await Promise.all([remove(), rm(folder, { recursive: true, force: true })]);
    }
  });
});

test("the errors in docs/a2a.md equal the error table", () => {
  const written = rows(guide, "error").map(([reason, code, status]) => [reason, Number(code), Number(status)]);
  const known = Object.values(a2aErrorTable).map(({ reason, code, status }) => [reason, code, status]);
  expect(written).toEqual(known);
});

describe("docs/a2a-musts.md", () => {
  const a2a = (name: string): string => `test/a2a/${name}.test.ts`;
  const files: Readonly<Record<string, string>> = {
    ...{
      rpc: a2a("standard-rpc"),
      rest: a2a("standard-rest"),
      stock: a2a("stock-clients"),
      push: a2a("push-delivery"),
    },
    ...{ send: a2a("push-send"), addresses: a2a("push-addresses"), auth: a2a("standard-callers") },
    ...{ writer: a2a("writer"), replicas: a2a("standard-replicas"), cards: "test/conformance/a2a-cards.test.ts" },
  };
  const rules = rows(page("docs/a2a-musts.md"), "version");
  const sources = new Map<string, string>();

  beforeAll(async () => {
    for (const file of new Set(Object.values(files))) sources.set(file, await readFile(join(project, file), "utf8"));
  });

  test("names an existing test for each rule of both versions", () => {
    expect(new Set(rules.map(([version]) => version))).toEqual(new Set(["0.3", "1.0"]));
    expect(rules.length).toBeGreaterThan(60);
    const missing = rules.filter(([, , , file = "", name = ""]) => !sources.get(files[file] ?? "")?.includes(name));
    expect(missing).toEqual([]);
  });
});
