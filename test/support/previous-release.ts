/** The previous release of Troupe, whose sources are kept beside the upgrade tests. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import type { TestDatabase } from "./databases.ts";
import { executeSql } from "./execute-sql.ts";

const project = fileURLToPath(new URL("../../", import.meta.url));

/** The folder with the previous release and with the databases that it wrote. */
export const previousFolder: string = join(project, "test/upgrade/previous");

/** Unpacks the previous release's sources. They use this checkout's packages, except Troupe itself. */
export async function unpackPreviousRelease(): Promise<{ readonly launcher: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-previous-"));
  await promisify(execFile)("tar", ["-xzf", join(previousFolder, "source.tar.gz"), "-C", folder]);
  await symlink(join(project, "node_modules"), join(folder, "node_modules"));
  return {
    launcher: join(folder, "bin/troupe.mjs"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Fills an empty database with what the previous release had written when it was killed. */
export async function fillFromPrevious(database: TestDatabase): Promise<void> {
  if (database.kind === "sqlite") {
    await promisify(execFile)("tar", ["-xzf", join(previousFolder, "sqlite.tar.gz"), "-C", database.dataDir]);
    return;
  }
  const text = gunzipSync(await readFile(join(previousFolder, "postgres.sql.gz"))).toString();
  await executeSql(database, text);
}
