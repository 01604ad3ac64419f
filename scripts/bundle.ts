/**
 * Bundles the built server. A start loads some 450 modules of ours and 300 of kysely and jose; finding, reading and linking them takes most of its time. The
 * bundle has about twenty. Other dependencies stay packages: apps share them with the server, or they are not worth it.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";

/** Files that others load by their path. */
const entries = [
  "index",
  "interface",
  "channels",
  "testing/index",
  "cli/main",
  "cli/report-imports",
  "store/sqlite/wal-checkpoint-worker",
  "store/sqlite/background-reads-worker",
  "knowledge/parsing/parse-process",
  "knowledge/parsing/parse-worker",
];

const bundledPackages = ["jose", "kysely"];

/** Files that stay as they are: the client, which loads nothing of the server, what both share, and the check of Node's version, which must be the first. */
const separate = /^(client\/|src\/(errors|node-version)\.js$)/;

/** Replaces the JavaScript of the server in the build folder `target` with a bundle. Declarations stay. */
export async function bundleServer(target: string, packages: string): Promise<void> {
  const source = join(target, "src");
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(source, `${name}.js`)])),
    platform: "node",
    external: (id) => !/^[./]/.test(id) && !bundledPackages.includes(id.split("/")[0] ?? ""),
    plugins: [ownFiles(target)],
  });
  const { output } = await bundle.write({
    dir: source,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    sourcemap: true,
  });
  await bundle.close();
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (/\.js(\.map)?$/.test(name) && !written.has(name) && !separate.test(`src/${name.replace(/\.map$/, "")}`))
      rmSync(join(source, name));
  }
  const licenses = bundledPackages.map((name) => `${name}\n\n${licenseOf(join(packages, name))}`);
  writeFileSync(join(target, "licenses.txt"), licenses.join("\n\n"));
}

/** Keeps the separate files outside the bundle, reads the source maps of the build, and keeps `import.meta.url` of each module. */
function ownFiles(target: string): Plugin {
  const placeOf = (id: string): string => relative(target, id);
  return {
    name: "own-files",
    resolveId(id, importer) {
      if (!id.startsWith(".") || importer === undefined) return null;
      const place = placeOf(join(dirname(importer), id));
      return separate.test(place) ? { id: `file:${place}`, external: true } : null;
    },
    load(id) {
      if (!id.startsWith(`${target}/`) || !existsSync(`${id}.map`)) return null;
      const code = readFileSync(id, "utf8").replaceAll("import.meta.url", `urlOf(${JSON.stringify(placeOf(id))})`);
      return { code, map: readFileSync(`${id}.map`, "utf8") };
    },
    renderChunk(code, { fileName }) {
      const from = dirname(join("src", fileName));
      const pathTo = (place: string): string => relative(from, place).replace(/^(?!\.)/, "./");
      const rendered = code
        .replaceAll(/"file:([^"]+)"/g, (_, place) => JSON.stringify(pathTo(place)))
        .replaceAll(
          /urlOf\("([^"]+)"\)/g,
          (_, place) => `new URL(${JSON.stringify(pathTo(place))}, import.meta.url).href`,
        );
      return { code: withFirst(rendered, /^import "[^"]*node-version\.js";$/m), map: null };
    },
  };
}

/** Moves a line to the beginning: what it imports then runs before every other import. */
function withFirst(code: string, line: RegExp): string {
  const [found] = line.exec(code) ?? [];
  return found === undefined ? code : `${found} ${code.replace(found, "")}`;
}

function licenseOf(folder: string): string {
  const name = readdirSync(folder).find((it) => /^licen[cs]e/i.test(it));
  if (name === undefined) throw new Error(`${folder} has no license to include.`);
  return readFileSync(join(folder, name), "utf8");
}
