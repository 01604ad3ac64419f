/** The command line `troupe`. */
import { readFileSync } from "node:fs";
import { Argument, Command, Option } from "commander";
import type { DoctorOptions } from "./commands/doctor.ts";
import type { EvalRunOptions } from "./commands/eval-run.ts";
import type { ExportOptions } from "./commands/export.ts";
import type { InitOptions } from "./commands/init.ts";
import type { PruneOptions } from "./commands/prune.ts";
import type { TokenOptions } from "./commands/token.ts";
import { forgetEmptyVariables, loadEnvFile } from "./environment.ts";
import { auths, databases, modelProviders } from "./init/choices.ts";
import { isConfigurationError } from "./load.ts";
import { type DatabaseOptions, processesOf, type ServeOptions } from "./options.ts";
import { isServerProcess } from "./processes/assignment.ts";
import type { ServerAddress } from "./server-api.ts";

/** Runs a command line. If it fails, the process exits with code 1. */
export async function main(arguments_: readonly string[]): Promise<void> {
  forgetEmptyVariables();
  let isServing = false;
  const program = new Command("troupe")
    .description("Hosts agents, teams and workflows over HTTP; every run is a durable, numbered log of events.")
    .version(versionOfPackage(), "-v, --version", "print the version");
  // Each command is loaded only when it runs, because loading takes most of the time of a short command.
  withProcesses(withServing(withDatabase(program.command("start [file]"))))
    .description("host the platform that the file exports by default (without a file: app.ts)")
    .action(async (file: string | undefined, options: ServeOptions) => {
      isServing = true;
      const processes = isServerProcess() ? undefined : processesOf(options);
      if (processes === undefined) {
        const { start } = await import("./commands/start.ts");
        await start(file, options);
      } else {
        const { startProcesses } = await import("./commands/start-processes.ts");
        await startProcesses(processes, options);
      }
    });
  withServing(withDatabase(program.command("dev [file]")))
    .description("like start, and restart whenever a source file changes")
    .action(async (file: string | undefined, options: ServeOptions, command: Command) => {
      isServing = true;
      const { dev } = await import("./commands/dev.ts");
      await dev(file, options, { port: command.getOptionValueSource("port") !== "default" });
    });
  withDatabase(program.command("migrate"))
    .description("bring the database's schema up to date and exit")
    .action(async (options: DatabaseOptions) => {
      const { migrate } = await import("./commands/migrate.ts");
      await migrate(options);
    });
  withDatabase(program.command("prune [file]"))
    .description("remove the data that is older than the platform's retention, and exit")
    .option("--dry-run", "print what would be removed, and change nothing")
    .option("--rewrite", "then rewrite the SQLite file, so that all free space is returned")
    .action(async (file: string | undefined, options: PruneOptions) => {
      const { prune } = await import("./commands/prune.ts");
      await prune(file, options);
    });
  withDatabase(program.command("backup <folder>"))
    .description("copy the embedded database into a folder while a server uses it, and check the copy")
    .action(async (folder: string, options: DatabaseOptions) => {
      const { backup } = await import("./commands/backup.ts");
      await backup(folder, options, versionOfPackage());
    });
  withDatabase(program.command("restore <folder>"))
    .description("copy a backup into an empty data folder, and check it")
    .action(async (folder: string, options: DatabaseOptions) => {
      const { restore } = await import("./commands/backup.ts");
      await restore(folder, options);
    });
  withDatabase(program.command("export"))
    .description("write all data of a user as JSON lines, and exit")
    .requiredOption("--user <id>", "the user's id")
    .option("--output <file>", "file to create (default: standard output)")
    .action(async (options: ExportOptions) => {
      const { exportUser } = await import("./commands/export.ts");
      await exportUser(options);
    });
  program
    .command("components")
    .description(
      "list, export, import and compare versions of components on a running server; TROUPE_TOKEN is its token",
    )
    .addArgument(new Argument("<action>", "what to do").choices(["list", "export", "import", "diff"]))
    .argument("[names...]", "component, versions and files: export support 2, import support.json, diff support 1 2")
    .addOption(serverUrl())
    .addOption(envFile())
    .action(async (action: string, names: readonly string[], options: ServerAddress) => {
      const { components } = await import("./commands/components.ts");
      await components(action, names, options);
    });
  program
    .command("eval <action> [file]")
    .description("run: execute the cases of a file, or of a dataset; exit code 1 if too few pass")
    .option(
      "--url <url>",
      "server that executes them, with the token TROUPE_TOKEN (default: the platform of --app, here)",
    )
    .option("--app <file>", "file of the platform (default: app.ts)")
    .option("--dataset <id>", "dataset of the server, in the place of a file")
    .option("--agent <id>", "agent for the rows of the dataset")
    .option("--team <id>", "team for the rows of the dataset")
    .option("--scorers <names>", "scorers for the rows of the dataset, separated by commas (default: a judge)")
    .option("--threshold <part>", "part of the cases that must pass: 0.9 or 90%", "1")
    .option("--parallel <number>", "evals at the same time", "4")
    .option("--timeout <seconds>", "time to wait for each eval", "600")
    .option("--junit <file>", "file for the results as JUnit XML")
    .addOption(envFile())
    .action(async (action: string, file: string | undefined, options: EvalRunOptions) => {
      const { evalRun } = await import("./commands/eval-run.ts");
      await evalRun(action, file, options);
    });
  program
    .command("init <folder>")
    .description("write a new project into an empty folder: an agent, a workflow, a test and a Dockerfile")
    .addOption(new Option("--model <provider>", "model provider (default: scripted)").choices(modelProviders))
    .addOption(new Option("--auth <mode>", "authorization (default: none)").choices(auths))
    .addOption(new Option("--database <kind>", "database (default: sqlite)").choices(databases))
    .option("-y, --yes", "ask nothing: omitted options have their defaults")
    .option("--package <source>", "version or tarball of troupe, as in package.json (default: this version)")
    .action(async (folder: string, options: InitOptions) => {
      const { init } = await import("./commands/init.ts");
      await init(folder, options, versionOfPackage());
    });
  program
    .command("openapi [file]")
    .description("print the OpenAPI document of the platform's interface")
    .addOption(envFile())
    .action(async (file: string | undefined) => {
      const { openapi } = await import("./commands/openapi.ts");
      await openapi(file);
    });
  program
    .command("token")
    .description("print a token for development, signed with a key in the data folder")
    .addOption(dataDir())
    .addOption(envFile())
    .option("--sub <user>", "user of the token", "developer")
    .option("--scopes <scopes>", "scopes of the token, separated by commas: agents:read,agents:run", "agent_os:admin")
    .option("--expires <time>", "lifetime of the token: 15m, 8h, 30d", "1h")
    .option("--audience <audience>", "audience of the token (default: none)")
    .action(async (options: TokenOptions) => {
      const { token } = await import("./commands/token.ts");
      await token(options);
    });
  withProcesses(withServing(withDatabase(program.command("doctor [file]"))))
    .description("check whether a start with the same options would work, and list what is missing")
    .option("--deep", "check all logs, references, indexes and plans, and the state of the database")
    .option("--token <token>", "a token to explain: its user, its routes, or why it is rejected; - reads it")
    .action(async (file: string | undefined, options: DoctorOptions) => {
      const { doctor } = await import("./commands/doctor.ts");
      await doctor(file, options);
    });
  try {
    await program.parseAsync(arguments_, { from: "user" });
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    console.error(`troupe: ${error.message}`);
    // Timers and connections of the app must not keep a failed process alive: its supervisor would wait for ever.
    process.exit(1);
  }
  // The same holds for a command that is done. Its output is written first.
  if (!isServing) process.stdout.write("", () => process.exit());
}

