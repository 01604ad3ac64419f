import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const project = fileURLToPath(new URL("../..", import.meta.url));

const ambient = [
  `export const it = Date.now();`,
  `export const it = new Date();`,
  `export const it = Date();`,
  `export const { now } = Date;`,
  `export const it = Math.random();`,
  `export const it = performance.now();`,
  `export const it = process.hrtime.bigint();`,
  `export const it = crypto.randomUUID();`,
  `export const it = AbortSignal.timeout(5);`,
  `export const it = globalThis.setTimeout;`,
  `setTimeout(() => {}, 5);`,
  `setInterval(() => {}, 5);`,
  `setImmediate(() => {});`,
  `import { setTimeout as sleep } from "node:timers/promises";\n\nexport const it = sleep(5);`,
  `import { randomUUID } from "node:crypto";\n\nexport const it = randomUUID();`,
  `import { randomBytes as bytes } from "node:crypto";\n\nexport const it = bytes(5);`,
  `import * as nodeCrypto from "node:crypto";\n\nexport const it = nodeCrypto.randomBytes(5);`,
];

const allowed = [
  `export const it = new Date(5).toISOString();`,
  `import { createHash } from "node:crypto";\n\nexport const it = createHash("sha256");`,
  `export const it = (clock: { now(): number }): number => clock.now();`,
];

test.each(["model", "define", "auth", "store", "events", "engine", "schedule"])(
  "ambient time and randomness fail the lint in src/%s",
  async (part) => {
    const found = await lint(part, [...ambient, ...allowed]);
    expect(found).toEqual(ambient);
  },
);

test("ambient time and randomness pass the lint in src/http", async () => {
  expect(await lint("http", ambient)).toEqual([]);
});

/** Returns the snippets that our lint rules reject in a part of the sources. */
async function lint(part: string, snippets: string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-lint-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "src", part), { recursive: true });
  await cp(join(project, "biome.json"), join(folder, "biome.json"));
  await cp(join(project, "scripts/lint"), join(folder, "scripts/lint"), { recursive: true });
  await Promise.all(snippets.map((code, n) => writeFile(join(folder, "src", part, `snippet-${n}.ts`), `${code}\n`)));

  const biome = join(project, "node_modules/.bin/biome");
  const options = ["lint", "--vcs-enabled=false", "--reporter=json", "--max-diagnostics=none", "src"];
  const output = await new Promise<string>((resolve, reject) => {
    execFile(biome, options, { cwd: folder }, (error, stdout) => {
      if (error && error.code !== 1) reject(error);
      else resolve(stdout);
    });
  });
  return snippets.filter((_, n) => output.includes(`snippet-${n}.ts`));
}
