/** Processes of the bench and their commands over IPC: server, load client and report never share an event loop. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Commands that a child answers, by name. */
export type Commands = Record<string, (input: never) => unknown>;

interface Question {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

type InputOf<F> = F extends (input: infer I) => unknown ? I : never;
type OutputOf<F> = F extends (input: never) => infer O ? Awaited<O> : never;

/** A child process that answers commands. */
export class Child<C extends Commands> {
  readonly process: ChildProcess;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #next = 0;

  constructor(process: ChildProcess) {
    this.process = process;
    process.on("message", ({ id, value, error }: Answer) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value as never);
      else waiting?.reject(new Error(error));
    });
    process.on("exit", (code, signal) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`A process ended: ${signal ?? code}.`));
      this.#waiting.clear();
    });
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  ask<N extends keyof C & string>(name: N, input: InputOf<C[N]>): Promise<OutputOf<C[N]>> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.process.send({ id, name, input } satisfies Question);
    });
  }

  /** Ends the process. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, "exit");
    this.process.disconnect();
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 20_000);
    await exited;
    clearTimeout(timer);
  }
}

/** Starts a file of this folder as a child. */
export function startChild<C extends Commands>(
  file: string,
  options: { env?: Record<string, string>; flags?: readonly string[] } = {},
): Child<C> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const flags = ["--conditions=troupe-source", ...(options.flags ?? [])];
  return new Child<C>(
    fork(path, [], { execArgv: flags, env: { ...process.env, ...options.env }, serialization: "advanced" }),
  );
}

/** In a child: answers the parent's commands until the parent disconnects. */
export function answer(commands: Commands, end: () => Promise<void> | void = () => {}): void {
  process.on("message", async ({ id, name, input }: Question) => {
    try {
      const value = await commands[name]?.(input as never);
      process.send?.({ id, value } satisfies Answer);
    } catch (error) {
      process.send?.({ id, error: String((error as Error).stack ?? error) } satisfies Answer);
    }
  });
  process.on("disconnect", async () => {
    await end();
    process.exit(0);
  });
}