function versionOfPackage(): string {
  return JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version;
}

function withDatabase(command: Command): Command {
  return command
    .addOption(
      new Option("--database <url>", "Postgres connection string; without one, SQLite in the data folder").env(
        "DATABASE_URL",
      ),
    )
    .addOption(
      new Option("--direct-database <url>", "Postgres itself, where --database is a transaction-mode pooler").env(
        "DATABASE_DIRECT_URL",
      ),
    )
    .addOption(dataDir())
    .addOption(envFile());
}

function serverUrl(): Option {
  return new Option("--url <url>", "address of the server").default("http://127.0.0.1:7777");
}

function dataDir(): Option {
  return new Option("--data-dir <folder>", "folder of the embedded database").env("TROUPE_DATA_DIR").default(".troupe");
}

function envFile(): Option {
  // Parsed immediately, because the file may contain variables for other options.
  return new Option(
    "-e, --env-file <path>",
    "file of variables, NAME=value; variables that are already set take precedence",
  ).argParser(loadEnvFile);
}

function withProcesses(command: Command): Command {
  return command.addOption(
    new Option("--processes <number>", "server processes on the port, with Postgres; auto is one per core")
      .env("TROUPE_PROCESSES")
      .default("none"),
  );
}

function withServing(command: Command): Command {
  return command
    .addOption(
      new Option("--read-database <url>", "standby of the Postgres database, for listings and logs of ended runs").env(
        "DATABASE_READ_URL",
      ),
    )
    .addOption(new Option("--host <address>", "address to listen on").env("HOST").default("127.0.0.1"))
    .addOption(new Option("--port <number>", "port to listen on; 0 selects a free port").env("PORT").default("7777"))
    .addOption(
      new Option("--metrics-port <number>", "port of the metrics for Prometheus (default: none)").env("METRICS_PORT"),
    )
    .addOption(new Option("--log-level <level>", "debug, info, warn, error or silent").env("LOG_LEVEL").default("warn"))
    .addOption(
      new Option("--log-format <format>", "json or pretty (default: pretty on a terminal, else json)").env(
        "LOG_FORMAT",
      ),
    )
    .addOption(
      new Option("--shutdown-timeout <seconds>", "time to wait for live runs after SIGTERM (default: the setting)"),
    )
    .addOption(
      new Option(
        "--role <role>",
        "api leaves background runs to other processes, worker accepts no starts, all does both",
      )
        .env("TROUPE_ROLE")
        .default("all"),
    )
    .option("--allow-anonymous", "listen beyond loopback without authorization")
    .option("--no-migrate", "do not change the database's schema; fail if it is not up to date");
}
