/** The documentation site: its build and its links. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { project } from "./support/pages.ts";

test("the site builds, every link leads to an existing page and heading, and no page loads a foreign resource", {
  timeout: 600_000,
}, async () => {
  const out = await mkdtemp(join(tmpdir(), "troupe-site-"));
  try {
    await promisify(execFile)(process.execPath, [join(project, "scripts/docs.ts"), "--out", out], { cwd: project });
    const files = new Set((await readdir(out, { recursive: true })).map((name) => name.replaceAll("\\", "/")));
    const pages = [...files].filter((name) => name.endsWith(".html"));
    const texts = new Map(
      await Promise.all(pages.map(async (name) => [name, await readFile(join(out, name), "utf8")] as const)),
    );
    const broken: string[] = [];
    for (const [page, html] of texts) {
      for (const [, link = ""] of html.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)) {
        if (/^(https?|mailto):/.test(link)) continue;
        const { pathname, hash } = new URL(link, `http://site/${page}`);
        const file = posix.join(decodeURI(pathname).slice(1), pathname.endsWith("/") ? "index.html" : "");
        if (!files.has(file)) broken.push(`${page}: ${link}`);
        else if (hash && !texts.get(file)?.includes(`id="${decodeURIComponent(hash.slice(1))}"`))
          broken.push(`${page}: ${link} (no such heading)`);
      }
    }
    expect(broken).toEqual([]);
    const loaded = [...texts.values()].flatMap((html) =>
      [...html.matchAll(/<(?:script|link|img)\b[^>]*\s(?:src|href)="(https?:[^"]*)"/g)].map(([, url]) => url),
    );
    expect(loaded).toEqual([]);
    const index = await readFile(join(out, "llms.txt"), "utf8");
    const listed = [...index.matchAll(/\]\(\/([^)]*)\)/g)].map(([, path = ""]) => path || "index.html");
    expect(listed.length).toBeGreaterThan(15);
    expect(listed.filter((path) => !files.has(path))).toEqual([]);
    expect(texts.get("api.html")).toContain("POST /agents/{agent_id}/runs");
    expect(texts.get("guide/errors.html")).toContain("VALIDATION_ERROR");
    expect(files).toContain("openapi.json");
  } finally {
    await rm(out, { recursive: true, force: true });
  }
});
