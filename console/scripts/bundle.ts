/** The build of the console, and its sizes. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, gzipSync } from "node:zlib";
import { build } from "vite";

const target = fileURLToPath(new URL("../../dist/console", import.meta.url));

/** Maximum size of what a browser loads before it shows a screen, compressed, in bytes. */
const maxFirstLoad = 350 * 1024;

interface ManifestEntry {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** Builds the console into dist/console. Returns the bundled packages as `name@version`. @throws Error if the first load is too large */
export async function buildConsole(): Promise<ReadonlySet<string>> {
  const before = process.env.NODE_ENV;
  // A test runner sets another value, with which React is several times larger.
  process.env.NODE_ENV = "production";
  const output = await build({
    configFile: fileURLToPath(new URL("../vite.config.ts", import.meta.url)),
    logLevel: "warn",
  });
  // npm would take it as an order to leave development dependencies out of the bill of materials.
  if (before === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = before;
  const modules = [output]
    .flat()
    .flatMap((one) => ("output" in one ? one.output : []))
    .flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
  const sizes = compressFiles();
  const manifest: Record<string, ManifestEntry> = JSON.parse(readFileSync(join(target, "manifest.json"), "utf8"));
  const first = firstLoad(manifest);
  const firstSize = sum([...first], sizes);
  const scripts = [...sizes.keys()].filter((file) => file.endsWith(".js"));
  console.log(
    `console: first load ${kilobytes(firstSize)} of ${kilobytes(maxFirstLoad)} (gzip, ${first.size} files), ` +
      `all scripts ${kilobytes(sum(scripts, sizes))} in ${scripts.length} files`,
  );
  for (const file of [...first].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0)).slice(0, 6))
    console.log(`  ${kilobytes(sizes.get(file) ?? 0).padStart(10)}  ${file}`);
  if (firstSize > maxFirstLoad)
    throw new Error("The first load of the console is too large: load screens and libraries later.");
  return packagesOf(modules);
}

/** The files that the page needs for its frame: the entry, and what it imports. Screens are loaded later. */
function firstLoad(manifest: Readonly<Record<string, ManifestEntry>>): ReadonlySet<string> {
  const files = new Set<string>();
  const add = (key: string): void => {
    const entry = manifest[key];
    if (!entry || files.has(entry.file)) return;
    files.add(entry.file);
    for (const file of entry.css ?? []) files.add(file);
    entry.imports?.forEach(add);
  };
  for (const [key, { isEntry }] of Object.entries(manifest)) if (isEntry) add(key);
  return files;
}

/** Writes a compressed copy beside each file. Returns the compressed sizes in bytes. */
function compressFiles(): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|css|svg)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const compressed = gzipSync(readFileSync(path), { level: constants.Z_BEST_COMPRESSION });
    writeFileSync(`${path}.gz`, compressed);
    sizes.set(relative(target, path), compressed.length);
  }
  return sizes;
}

function packagesOf(modules: readonly string[]): ReadonlySet<string> {
  const folders = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace("\0", ""))?.[0] ?? []);
  return new Set(
    [...new Set(folders)].map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return `${name}@${version}`;
    }),
  );
}

function sum(files: readonly string[], sizes: ReadonlyMap<string, number>): number {
  return files.reduce((total, file) => total + (sizes.get(file) ?? 0), 0);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
