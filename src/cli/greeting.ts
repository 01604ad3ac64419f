import type { Entry, Platform } from "../define/platform.ts";
import type { AuthMode } from "../model/authorization.ts";

/** A server that listens. */
export interface ServedAt {
  readonly address: string;
  /** Display name of its database. */
  readonly database: string;
  /** Undefined if it serves no metrics. */
  readonly metricsUrl: string | undefined;
  readonly mode: AuthMode;
  /** Number of server processes; undefined if this process is the only one. */
  readonly processes?: number | undefined;
}

/** Returns the text that `troupe start` prints once it listens: the address, the hosted components, and example requests. */
export function greeting(platform: Platform, { address, database, metricsUrl, mode, processes }: ServedAt): string {
  const lines = [`Troupe hosts "${platform.name}" at ${address}`, `  database  ${database}`];
  if (processes !== undefined) lines.push(`  processes ${processes}`);
  for (const agent of platform.agents) lines.push(`  agent     ${agent.id}${described(agent)}`);
  for (const team of platform.teams)
    lines.push(`  team      ${team.id}${described(team)} (${team.members.map(({ id }) => id).join(", ")})`);
  for (const workflow of platform.workflows) lines.push(`  workflow  ${workflow.id}${described(workflow)}`);
  for (const factory of platform.factories)
    lines.push(`  ${factory.kind.padEnd(8)}  ${factory.id}${described(factory)} (built for each run)`);
  for (const { kind, id, target } of platform.remotes) lines.push(`  ${kind.padEnd(8)}  ${id} (at ${target.url})`);
  if (mode !== "none") lines.push(`  access    ${mode === "jwt" ? "with a token" : "with the security key"}`);
  if (metricsUrl !== undefined) lines.push(`  metrics   ${metricsUrl}`);
  if (platform.console !== false) lines.push(`  console   ${address}/console`);
  lines.push(`  docs      ${address}/docs`, "");
  const first =
    platform.teams[0] ?? platform.agents[0] ?? platform.workflows[0] ?? platform.factories[0] ?? platform.remotes[0];
  if (first) lines.push(...toTry(`${address}/${first.kind}s/${first.id}/runs`, platform.example, mode));
  else lines.push("It hosts nothing yet: give definePlatform agents, teams or workflows.");
  return lines.join("\n");
}

/** Returns the two example requests that show a durable stream. */
function toTry(runs: string, message: string, mode: AuthMode): readonly string[] {
  const data = /[&+%]/.test(message) ? "--data-urlencode" : "-d";
  // Callers that are not admins must specify the session of a run.
  const session = mode === "jwt" ? " -d session_id=SESSION_ID" : "";
  const names = mode === "jwt" ? "RUN_ID and SESSION_ID are the run_id and the session_id" : "RUN_ID is the run_id";
  const header = mode !== "none" ? ' -H "Authorization: Bearer $TOKEN"' : "";
  return [
    "Start a run:",
    `  curl -N${header} ${runs} ${data} message=${quoted(message)}`,
    `Stop it with Ctrl-C, and resume after the last id that you saw. ${names} of its first event:`,
    `  curl -N${header} ${runs}/RUN_ID/resume -d last_event_index=LAST_ID${session}`,
  ];
}

/** Returns the text as one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function described({ description }: Entry): string {
  return description ? `: ${description}` : "";
}
