/**
 * Checks the imports of `src/`, `client/` and `console/src/`: no import against the allowed direction, no cycle, no package where it is not allowed.
 * Usage: node scripts/check-imports.ts [folder of the project]
 */
import { posix } from "node:path";
import { readSources, type SourceFile } from "./imports/graph.ts";
import { type ImportRules, rules as ourRules } from "./imports/rules.ts";

/** Returns one line for each violation; an empty list if there are none. */
export function checkImports(project: string, rules: ImportRules = ourRules): string[] {
  const files = ["src", "client"].flatMap((folder) => readSources(project, folder));
  const ofConsole = readSources(project, "console/src");
  return [...wrongArrows(files, rules), ...wrongInConsole(ofConsole, rules), ...cycles([...files, ...ofConsole])];
}

/** The console is a client: it imports nothing of the server. Its screens do not import each other. */
function wrongInConsole(files: SourceFile[], { console: { root, screens, packages } }: ImportRules): string[] {
  const screenOf = (path: string): string | undefined => {
    const [screen, file] = path.startsWith(screens) ? path.slice(screens.length).split("/") : [];
    return file === undefined ? undefined : screen;
  };
  return files.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, line }) => {
      const at = `${path}:${line} imports "${specifier}"`;
      if (!specifier.startsWith(".")) {
        const isOther = /^(troupe|node:)/.test(specifier) || specifier.startsWith("@troupe/");
        return isOther && !packages.includes(specifier) ? [`${at}: the console imports of ours only ${packages}`] : [];
      }
      const target = targetOf(path, specifier);
      if (!target.startsWith(root)) return [`${at}: the console imports nothing outside ${root}`];
      const [from, to] = [screenOf(path), screenOf(target)];
      return from !== undefined && to !== undefined && from !== to ? [`${at}: screens do not import each other`] : [];
    }),
  );
}

function wrongArrows(files: SourceFile[], rules: ImportRules): string[] {
  const known = new Set(files.map((file) => file.path));
  return files.flatMap((file) => {
    const from = partOf(file.path);
    if (!isKnownPart(from, rules)) {
      return [`${file.path}: "${from}" has no place among the parts in scripts/imports/rules.ts`];
    }
    return file.imports.flatMap(({ specifier, line }) => {
      const problem = specifier.startsWith(".")
        ? problemWithFile(file.path, targetOf(file.path, specifier), known, rules)
        : problemWithPackage(from, specifier, rules);
      return problem ? [`${file.path}:${line} imports "${specifier}": ${problem}`] : [];
    });
  });
}

function problemWithFile(source: string, target: string, known: Set<string>, rules: ImportRules): string | undefined {
  if (!/^(src|client)\//.test(target)) return "sources import nothing outside src/ and client/";
  if (!known.has(target)) return `there is no ${target}`;
  const [from, to] = [partOf(source), partOf(target)];
  const [fromFolder, toFolder] = [folderOf(source), folderOf(target)];
  if (from !== to) {
    if (!mayImport(from, to, rules)) return `${from} may not import ${to}`;
    const narrow = rules.narrow[from];
    if (!narrow || narrow.includes(to) || narrow.includes(`${to}/${toFolder}`)) return undefined;
    const isPartly = narrow.some((allowed) => allowed.startsWith(`${to}/`));
    return `${from} may not import ${isPartly ? `${to}/${toFolder}` : to}`;
  }
  if (!rules.apart.includes(from) || fromFolder === toFolder) return undefined;
  return `${from}/${fromFolder} may not import ${from}/${toFolder}`;
}

function mayImport(from: string, to: string, rules: ImportRules): boolean {
  const allowed = rules.beside[from];
  if (allowed) return allowed.includes(to);
  const toLevel = levelOf(to, rules);
  if (toLevel === -1) return false;
  return toLevel < levelOf(from, rules);
}

function problemWithPackage(from: string, specifier: string, rules: ImportRules): string | undefined {
  if (specifier === "troupe" || /^@?troupe\//.test(specifier)) return "sources import each other by path";
  for (const [name, parts] of Object.entries(rules.packages)) {
    const matches = name.endsWith("*")
      ? specifier.startsWith(name.slice(0, -1))
      : specifier === name || specifier.startsWith(`${name}/`);
    if (matches && !parts.includes(from)) return `only ${parts.join(" and ")} may import ${name}`;
  }
  return undefined;
}

/** Cycles between files, each reported once. Imports of types count, too: two files that need each other's types belong together. */
function cycles(files: SourceFile[]): string[] {
  const edges = new Map(
    files.map((file) => [
      file.path,
      file.imports.filter((it) => it.specifier.startsWith(".")).map((it) => targetOf(file.path, it.specifier)),
    ]),
  );
  const found: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (done.has(file) || !edges.has(file)) return;
    const start = path.indexOf(file);
    if (start !== -1) {
      found.push(`cycle: ${[...path.slice(start), file].join(" -> ")}`);
      return;
    }
    path.push(file);
    for (const next of edges.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of edges.keys()) visit(file);
  return found;
}

/** The folder of a file inside its part. */
function folderOf(path: string): string {
  return path.split("/")[2] ?? "";
}

/** The first folder under src/, or the name of a file directly in src/; `client` for files in client/. */
function partOf(path: string): string {
  const [top = path, name = path] = path.split("/");
  return top === "src" ? name.replace(/\.[cm]?[jt]sx?$/, "") : top;
}

function targetOf(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier);
}

function levelOf(part: string, rules: ImportRules): number {
  return rules.levels.findIndex((level) => level.includes(part));
}

function isKnownPart(part: string, rules: ImportRules): boolean {
  return part in rules.beside || levelOf(part, rules) !== -1;
}

if (import.meta.main) {
  const violations = checkImports(process.argv[2] ?? ".");
  for (const violation of violations) console.error(violation);
  console.log(violations.length === 0 ? "Imports point one way." : `${violations.length} violations.`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
