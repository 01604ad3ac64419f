/** Which part of `src/` may import which, and what `client/` may import: the diagram of the architecture, as the check reads it. Change it here and nowhere else. */
export interface ImportRules {
  /** From the bottom up. A part imports parts of lower levels only; parts of one level do not know each other. */
  levels: readonly (readonly string[])[];
  /** Arrows within a level that are meant: `[from, to]`. */
  siblings: readonly (readonly [from: string, to: string])[];
  /** Parts beside the levels, with all they may import. Nothing in the levels imports them. */
  beside: Readonly<Record<string, readonly string[]>>;
  /** Packages that only some parts may import. */
  packages: Readonly<Record<string, readonly string[]>>;
}

const levels = [
  ["errors"],
  ["model", "node-version"],
  ["client"],
  ["define", "auth", "store"],
  ["events"],
  ["engine"],
  ["schedule", "http"],
  ["interfaces", "a2a"],
  ["platform", "platform-in-process", "platform-memory", "platform-options", "platform-parts", "platform-runtime"],
  ["cli"],
] as const;

const platformAndBelow = levels.flat().filter((part) => part !== "cli");

export const rules: ImportRules = {
  levels,
  siblings: [
    ["platform", "platform-options"],
    ["platform", "platform-parts"],
    ["platform", "platform-runtime"],
    ["platform-in-process", "platform-parts"],
    ["platform-in-process", "platform-runtime"],
    ["platform-parts", "platform-runtime"],
    ["platform-parts", "platform-memory"],
  ],
  beside: {
    testing: platformAndBelow,
    index: platformAndBelow,
  },
  packages: {
    pg: ["store"],
    "better-sqlite3": ["store"],
    kysely: ["store"],
    fastify: ["http", "interfaces"],
    "@fastify/*": ["http", "interfaces"],
    "fastify-type-provider-zod": ["http", "interfaces"],
    ws: ["interfaces"],
    commander: ["cli"],
  },
};
