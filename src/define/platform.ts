import { ConfigurationError } from "../errors.ts";
import type { AuthorizationOptions } from "../model/authorization.ts";
import type { SchedulePlan } from "../model/schedule/schedule.ts";
import { defaultSettings, type Settings } from "../model/settings.ts";
import { faultOfId } from "../model/text.ts";
import { type A2aOptions, checkA2a } from "./a2a.ts";
import type { Agent } from "./agent.ts";
import { checkAuthorization } from "./authorization.ts";
import { helpWith, type Known, refuseOthers, refuseUnknown } from "./checks.ts";
import type { Typed } from "./component-types.ts";
import { type AgentFactory, type Factory, isFactory, type TeamFactory, type WorkflowFactory } from "./factory.ts";
import { isRemote, type Remote, type RemoteAgent, type RemoteTeam, type RemoteWorkflow } from "./remote.ts";
import { checkSchedules, type ScheduleDefinition } from "./schedules.ts";
import type { Team } from "./team.ts";
import type { Workflow } from "./workflow/types.ts";

/** What a model drives. */
export type Component = Agent | Team;

/** Anything that can be executed. */
export type Hosted = Component | Workflow;

/** Anything that can be hosted: a component, what builds one for each run, or one that another server executes. */
export type Entry = Hosted | Factory | Remote;

type HostedAgent = Agent | AgentFactory | RemoteAgent;
type HostedTeam = Team | TeamFactory | RemoteTeam;
type HostedWorkflow = Workflow | WorkflowFactory | RemoteWorkflow;

/** What a platform hosts, and how. */
export interface PlatformOptions<
  Agents extends readonly HostedAgent[] = readonly HostedAgent[],
  Teams extends readonly HostedTeam[] = readonly HostedTeam[],
  Workflows extends readonly HostedWorkflow[] = readonly HostedWorkflow[],
> {
  /** Identifier of this platform (`os_id` on the wire). */
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** Your own version, shown at `/`. Default `1.0.0`. */
  readonly version?: string;
  readonly agents?: Agents;
  readonly teams?: Teams;
  readonly workflows?: Workflows;
  /**
   * What is called at its time, beside the schedules that are made by requests. `false`: there are no schedules at all, and their routes answer
   * 503. See docs/schedules.md.
   */
  readonly schedules?: readonly ScheduleDefinition[] | false;
  /** How other platforms reach the components by A2A. Default: as they are; `false` turns it off. See docs/a2a.md. */
  readonly a2a?: boolean | A2aOptions;
  /** Origins of web pages that may call, beside `http://localhost:3000`: `https://console.example`, without a path. */
  readonly corsOrigins?: readonly string[];
  /**
   * Whether callers prove who they are with a token, and how. Default: on when `JWT_VERIFICATION_KEY` or `JWT_JWKS_FILE` is set. `true` takes
   * the keys from there; `false` turns it off, whatever is set. See docs/authorization.md.
   */
  readonly authorization?: boolean | AuthorizationOptions;
  /** A message to try, shown by `troupe start`. Default `Hello! What can you do?`. */
  readonly example?: string;
  /** The database's name on the wire: `db_id` in records, queries and `GET /config`. Default `main`. */
  readonly databaseId?: string;
  /** Limits and intervals that differ from the defaults. */
  readonly settings?: Partial<Settings>;
}

const platformOptions: Known<PlatformOptions> = {
  id: true,
  name: true,
  description: true,
  version: true,
  agents: true,
  teams: true,
  workflows: true,
  schedules: true,
  a2a: true,
  corsOrigins: true,
  authorization: true,
  databaseId: true,
  example: true,
  settings: true,
};

/** The components of a platform, as types: the client reads them, so that it knows their ids and what they take and answer. */
export interface PlatformTypes {
  readonly agents: unknown;
  readonly teams: unknown;
  readonly workflows: unknown;
}

/** A checked platform, ready for a server. */
export interface Platform<Types extends PlatformTypes = PlatformTypes> extends Typed<Types> {
  readonly kind: "platform";
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly version: string;
  readonly agents: readonly Agent[];
  readonly teams: readonly Team[];
  readonly workflows: readonly Workflow[];
  /** What builds components for each run. */
  readonly factories: readonly Factory[];
  /** What other servers execute. */
  readonly remotes: readonly Remote[];
  /** False: none, and none can be made. */
  readonly schedules: readonly SchedulePlan[] | false;
  /** False: it is not reached by A2A. */
  readonly a2a: A2aOptions | false;
  readonly corsOrigins: readonly string[];
  readonly authorization: boolean | AuthorizationOptions | undefined;
  readonly databaseId: string;
  readonly example: string;
  readonly settings: Settings;
}

/** Whether a value is what `definePlatform` makes; it may come from another copy of the package. */
export function isPlatform(value: unknown): value is Platform {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "platform";
}

/**
 * Puts components together.
 *
 * @example
 * ```ts
 * export default definePlatform({ id: "newsroom", agents: [researcher], teams: [desk] });
 * ```
 * @throws ConfigurationError for ids that collide, a schedule that cannot be, a team that contains itself, an origin that is none, or an unknown setting
 */
