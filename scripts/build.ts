/**
 * Builds the published packages, as JavaScript with types: `troupe` in dist/, from src/, client/ and console/; `@troupe/client` in client/dist/. Both keep the
 * folders of the sources, because the client imports a few files of src/. The server's JavaScript is bundled.
 * Usage: node scripts/build.ts [client]     with `client`: `@troupe/client` only
 */
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleServer } from "./bundle.ts";

const project = fileURLToPath(new URL("..", import.meta.url));

if (process.argv[2] === "client") {
  compile("client/tsconfig.build.json", join(project, "client/dist"));
} else {
  const target = join(project, "dist");
  compile("tsconfig.build.json", target);
  for (const file of filesUnder(join(project, "src"))) {
    if (!file.endsWith(".ts")) cpSync(file, join(target, relative(project, file)));
  }
  // Modules read the version and the engines from the package.json above their folder, in src/ and in dist/src/ alike.
  const { type, name, version, engines } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  writeFileSync(join(target, "package.json"), `${JSON.stringify({ type, name, version, engines }, null, 2)}\n`);
  refuseSourceNames(target);
  await bundleServer(target, join(project, "node_modules"));
  const { buildConsole } = await import("../console/scripts/bundle.ts");
  const inConsole = await buildConsole();
  writeBillOfMaterials(join(target, "sbom.cdx.json"), name, inConsole);
}

function compile(config: string, target: string): void {
  rmSync(target, { recursive: true, force: true });
  const compiler = spawnSync(join(project, "node_modules/.bin/tsc"), ["-p", config], {
    cwd: project,
    stdio: "inherit",
  });
  if (compiler.status !== 0) process.exit(compiler.status ?? 1);
}

interface BillOfMaterials {
  readonly metadata: { readonly component: object };
  readonly components: readonly {
    readonly "bom-ref": string;
    readonly name: string;
    readonly version: string;
    readonly properties: readonly { readonly name: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Writes the packages of a server in CycloneDX, from the lock file, with those whose code is in the build of the console (`name@version`). npm's own `--omit=dev` also omits direct dependencies that a development dependency shares.
 */
function writeBillOfMaterials(file: string, name: string, inConsole: ReadonlySet<string>): void {
  const options = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
  const { status, stdout, stderr } = spawnSync("npm", options, { cwd: project, encoding: "utf8", maxBuffer: 64e6 });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const all = JSON.parse(stdout) as BillOfMaterials;
  const isDevelopment = (property: { readonly name: string }): boolean =>
    property.name === "cdx:npm:package:development";
  const components = all.components.filter(
    (one) => !one.properties.some(isDevelopment) || inConsole.has(`${one.name}@${one.version}`),
  );
  const kept = new Set(components.map((component) => component["bom-ref"]));
  const [root, ...others] = all.dependencies;
  const dependencies = [root, ...others.filter(({ ref }) => kept.has(ref))]
    .filter((entry) => entry !== undefined)
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((needed) => kept.has(needed)) }));
  // npm takes the name from the folder of the checkout.
  const metadata = { ...all.metadata, component: { ...all.metadata.component, name } };
  writeFileSync(file, `${JSON.stringify({ ...all, metadata, components, dependencies }, null, 2)}\n`);
}

/** tsc rewrites the extension in imports, but not in strings: the built code would look for a file that does not exist. */
function refuseSourceNames(target: string): void {
  for (const file of filesUnder(target).filter((it) => it.endsWith(".js"))) {
    const left = /new URL\(\s*"\.[^"]*\.ts"/.exec(readFileSync(file, "utf8"));
    if (left) throw new Error(`${relative(project, file)} still names a source file: ${left[0]}`);
  }
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
