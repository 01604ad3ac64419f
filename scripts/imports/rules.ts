/** The architecture as rules for the import check: which part of `src/` may import which, and what `client/` and `console/` may import. */
export interface ImportRules {
  /** From the lowest to the highest level. A part imports parts of lower levels only, and no other part of its own level. */
  levels: readonly (readonly string[])[];
  /** Parts that may import less than all lower levels: the parts that they may import, or folders of parts. */
  narrow: Readonly<Record<string, readonly string[]>>;
  /** Parts whose folders do not import each other. */
  apart: readonly string[];
  /** Parts outside the levels, with everything they may import. No part in the levels imports them. */
  beside: Readonly<Record<string, readonly string[]>>;
  /** Packages that only the listed parts may import. */
  packages: Readonly<Record<string, readonly string[]>>;
  /** The console: its folder, the folder with a folder for each screen, and the packages of ours that it may import. */
  console: { readonly root: string; readonly screens: string; readonly packages: readonly string[] };
}

const levels = [
  ["errors"],
  ["model", "node-version"],
  ["client"],
  ["define", "auth", "store"],
  ["events", "knowledge"],
  ["engine"],
  ["runs"],
  ["schedule", "http"],
  ["interfaces"],
  ["platform"],
  ["cli"],
] as const;

const platformAndBelow = levels.flat().filter((part) => part !== "cli");

export const rules: ImportRules = {
  levels,
  narrow: {
    // Interfaces translate: rules about runs are in `runs`. `transport`, `input` and `streams` are the HTTP transport that surfaces share.
    interfaces: ["errors", "model", "events", "runs", "http/transport", "http/input", "http/streams"],
  },
  apart: ["interfaces"],
  beside: {
    testing: platformAndBelow,
    index: platformAndBelow,
    interface: platformAndBelow,
    channels: platformAndBelow,
  },
  packages: {
    pg: ["store"],
    "better-sqlite3": ["store"],
    kysely: ["store"],
    fastify: ["http", "interfaces"],
    "@fastify/*": ["http", "interfaces"],
    "fastify-type-provider-zod": ["http", "interfaces"],
    ws: ["interfaces"],
    "@modelcontextprotocol/server": ["interfaces"],
    commander: ["cli"],
  },
  console: { root: "console/src/", screens: "console/src/screens/", packages: ["@troupe/client"] },
};
