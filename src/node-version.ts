/**
 * Refuses a Node that is too old, as the launcher does for the command line. To be the first import of an entry: what comes after it is linked
 * before (so no name is imported from Node's own modules that an old Node lacks), and run only when this has passed.
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
