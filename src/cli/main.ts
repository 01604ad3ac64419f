/** The command line `troupe`. */
import { Command, Option } from "commander";
import { ConfigurationError } from "../errors.ts";
import { dev } from "./commands/dev.ts";
import { doctor } from "./commands/doctor.ts";
import { migrate } from "./commands/migrate.ts";
import { openapi } from "./commands/openapi.ts";
import { start } from "./commands/start.ts";

/** Runs a command line; ends the process with code 1 when it fails. */
export async function main(arguments_: readonly string[]): Promise<void> {
  const program = new Command("troupe").description("Hosts agents and teams over HTTP, and never loses their work.");
  withServing(withDatabase(program.command("start [file]")))
    .description("host the platform that the file exports by default (default: app.ts)")
    .action(start);
  withServing(withDatabase(program.command("dev [file]")))
    .description("the same, started again whenever a source file changes")
    .action(dev);
  withDatabase(program.command("migrate"))
    .description("bring the database's schema up to date, and end")
    .action(migrate);
  program
    .command("openapi [file]")
    .description("print the OpenAPI document of the platform's interface")
    .action(openapi);
  withDatabase(program.command("doctor [file]"))
    .description("say what is configured, what can be reached, and what is missing")
    .action(doctor);
  try {
    await program.parseAsync(arguments_, { from: "user" });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(`troupe: ${error.message}`);
    process.exitCode = 1;
  }
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
    .addOption(
      new Option("--data-dir <folder>", "folder of the embedded database").env("TROUPE_DATA_DIR").default(".troupe"),
    );
}

function withServing(command: Command): Command {
  return command
    .addOption(new Option("--host <address>", "address to listen on").env("HOST").default("127.0.0.1"))
    .addOption(new Option("--port <number>", "port to listen on").env("PORT").default("7777"))
    .addOption(new Option("--log-level <level>", "debug, info, warn, error or silent").env("LOG_LEVEL").default("warn"))
    .addOption(new Option("--grace <seconds>", "how long an end waits for live runs (default: the setting)"))
    .option("--allow-anonymous", "listen beyond loopback although there is no authorization")
    .option("--no-migrate", "do not touch the database's schema; fail when it is not up to date");
}
