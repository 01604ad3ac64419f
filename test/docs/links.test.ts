import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { page, pages, project, prose } from "./support/pages.ts";

test.each(pages())("links of $path lead somewhere", ({ path, text }) => {
  const links = [...prose({ path, text }).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const broken = links.filter((link) => !/^https?:/.test(link) && !leadsSomewhere(path, link));
  expect(broken).toEqual([]);
});

test("pages that sources name are there", () => {
  const named = readdirSync(join(project, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(join(project, "src", file), "utf8").matchAll(/\bdocs\/[\w/.-]+\.md\b/g)])
    .map(([name]) => name);
  expect(named).toContain("docs/protocol.md");
  expect([...new Set(named)].filter((name) => !existsSync(join(project, name)))).toEqual([]);
});

test("every page can be reached from the README", () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [, target = ""] of prose(page(path)).matchAll(/\]\(([^)#\s]+\.md)/g))
      if (!/^https?:/.test(target)) visit(normalize(join(dirname(path), target)));
  };
  visit("README.md");
  // The records of decisions are a folder to read in order.
  const all = pages()
    .map(({ path }) => path)
    .filter((path) => !/decisions\/\d/.test(path));
  expect(all.filter((path) => !seen.has(path))).toEqual([]);
});

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", heading] = link.split("#");
  const path = file === "" ? from : normalize(join(dirname(from), file));
  if (path.startsWith("..") || !existsSync(join(project, path))) return false;
  return heading === undefined || headings(path).includes(heading);
}

/** Headings of a page as the anchors that are made of them. */
function headings(path: string): readonly string[] {
  return [...page(path).text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );
}
