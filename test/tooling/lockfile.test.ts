import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Entry {
  version?: string;
  resolved?: string;
  gypfile?: boolean;
  /** A package of this project, which is in the checkout. */
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

const project = new URL("../../", import.meta.url);
const { packages } = readJson<{ packages: Record<string, Entry> }>("package-lock.json");

test("the lock file has the optional binaries of every platform", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name, range]) => lookUp(path, name)?.version !== range.replace(/^[\^~]/, ""))
      .map(([name, range]) => `${path} wants ${name} ${range}`),
  );
  expect(missing).toEqual([]);
});

test('the lock file has "gypfile": false for better-sqlite3', () => {
  // npm ci runs `node-gyp rebuild` for a package with a binding.gyp unless the lock file has "gypfile": false, which npm install drops:
  // put it back into the entry. Without it an installation needs Python and a compiler.
  const compiled = Object.entries(packages).filter(([path, entry]) => {
    return path.includes("better-sqlite3") && entry.gypfile !== false && !path.includes("@types");
  });
  expect(compiled.map(([path]) => path)).toEqual([]);
});

test("the lock file names no registry", () => {
  expect(Object.values(packages).filter((entry) => entry.resolved && !entry.link)).toEqual([]);
});

/** Finds a package as Node does: in the nearest node_modules first. */
function lookUp(path: string, name: string): Entry | undefined {
  for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/")))) {
    const entry = packages[from === "" ? `node_modules/${name}` : `${from}/node_modules/${name}`];
    if (entry || from === "") return entry;
  }
}

function readJson<Shape>(path: string): Shape {
  return JSON.parse(readFileSync(new URL(path, project), "utf8"));
}
