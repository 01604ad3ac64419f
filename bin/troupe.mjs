#!/usr/bin/env node
// The launcher. Plain JavaScript that any Node can read, so that a Node that is too old is told so before anything else is loaded.
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const own = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const required = /\d+\.\d+/.exec(own.engines.node)[0];

if (isOlder(process.versions.node, required)) {
  console.error(
    `Troupe needs Node >= ${required}, this is ${process.versions.node}: install a current Node, or give the project its ` +
      "own (npm install -D node@24), which npx troupe and npm scripts use. A checkout has its own after npm ci: npm start.",
  );
  process.exit(1);
}

// Node strips types everywhere but under node_modules: a checkout runs its sources, an installed package its build.
const installed = root.pathname.includes("/node_modules/");
if (!installed) resolveOwnNameToSources();

// What was compiled is kept for the next start, where packages keep such things; where nothing can be written, it is not.
nodeModule.enableCompileCache(
  fileURLToPath(new URL(installed ? "../.cache/troupe" : "node_modules/.cache/troupe", root)),
);

const { main } = await import(new URL(installed ? "dist/src/cli/main.js" : "src/cli/main.ts", root).href);
await main(process.argv.slice(2));

/** An app file that imports "troupe" gets the checkout whose command line runs it, wherever the file lies. */
function resolveOwnNameToSources() {
  const sources = new Map(
    Object.entries(own.exports).map(([path, { "troupe-source": source }]) => [`troupe${path.slice(1)}`, source]),
  );
  sources.set("@troupe/client", sources.get("troupe/client"));
  nodeModule.registerHooks({
    resolve(specifier, context, nextResolve) {
      const source = sources.get(specifier);
      return source ? { url: new URL(source, root).href, shortCircuit: true } : nextResolve(specifier, context);
    },
  });
}

function isOlder(version, minimum) {
  const [major, minor] = version.split(".").map(Number);
  const [minimumMajor, minimumMinor] = minimum.split(".").map(Number);
  return major < minimumMajor || (major === minimumMajor && minor < minimumMinor);
}