export function definePlatform<
  const Agents extends readonly HostedAgent[] = readonly [],
  const Teams extends readonly HostedTeam[] = readonly [],
  const Workflows extends readonly HostedWorkflow[] = readonly [],
>(
  options: PlatformOptions<Agents, Teams, Workflows>,
): Platform<{
  readonly agents: Agents[number];
  readonly teams: Teams[number];
  readonly workflows: Workflows[number];
}>;
export function definePlatform(options: PlatformOptions): Platform {
  const fault = typeof options.id === "string" ? faultOfId(options.id) : "must be a text";
  const title = `Platform "${options.id}"`;
  if (fault) throw new ConfigurationError(`${title}: its id ${fault}.`);
  refuseUnknown(title, options, platformOptions);
  refuseOthers(title, "agents", options.agents, { agent: "defineAgent" });
  refuseOthers(title, "teams", options.teams, { team: "defineTeam" });
  refuseOthers(title, "workflows", options.workflows, { workflow: "defineWorkflow" });
  const agents = options.agents ?? [];
  const teams = options.teams ?? [];
  const workflows = options.workflows ?? [];
  refuseTwins("agents", agents);
  refuseTwins("teams", teams);
  refuseTwins("workflows", workflows);
  const components = <Item extends Entry>(list: readonly Item[]): readonly Exclude<Item, Factory | Remote>[] =>
    list.filter((item): item is Exclude<Item, Factory | Remote> => !isFactory(item) && !isRemote(item));
  for (const team of components(teams)) refuseCycles(team, []);
  const corsOrigins = options.corsOrigins ?? [];
  refuseNoOrigins(title, corsOrigins);
  checkAuthorization(title, options.authorization);
  const databaseFault = typeof options.databaseId === "string" ? faultOfId(options.databaseId) : "must be a text";
  if (options.databaseId !== undefined && databaseFault)
    throw new ConfigurationError(`${title}: databaseId ${databaseFault}.`);
  return Object.freeze({
    kind: "platform",
    id: options.id,
    name: options.name ?? options.id,
    description: options.description,
    version: options.version ?? "1.0.0",
    agents: components(agents),
    teams: components(teams),
    workflows: components(workflows),
    factories: [...agents, ...teams, ...workflows].filter((item) => isFactory(item)),
    remotes: [...agents, ...teams, ...workflows].filter((item) => isRemote(item)),
    schedules: options.schedules === false ? false : checkSchedules(title, options.schedules ?? []),
    a2a: checkA2a(title, options.a2a, { agents, teams, workflows }),
    corsOrigins,
    authorization: options.authorization,
    databaseId: options.databaseId ?? "main",
    example: options.example ?? "Hello! What can you do?",
    settings: withDefaults(options.settings ?? {}),
  });
}

function refuseTwins(list: string, components: readonly Entry[]): void {
  const seen = new Set<string>();
  for (const { id, name } of components) {
    if (seen.has(id))
      throw new ConfigurationError(`Two ${list} have the id "${id}" (one is named "${name}"): give each its own.`);
    seen.add(id);
  }
}

/** What no browser sends as an `Origin` would never match. */
function refuseNoOrigins(title: string, origins: unknown): void {
  if (!Array.isArray(origins)) throw new ConfigurationError(`${title}: corsOrigins must be a list of origins.`);
  for (const origin of origins) {
    if (origin === "*") {
      throw new ConfigurationError(
        `${title}: corsOrigins takes no "*", because pages may call with credentials: name each origin, like "https://console.example".`,
      );
    }
    const url = typeof origin === "string" ? URL.parse(origin) : null;
    if (url !== null && url.origin === origin && origin !== "null") continue;
    const known = url !== null && url.origin !== "null" ? url.origin : "https://console.example";
    throw new ConfigurationError(
      `${title}: ${JSON.stringify(origin)} in corsOrigins is not an origin (scheme, host and port as a browser sends them): write "${known}".`,
    );
  }
}

/** @throws ConfigurationError for a team that has itself as a member, however deep */
export function refuseCycles(team: Team, above: readonly Team[]): void {
  if (above.some((other) => other === team || other.id === team.id)) {
    const path = [...above, team].map((other) => other.id).join(" > ");
    throw new ConfigurationError(`Team "${team.id}" contains itself (${path}): take it out of the members.`);
  }
  for (const member of team.members) {
    if (member.kind === "team" && !isRemote(member)) refuseCycles(member, [...above, team]);
  }
}

function withDefaults(chosen: Partial<Settings>): Settings {
  for (const [name, value] of Object.entries(chosen)) {
    if (!(name in defaultSettings)) {
      throw new ConfigurationError(`There is no setting "${name}": ${helpWith(name, Object.keys(defaultSettings))}`);
    }
    if (!(typeof value === "number" && Number.isFinite(value) && value > 0)) {
      throw new ConfigurationError(`Setting "${name}" must be a number above 0.`);
    }
  }
  return Object.freeze({ ...defaultSettings, ...chosen });
}
