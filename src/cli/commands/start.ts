import type { Platform } from "../../define/platform.ts";
import { createServer } from "../../platform.ts";
import { loadPlatform } from "../load.ts";
import { graceOf, logLevelOf, portOf, type ServeOptions } from "../options.ts";

/** `troupe start [file]`: hosts a platform until SIGTERM or SIGINT. */
export async function start(file: string | undefined, options: ServeOptions): Promise<void> {
  const grace = graceOf(options);
  const port = portOf(options);
  const logLevel = logLevelOf(options);
  const platform = await loadPlatform(file);
  const { database, directDatabase, dataDir, host, allowAnonymous, migrate } = options;
  const server = await createServer(platform, {
    database,
    directDatabase,
    dataDir,
    host,
    port,
    allowAnonymous,
    migrate,
    logLevel,
  });
  // A promise that some tool left alone must not end everybody's runs.
  process.on("unhandledRejection", (error) =>
    server.log.error({ error }, "A promise was rejected, and nobody handled it."),
  );
  let ending = false;
  const end = (signal: NodeJS.Signals): void => {
    if (ending) process.exit(1);
    ending = true;
    console.log(`${signal}: waiting for live runs to end. Once more to stop at once; what still runs is not lost.`);
    void server.close(grace === undefined ? {} : { grace }).then(() => process.exit(0));
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  const address = await server.listen().catch(async (error: unknown) => {
    await server.close({ grace: 0 });
    throw error;
  });
  console.log(greeting(platform, address, server.database));
}

function greeting(platform: Platform, address: string, database: string): string {
  const lines = [`Troupe hosts "${platform.name}" at ${address}`, `  database  ${database}`];
  for (const agent of platform.agents) lines.push(`  agent     ${agent.id}${describe(agent.description)}`);
  for (const team of platform.teams)
    lines.push(`  team      ${team.id}${describe(team.description)} (${team.members.map(({ id }) => id).join(", ")})`);
  lines.push(`  docs      ${address}/docs`);
  const kind = platform.teams.length > 0 ? "teams" : "agents";
  const first = platform.teams[0] ?? platform.agents[0];
  if (first)
    lines.push(
      "",
      "Try it:",
      `  curl -N ${address}/${kind}/${first.id}/runs -d message='What is the weather in Paris?'`,
    );
  return lines.join("\n");
}

function describe(description: string | undefined): string {
  return description ? `: ${description}` : "";
}
