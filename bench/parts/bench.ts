/** Starts and ends the processes of a question, and measures the CPU and event loop of the servers. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Child, startChild } from "./child.ts";
import type { LoadCommands, Mark, MeasureCommands, ReferenceCommands, TroupeCommands } from "./commands.ts";
import { type BenchDatabase, type EngineName, makeDatabase, makeOwnPostgres } from "./databases.ts";
import { type InstalledPackage, installPackage } from "./installed-package.ts";

/** Command-line options of the bench. */
export interface BenchOptions {
  /** Number of passes of each measurement; each pass measures every candidate once. */
  readonly passes: number;
  readonly engines: readonly EngineName[];
  /** Runs of the largest database of the question `scale`: at least 400,000, so that the smallest is large enough for all passes. */
  readonly runs: number;
  /** Folder for CPU profiles of the measured parts. */
  readonly profiles: string | undefined;
}

/** A question of the bench: prints its tables. */
export type QuestionOf = (bench: Bench) => Promise<void>;

/** A server under measurement. */
export interface Candidate<C extends MeasureCommands = MeasureCommands> {
  readonly name: string;
  readonly port: number;
  readonly process: Child<C>;
  /** CPU used so far by its database's own processes, in milliseconds. */
  readonly databaseCpu: () => number;
}

/** Resources that a server used during some work. */
export interface Taken {
  readonly seconds: number;
  /** Milliseconds of CPU. */
  readonly cpu: number;
  readonly databaseCpu: number;
  readonly loopP99: number;
  readonly loopMax: number;
  readonly before: Mark;
  readonly after: Mark;
}

/** Variations of a server. */
export interface TroupeOptions {
  readonly name?: string;
  /** Settings that differ from the defaults. */
  readonly settings?: Readonly<Record<string, number>>;
  /** See `store-variant.ts`. */
  readonly store?: string;
  readonly flags?: readonly string[];
  /** Environment variables of its process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Folder of another checkout's `bench/parts`, whose server is started instead. */
  readonly checkout?: string;
  /** An existing database. */
  readonly database?: BenchDatabase;
}

/** The processes of one question; all of them end with the question. */
export class Bench implements AsyncDisposable {
  readonly options: BenchOptions;
  readonly #cleanups: (() => Promise<void>)[] = [];
  #profiles = 0;

  constructor(options: BenchOptions) {
    this.options = options;
  }

  load(): Child<LoadCommands> {
    return this.#own(startChild<LoadCommands>("load.ts"));
  }

  /** Creates a new database, removed at the end of the question. */
  database(engine: EngineName): Promise<BenchDatabase> {
    return this.#ownDatabase(makeDatabase(engine));
  }

  /** Starts a new Postgres server, stopped at the end of the question. */
  ownPostgres(): Promise<BenchDatabase> {
    return this.#ownDatabase(makeOwnPostgres());
  }

  /** Builds and installs the package in a folder, removed at the end of the question. */
  async installed(): Promise<InstalledPackage> {
    const installed = await installPackage();
    this.#cleanups.push(() => installed.remove());
    return installed;
  }

  async #ownDatabase(making: Promise<BenchDatabase>): Promise<BenchDatabase> {
    const made = await making;
    this.#cleanups.push(() => made.remove());
    return made;
  }

  async reference(flags: readonly string[] = []): Promise<Candidate<ReferenceCommands>> {
    const process = this.#own(startChild<ReferenceCommands>("reference-server.ts", { flags }));
    return { name: "bare node:http", port: await process.ask("listen", undefined), process, databaseCpu: () => 0 };
  }

  async troupe(engine: EngineName, options: TroupeOptions = {}): Promise<Candidate<TroupeCommands>> {
    const database = options.database ?? (await this.database(engine));
    const settings = JSON.stringify(options.settings ?? {});
    const env = { BENCH_SETTINGS: settings, BENCH_STORE: options.store ?? "", ...options.environment };
    const file = options.checkout ? pathToFileURL(join(options.checkout, "troupe-server.ts")).href : "troupe-server.ts";
    const process = this.#own(startChild<TroupeCommands>(file, { env, flags: options.flags ?? [] }));
    const port = await process.ask("listen", database.listen);
    return { name: options.name ?? engine, port, process, databaseCpu: () => database.cpu() };
  }

  /** Does some work and returns the resources that the server used meanwhile. Profiles it with `--cpu-prof`. */
  async during<T>({ name, process, databaseCpu }: Candidate, work: () => Promise<T>): Promise<Taken & { result: T }> {
    const { profiles } = this.options;
    if (profiles) await process.ask("profile", undefined);
    const before = await process.ask("mark", undefined);
    const databaseBefore = databaseCpu();
    const result = await work();
    const after = await process.ask("mark", undefined);
    if (profiles) {
      mkdirSync(profiles, { recursive: true });
      const file = join(profiles, `${name.replaceAll(/\W+/g, "-")}-${this.#profiles++}.cpuprofile`);
      await process.ask("saveProfile", { file });
      console.log(`(profile: ${file})`);
    }
    return {
      result,
      before,
      after,
      seconds: (after.at - before.at) / 1000,
      cpu: after.cpu - before.cpu,
      databaseCpu: databaseCpu() - databaseBefore,
      loopP99: after.loopP99,
      loopMax: after.loopMax,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
  }

  #own<C extends Record<string, (input: never) => unknown>>(child: Child<C>): Child<C> {
    this.#cleanups.push(() => child.end());
    return child;
  }
}

/** Figures of several passes, by column. */
export class Figures {
  readonly #columns = new Map<string, number[]>();

  add(pass: Readonly<Record<string, number>>): this {
    for (const [column, value] of Object.entries(pass)) {
      const values = this.#columns.get(column) ?? [];
      values.push(value);
      this.#columns.set(column, values);
    }
    return this;
  }

  /** Divides the figures of each pass by another set's figures of the same pass. */
  over(base: Figures): Figures {
    const ratios = new Figures();
    for (const [column, values] of this.#columns) {
      const others = base.#columns.get(column) ?? [];
      for (const [place, value] of values.entries()) ratios.add({ [column]: value / (others[place] ?? Number.NaN) });
    }
    return ratios;
  }

  /** Cells of a table: median and spread of each column. */
  cells(show: (values: readonly number[]) => string): Record<string, string> {
    return Object.fromEntries([...this.#columns].map(([column, values]) => [column, show(values)]));
  }
}
