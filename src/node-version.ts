/**
 * Rejects a Node version that is too old, as the launcher does for the command line. It must be the first import of an entry point. The
 * modules after it are linked earlier, so they must not import names that an old Node lacks, but they run only if this check passes.
 */
import { readFileSync } from "node:fs";
import { ConfigurationError } from "./errors.ts";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const required = /\d+\.\d+/.exec(engines.node)?.[0] ?? "";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [leastMajor = 0, leastMinor = 0] = required.split(".").map(Number);

if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  throw new ConfigurationError(
    `Troupe needs Node >= ${required}, this is ${process.versions.node}: install a current Node, or give the project its own (npm install -D node@24), which npx and npm scripts use.`,
  );
}
