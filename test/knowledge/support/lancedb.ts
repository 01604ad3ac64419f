/**
 * The package of LanceDB. Its binaries have 190 MB, and few tests need them: they are installed once, into the cache of this checkout, and not with the
 * dependencies.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LanceDb } from "../../../src/knowledge/vectors/lancedb.ts";

const version = "0.39.0";
const cache = fileURLToPath(new URL("../../../node_modules/.cache/troupe-lancedb", import.meta.url));

/** Its optional packages embed texts, which needs several hundred megabytes more; small ones replace them. */
const overrides = {
  "@lancedb/lancedb": { "@huggingface/transformers": "npm:stemmer@2.0.1", openai: "npm:stemmer@2.0.1" },
};

/** The package, and the folder whose modules contain it. */
export interface InstalledLanceDb {
  readonly folder: string;
  readonly package: LanceDb;
}

/** Installs the package. Returns the reason where it cannot be installed. */
export async function installLanceDb(): Promise<InstalledLanceDb | { readonly missing: string }> {
  try {
    const folder = await installed();
    return { folder, package: createRequire(join(folder, "package.json"))("@lancedb/lancedb") as LanceDb };
  } catch (error) {
    return { missing: `No LanceDB: ${(error as Error).message.split("\n", 1)[0]}` };
  }
}

async function installed(): Promise<string> {
  const folder = join(cache, version);
  if (existsSync(folder)) return folder;
  // A process that ends in between leaves no folder that looks complete.
  const making = `${folder}-${process.pid}`;
  await mkdir(making, { recursive: true });
  try {
    const wanted = { private: true, dependencies: { "@lancedb/lancedb": version }, overrides };
    await writeFile(join(making, "package.json"), JSON.stringify(wanted));
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    await promisify(execFile)("npm", ["install", ...flags], { cwd: making, timeout: 300_000 });
    await rename(making, folder).catch((error: unknown) => {
      // Another process was faster.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}
