import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { page, pages, project, prose } from "./support/pages.ts";

test.each(pages())("every link in $path leads to an existing file and heading", ({ path, text }) => {
  const links = [...prose({ path, text }).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  const broken = links.filter((link) => !/^https?:/.test(link) && !hasTarget(path, link));
  expect(broken).toEqual([]);
});

test("every page that a source file names exists", () => {
  const named = readdirSync(join(project, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(join(project, "src", file), "utf8").matchAll(/\bdocs\/[\w/.-]+\.md\b/g)])
    .map(([name]) => name);
  expect(named).toContain("docs/protocol.md");
  expect([...new Set(named)].filter((name) => !existsSync(join(project, name)))).toEqual([]);
});

test("every page except decision records is reachable by links from the README", () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [, target = ""] of prose(page(path)).matchAll(/\]\(([^)#\s]+\.md)/g))
      if (!/^https?:/.test(target)) visit(normalize(join(dirname(path), target)));
  };
  visit("README.md");
  // Decision records are read in order in their folder.
  const all = pages()
    .map(({ path }) => path)
    .filter((path) => !/decisions\/\d/.test(path));
  expect(all.filter((path) => !seen.has(path))).toEqual([]);
});

function hasTarget(from: string, link: string): boolean {
  const [file = "", heading] = link.split("#");
  const path = file === "" ? from : normalize(join(dirname(from), file));
  if (path.startsWith("..") || !existsSync(join(project, path))) return false;
  return heading === undefined || headings(path).includes(heading);
}

/** Returns the anchors of a page's headings. */
function headings(path: string): readonly string[] {
  return [...page(path).text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );
}
