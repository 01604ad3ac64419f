/** Runs the command line as a user does: in a folder of its own, without this machine's variables. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../../../", import.meta.url));
const launcher = join(project, "bin/troupe.mjs");
const variables =
  /^(HOST|PORT|npm_command|DATABASE_URL|DATABASE_DIRECT_URL|DATABASE_READ_URL|TROUPE_|LOG_LEVEL|LOG_FORMAT|METRICS_PORT|OPENAI_|ANTHROPIC_|NODE_OPTIONS|VITEST|JWT_|OS_SECURITY_KEY)/;

/** The result of a command line. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with files in which commands run. */
export interface Workplace extends AsyncDisposable {
  readonly folder: string;
  /** Runs later commands in a folder of this folder. */
  enter(path: string): void;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Runs a command line to its end. */
  troupe(commandLine: string, environment?: Readonly<Record<string, string>>): Promise<Ran>;
  /** Starts a command line. Disposing of the workplace ends it. */
  start(commandLine: string): Promise<Serving>;
  /** Starts a command line that serves; resolves when it listens. Disposing of the workplace ends it. */
  serve(commandLine: string, environment?: Readonly<Record<string, string>>, below?: "shell"): Promise<Serving>;
}

/** A running server. */
export interface Serving {
  readonly address: string;
  readonly pid: number;
  /** All output so far. */
  readonly output: string;
  /** Resolves when the output matches. */
  printed(pattern: RegExp): Promise<void>;
  /** Sends a signal to it. */
  signal(signal: NodeJS.Signals): void;
  readonly exited: Promise<Ran>;
}

/** Creates a folder from which packages resolve as from the checkout. */
export async function workplace(files: Readonly<Record<string, string>> = {}): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-cli-"));
  await symlink(join(project, "node_modules"), join(folder, "node_modules"));
  const started: ChildProcess[] = [];
  let current = folder;

  function run(commandLine: string, environment: Readonly<Record<string, string>>, below?: "shell"): Running {
    const rest = Object.fromEntries(Object.entries(process.env).filter(([name]) => !variables.test(name)));
    const command = [process.execPath, launcher, ...commandLine.split(" ").filter(Boolean)];
    // A shell replaces itself with its last command, so `true` follows.
    const [program = "", ...arguments_] = below ? ["sh", "-c", '"$0" "$@"; true', ...command] : command;
    const child = spawn(program, arguments_, {
      cwd: current,
      env: { ...rest, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    return new Running(child);
  }

  const place: Workplace = {
    folder,
    enter(path) {
      current = join(folder, path);
    },
    async write(contents) {
      for (const [path, text] of Object.entries(contents)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
    },
    troupe: (commandLine, environment = {}) => run(commandLine, environment).exited,
    start: async (commandLine) => run(commandLine, {}),
    async serve(commandLine, environment = {}, below) {
      const running = run(commandLine, environment, below);
      await running.printed(/ at http:\S+\n/);
      return running;
    },
    async [Symbol.asyncDispose]() {
      for (const child of started) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const gone = once(child, "exit");
        // dev forwards the first signal to its server; the second one ends it without waiting for runs.
        child.kill("SIGTERM");
        child.kill("SIGTERM");
        await gone;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
  await place.write(files);
  return place;
}

class Running implements Serving {
  readonly exited: Promise<Ran>;
  readonly #child: ChildProcess;
  readonly #written = { stdout: "", stderr: "" };
  #output = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        this.#written[name] += text;
        this.#output += text;
        child.emit("written");
      });
    }
    this.exited = once(child, "close").then(([code]) => {
      child.emit("written");
      return { code, ...this.#written };
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): string {
    return this.#output;
  }

  get address(): string {
    return / at (http:\S+)\n/.exec(this.output)?.[1] ?? "";
  }

  async printed(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.output)) {
      if (this.#child.exitCode !== null)
        throw new Error(`The command exited with ${this.#child.exitCode}:\n${this.output}`);
      await once(this.#child, "written");
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** Returns an app file with one agent that answers with the given text. */
export function appFile(text = "Good morning.", more = ""): string {
  return `import { defineAgent, definePlatform } from "troupe";
import { scriptedModel } from "troupe/testing";
${more}
const greeter = defineAgent({ id: "greeter", description: "Greets", model: scriptedModel(() => (${JSON.stringify(text)})) });
export default definePlatform({ id: "reception", name: "Reception", agents: [greeter] });
`;
}

/** Returns the answer of an app file's agent. */
export async function askGreeter(address: string): Promise<string> {
  const body = new URLSearchParams({ message: "Hi", stream: "false" });
  const answer = await fetch(`${address}/agents/greeter/runs`, { method: "POST", body });
  return ((await answer.json()) as { content: string }).content;
}
