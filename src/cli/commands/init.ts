import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { ConfigurationError } from "../../errors.ts";
import { authModes, databases, type ProjectChoices, projectFiles, providers } from "../init/project-files.ts";

/** Options of `troupe init`. */
export interface InitOptions {
  readonly model?: string;
  readonly auth?: string;
  readonly store?: string;
  readonly yes?: boolean;
  readonly package?: string;
}

interface Question {
  readonly option: "model" | "auth" | "store";
  readonly text: string;
  readonly answers: readonly string[];
}

/** The first answer is the default. */
const questions: readonly Question[] = [
  {
    option: "model",
    text: "Where do the models come from?",
    answers: ["scripted", ...providers.filter((one) => one !== "scripted")],
  },
  { option: "auth", text: "Who may call the server?", answers: authModes },
  { option: "store", text: "Which database?", answers: databases },
];

/** `troupe init <folder>`: writes a project. @throws ConfigurationError for a folder that is not empty, and an unknown choice */
export async function init(folder: string, options: InitOptions, version: string): Promise<void> {
  const place = resolve(folder);
  requireEmpty(place);
  const name = nameOf(place);
  for (const { option, answers } of questions) requireKnown(option, options[option], answers);
  const chosen = await choices(options);
  const project: ProjectChoices = {
    name,
    model: chosen.model as ProjectChoices["model"],
    auth: chosen.auth as ProjectChoices["auth"],
    database: chosen.store as ProjectChoices["database"],
    troupe: options.package ?? `^${version}`,
    key: randomBytes(24).toString("base64url"),
  };
  for (const [path, content] of Object.entries(projectFiles(project))) {
    const file = join(place, path);
    await mkdir(dirname(file), { recursive: true });
    // `.env` has a secret.
    await writeFile(file, content, { flag: "wx", mode: path === ".env" ? 0o600 : 0o644 });
  }
  const where = relative(process.cwd(), place) || ".";
  const database = project.database === "postgres" ? "docker compose up -d --wait\n  " : "";
  console.log(
    `A project with ${project.model} models is in ${where}. Start it:\n\n  cd ${where}\n  npm install\n  ${database}npm start`,
  );
}

function requireEmpty(place: string): void {
  if (!existsSync(place)) return;
  let entries: readonly string[];
  try {
    entries = readdirSync(place);
  } catch {
    throw new ConfigurationError(`${place} is not a folder that can be read.`);
  }
  // A repository may exist before its first file.
  if (entries.every((entry) => entry === ".git")) return;
  throw new ConfigurationError(`The folder ${place} is not empty: name one that is empty or does not exist.`);
}

/** The name of the package: the folder's, in the form that npm accepts. */
function nameOf(place: string): string {
  const name = basename(place)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, 100);
  return name === "" ? "my-app" : name;
}

function requireKnown(option: string, given: string | undefined, answers: readonly string[]): void {
  if (given === undefined || answers.includes(given)) return;
  throw new ConfigurationError(`--${option} ${JSON.stringify(given)} is unknown; there are ${answers.join(", ")}.`);
}

/** Asks for the choices that no option makes, if a person can answer; otherwise takes the defaults. */
async function choices(options: InitOptions): Promise<Record<Question["option"], string>> {
  const open = questions.filter(({ option }) => options[option] === undefined);
  const chosen = Object.fromEntries(
    questions.map(({ option, answers }) => [option, options[option] ?? answers[0] ?? ""]),
  );
  if (open.length > 0 && options.yes !== true && process.stdin.isTTY && process.stdout.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    try {
      for (const { option, text, answers } of open) chosen[option] = await ask(terminal, text, answers);
    } finally {
      terminal.close();
    }
  }
  return chosen as Record<Question["option"], string>;
}

async function ask(
  terminal: ReturnType<typeof createInterface>,
  text: string,
  answers: readonly string[],
): Promise<string> {
  const listed = answers.map((answer, place) => `  ${place + 1}  ${answer}`).join("\n");
  for (;;) {
    const given = (await terminal.question(`${text}\n${listed}\n[1] `)).trim();
    const answer = given === "" ? answers[0] : (answers[Number(given) - 1] ?? answers.find((one) => one === given));
    if (answer !== undefined) return answer;
  }
}
