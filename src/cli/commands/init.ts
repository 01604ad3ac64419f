import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { ConfigurationError } from "../../errors.ts";
import { fileError } from "../../store/sqlite/data-folder.ts";
import { type Auth, auths, type Database, databases, type ModelProvider, modelProviders } from "../init/choices.ts";
import { projectFiles } from "../init/files.ts";
import { makeSigningKey } from "./token.ts";

/** Options of `troupe init`. An omitted choice is asked for on a terminal, otherwise it has its default. */
export interface InitOptions {
  readonly model?: ModelProvider;
  readonly auth?: Auth;
  readonly database?: Database;
  /** Asks nothing: omitted choices have their defaults. */
  readonly yes?: boolean;
  /** Version or source of the dependency `troupe`, as in package.json. */
  readonly package?: string;
}

/** `troupe init FOLDER`: writes a project with an agent, a workflow, a test and a Dockerfile into an empty folder. */
export async function init(target: string, options: InitOptions, version: string): Promise<void> {
  const folder = resolve(target);
  const name = nameOf(folder);
  checkEmpty(folder, target);
  const choices = await complete(options);
  const files = projectFiles({
    ...choices,
    name,
    package: options.package ?? `^${version}`,
    securityKey: choices.auth === "key" ? randomBytes(32).toString("base64url") : undefined,
  });
  try {
    for (const [path, text] of Object.entries(files)) write(join(folder, path), text, path === ".env");
  } catch (error) {
    throw fileError((error as NodeJS.ErrnoException).path ?? folder, error);
  }
  // The same key set that `troupe token` creates, so that the first start has one.
  if (choices.auth === "jwt") makeSigningKey(join(folder, ".troupe"));
  console.log(nextSteps(relative(process.cwd(), folder), choices, Object.keys(files)));
}

/**
 * Returns the name of the project: the name of its folder, in the form that npm accepts.
 * It is the package's name, the platform's id and the database's name.
 */
function nameOf(folder: string): string {
  const given = basename(folder);
  const name = given
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  const refuse = (reason: string) =>
    new ConfigurationError(
      `${JSON.stringify(given)} cannot be the project's name: ${reason}. Name the folder differently.`,
    );
  if (!/^[a-z]/.test(name)) throw refuse("a name starts with a letter, and contains only a-z, 0-9 and -");
  if (name.length > 50) throw refuse("a name has at most 50 characters");
  if (isBuiltin(name)) throw refuse("a module of Node.js has this name");
  // npm does not install a package into a project of the same name.
  if (reservedNames.has(name)) throw refuse("a package that the project needs has this name");
  return name;
}

const reservedNames = new Set(["troupe", "zod", "typescript", "node-modules"]);

function checkEmpty(folder: string, target: string): void {
  if (!existsSync(folder)) return;
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") throw new ConfigurationError(`${target} is a file.`);
    throw fileError(folder, error);
  }
  // The repository may exist before the project.
  const [found] = names.filter((name) => name !== ".git");
  if (found !== undefined) {
    throw new ConfigurationError(`The folder ${target} is not empty (it contains ${found}): specify a new folder.`);
  }
}

function write(path: string, text: string, isSecret: boolean): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: "wx", mode: isSecret ? 0o600 : 0o666 });
}

type Choices = Required<Omit<InitOptions, "package" | "yes">>;

async function complete({ model, auth, database, yes }: InitOptions): Promise<Choices> {
  if (yes || !process.stdin.isTTY || !process.stdout.isTTY || (model && auth && database)) {
    return { model: model ?? "scripted", auth: auth ?? "none", database: database ?? "sqlite" };
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Ctrl-C and Ctrl-D close the terminal; without the signal, the question would never end.
  const closed = new AbortController();
  terminal.once("close", () => closed.abort());
  async function ask<Choice extends string>(title: string, among: readonly [Choice, ...Choice[]]): Promise<Choice> {
    for (;;) {
      const question = `${title} (${among.join(", ")}) [${among[0]}]: `;
      const answer = (await terminal.question(question, { signal: closed.signal })).trim() || among[0];
      const choice = among.find((one) => one === answer);
      if (choice !== undefined) return choice;
    }
  }
  try {
    return {
      model: model ?? (await ask("Model provider", modelProviders)),
      auth: auth ?? (await ask("Authorization", auths)),
      database: database ?? (await ask("Database", databases)),
    };
  } catch (error) {
    if (closed.signal.aborted) throw new ConfigurationError("The command was cancelled. It wrote no file.");
    throw error;
  } finally {
    terminal.close();
  }
}

function nextSteps(folder: string, { model, auth, database }: Choices, paths: readonly string[]): string {
  const lines = [`Created ${paths.length} files${folder ? ` in ${folder}` : ""}. Next:`];
  if (folder) lines.push(`  cd ${folder}`);
  if (model === "openai" || model === "anthropic")
    lines.push(`  edit .env            set ${model.toUpperCase()}_API_KEY`);
  if (model === "openai-compatible") lines.push("  edit .env            set OPENAI_BASE_URL and MODEL");
  if (database === "postgres") lines.push("  docker compose up -d --wait   or set DATABASE_URL in .env");
  lines.push("  npm install && npm start", "  npm test             without a server, a key or a network");
  if (auth === "key") lines.push("The clients send the OS_SECURITY_KEY of .env: Authorization: Bearer KEY");
  if (auth === "jwt") lines.push("The clients send a token, which npm run token prints: Authorization: Bearer TOKEN");
  return lines.join("\n");
}
