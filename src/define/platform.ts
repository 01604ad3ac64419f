import { ConfigurationError } from "../errors.ts";
import type { A2aOptions } from "../model/a2a.ts";
import type { AgUiOptions } from "../model/ag-ui.ts";
import type { AuthorizationOptions } from "../model/authorization.ts";
import type { ConnectionsOptions } from "../model/connections.ts";
import type { ConsoleOptions } from "../model/console.ts";
import type { EncryptionOptions, KeyProvider } from "../model/encryption.ts";
import { faultOfId } from "../model/identifiers.ts";
import type { McpOptions } from "../model/mcp.ts";
import type { Retention, RetentionRules } from "../model/retention.ts";
import type { SchedulePlan } from "../model/schedule/schedule.ts";
import { defaultSettings, type Settings } from "../model/settings.ts";
import type { Prices } from "../model/usage/prices.ts";
import type { Webhook, WebhookAddresses, WebhookOptions } from "../model/webhook.ts";
import type { Agent } from "./agent.ts";
import { type Known, refuseOthers, refuseUnknown, suggestion } from "./checks.ts";
import type { Typed } from "./component-types.ts";
import { checkParts, type PartsOptions } from "./configuration/parts.ts";
import { type AgentFactory, type Factory, isFactory, type TeamFactory, type WorkflowFactory } from "./factory.ts";
import type { Knowledge } from "./knowledge.ts";
import { knowledgeUseOf } from "./knowledge-use.ts";
import { checkA2a } from "./options/a2a.ts";
import { checkAgUi } from "./options/ag-ui.ts";
import { checkAuthorization } from "./options/authorization.ts";
import { checkConnections } from "./options/connections.ts";
import { checkConsole } from "./options/console.ts";
import { checkEncryption } from "./options/encryption.ts";
import { checkPlatformLimits, type PlatformLimits } from "./options/limits.ts";
import { checkMcp } from "./options/mcp.ts";
import { checkPrices } from "./options/prices.ts";
import { checkQuickPrompts, type QuickPrompts } from "./options/quick-prompts.ts";
import { checkRetention } from "./options/retention.ts";
import { checkSchedules, type ScheduleDefinition } from "./options/schedules.ts";
import { checkRunWebhooks, checkWebhooks } from "./options/webhooks.ts";
import { isRemote, type Remote, type RemoteAgent, type RemoteTeam, type RemoteWorkflow } from "./remote.ts";
import { checkScorers, type Scorers } from "./scorer.ts";
import type { Team } from "./team.ts";
import { allComponents } from "./within.ts";
import type { Workflow } from "./workflow/types.ts";

/** A component that a model drives. */
export type Component = Agent | Team;

/** A component that this server can execute. */
export type Hosted = Component | Workflow;

/** An entry of a platform: a component, a factory, or a component that another server executes. */
export type Entry = Hosted | Factory | Remote;

type HostedAgent = Agent | AgentFactory | RemoteAgent;
type HostedTeam = Team | TeamFactory | RemoteTeam;
type HostedWorkflow = Workflow | WorkflowFactory | RemoteWorkflow;

/** Options of a platform. */
export interface PlatformOptions<
  Agents extends readonly HostedAgent[] = readonly HostedAgent[],
  Teams extends readonly HostedTeam[] = readonly HostedTeam[],
  Workflows extends readonly HostedWorkflow[] = readonly HostedWorkflow[],
> {
  /** Identifier of this platform (`os_id` on the wire). */
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** First messages that a chat suggests, by the id of the component (`chat.quick_prompts` of `GET /config`). */
  readonly quickPrompts?: QuickPrompts;
  /** Your own version, shown at `/`. Default `1.0.0`. */
  readonly version?: string;
  readonly agents?: Agents;
  readonly teams?: Teams;
  readonly workflows?: Workflows;
  /** Knowledge bases that no component of the platform names; those of its components are added. See docs/knowledge.md. */
  readonly knowledge?: readonly Knowledge[];
  /**
   * Parts that versions of components can name, in addition to the parts of the components above: models, tools, schemas, functions and guardrails. See
   * docs/components.md.
   *
   * @example
   * ```ts
   * definePlatform({ id: "newsroom", agents: [researcher], parts: { models: ["openai:gpt-5.2-mini"], tools: [search] } });
   * ```
   */
  readonly parts?: PartsOptions;
  /**
   * Schedules defined in code, in addition to those that requests create. `false` disables schedules: their routes return 503. See
   * docs/schedules.md.
   */
  readonly schedules?: readonly ScheduleDefinition[] | false;
  /** A2A options. Default: on, with the default options; `false` disables A2A. See docs/a2a.md. */
  readonly a2a?: boolean | A2aOptions;
  /**
   * Providers of users' accounts, for tools with `oauth`. Their tokens are stored encrypted: `TROUPE_ENCRYPTION_KEYS` must be set, or `encryption`. Default: none. See
   * docs/connections.md.
   */
  readonly connections?: ConnectionsOptions;
  /** Options of the MCP server at `/mcp`. Default: on, with the default options; `false` disables it. See docs/mcp.md. */
  readonly mcp?: boolean | McpOptions;
  /** AG-UI for web pages. Default: on for every component; `false` disables it. See docs/ag-ui.md. */
  readonly agUi?: boolean | AgUiOptions;
  /** Whether `useChat` of the AI SDK can use the platform: the routes below `/ui`. Default true. See docs/ai-sdk-ui.md. */
  readonly aiUi?: boolean;
  /** Whether OpenAI clients can use the platform, below `/v1`. Default true. See docs/openai.md. */
  readonly openai?: boolean;
  /** Options of the console at `/console`. Default: on, without an OpenID Connect provider; `false` removes it. See docs/console.md. */
  readonly console?: boolean | ConsoleOptions;
  /** Origins of web pages that may call this server, in addition to `http://localhost:3000`. An origin has no path: `https://console.example`. */
  readonly corsOrigins?: readonly string[];
  /**
   * Whether callers need a token, and which tokens are accepted. Default: on when `JWT_VERIFICATION_KEY` or `JWT_JWKS_FILE` is set. `true`
   * reads the keys from these variables; `false` turns authorization off even if they are set. See docs/authorization.md.
   */
  readonly authorization?: boolean | AuthorizationOptions;
  /** An example message, shown by `troupe start`. Default `Hello! What can you do?`. */
  readonly example?: string;
  /** Public name of the database: `db_id` in records, queries and `GET /config`. Default `main`. */
  readonly databaseId?: string;
  /** Settings that differ from their defaults. */
  readonly settings?: Partial<Settings>;
  /**
   * Prices of models in US dollars per million tokens, in addition to the built-in table of list prices. `false` turns costs off. See docs/limits.md.
   *
   * @example
   * ```ts
   * definePlatform({ id: "newsroom", agents: [researcher], prices: { "my-model": { input: 0.4, output: 1.6 } } });
   * ```
   */
  readonly prices?: Prices;
  /**
   * Limits on tokens, cost, model requests, tool calls and time: of each run, of each session, of all runs of a day, and of each user. Default: none. See
   * docs/limits.md.
   */
  readonly limits?: PlatformLimits;
  /**
   * For how long stored data is kept: durations like `90m`, `12h` or `30d`, or `false` to keep it. Default: the events of a run for 30 days after its
   * end, everything else for ever. Data of unfinished runs is never removed. See docs/operating.md.
   *
   * @example
   * ```ts
   * definePlatform({ id: "newsroom", agents: [researcher], retention: { events: "7d", runs: "365d", sessions: "365d" } });
   * ```
   */
  readonly retention?: Retention;
  /** Encrypts stored content with keys of a key management service. Default: the keys in the environment variable `TROUPE_ENCRYPTION_KEYS`; without it, no encryption. */
  readonly encryption?: EncryptionOptions;
  /** Receivers of signed messages about the end and the pauses of runs, and about failures of schedules. See docs/webhooks.md. */
  readonly webhooks?: readonly WebhookOptions[];
  /** Whether a start may give webhooks of its own, and which URLs. Default true: public addresses over HTTPS. */
  readonly runWebhooks?: boolean | WebhookAddresses;
  /** Scorers of evals, by name, in addition to the built-in ones. See docs/evals.md. */
  readonly scorers?: Scorers;
}

const platformOptions: Known<PlatformOptions> = {
  id: true,
  name: true,
  description: true,
  quickPrompts: true,
  version: true,
  agents: true,
  teams: true,
  workflows: true,
  knowledge: true,
  parts: true,
  schedules: true,
  a2a: true,
  connections: true,
  mcp: true,
  agUi: true,
  aiUi: true,
  openai: true,
  console: true,
  corsOrigins: true,
  authorization: true,
  databaseId: true,
  example: true,
  settings: true,
  prices: true,
  limits: true,
  retention: true,
  encryption: true,
  webhooks: true,
  runWebhooks: true,
  scorers: true,
};

/** The components of a platform as types. The client derives from them the known ids, inputs and contents. */
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
  readonly quickPrompts: QuickPrompts | undefined;
  readonly version: string;
  readonly agents: readonly Agent[];
  readonly teams: readonly Team[];
  readonly workflows: readonly Workflow[];
  readonly factories: readonly Factory[];
  /** Components that other servers execute. */
  readonly remotes: readonly Remote[];
  readonly knowledge: readonly Knowledge[];
  readonly parts: PartsOptions;
  /** False when schedules are disabled. */
  readonly schedules: readonly SchedulePlan[] | false;
  /** False when A2A is disabled. */
  readonly a2a: A2aOptions | false;
  /** Undefined without providers. */
  readonly connections: ConnectionsOptions | undefined;
  /** False when the MCP server is disabled. */
  readonly mcp: McpOptions | false;
  /** False when AG-UI is disabled. */
  readonly agUi: AgUiOptions | false;
  readonly aiUi: boolean;
  readonly openai: boolean;
  /** False without a console. */
  readonly console: ConsoleOptions | false;
  readonly corsOrigins: readonly string[];
  readonly authorization: boolean | AuthorizationOptions | undefined;
  readonly databaseId: string;
  readonly example: string;
  readonly settings: Settings;
  readonly prices: Prices | undefined;
  readonly limits: PlatformLimits | undefined;
  /** Milliseconds for which each kind of data is kept; a kind that is kept for ever is missing. */
  readonly retention: RetentionRules;
  /** Undefined if the platform defines none. */
  readonly keyProvider: KeyProvider | undefined;
  readonly webhooks: readonly Webhook[];
  /** Which addresses the webhooks of runs may have; false if runs have none. */
  readonly runWebhooks: WebhookAddresses | false;
  readonly scorers: Scorers;
}

/** Returns whether a value was made by `definePlatform`, possibly by another copy of the package. */
export function isPlatform(value: unknown): value is Platform {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "platform";
}

/**
 * Defines a platform: the components that a server hosts, and its options.
 *
 * @example
 * ```ts
 * export default definePlatform({ id: "newsroom", agents: [researcher], teams: [desk] });
 * ```
 * @throws ConfigurationError for duplicate ids, an invalid schedule, origin or setting, or a team that contains itself
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
  refuseOthers(title, "knowledge", options.knowledge, { knowledge: "defineKnowledge" });
  const components = <Item extends Entry>(list: readonly Item[]): readonly Exclude<Item, Factory | Remote>[] =>
    list.filter((item): item is Exclude<Item, Factory | Remote> => !isFactory(item) && !isRemote(item));
  for (const team of components(teams)) refuseCycles(team, []);
  const used = allComponents({
    agents: components(agents),
    teams: components(teams),
    workflows: components(workflows),
  });
  const knowledge = [
    ...new Set([...(options.knowledge ?? []), ...used.flatMap((one) => knowledgeUseOf(one)?.bases ?? [])]),
  ];
  refuseTwins("knowledge bases", knowledge);
  const corsOrigins = options.corsOrigins ?? [];
  refuseNoOrigins(title, corsOrigins);
  checkAuthorization(title, options.authorization);
  checkPrices(title, options.prices);
  checkPlatformLimits(title, options.limits);
  const databaseFault = typeof options.databaseId === "string" ? faultOfId(options.databaseId) : "must be a text";
  if (options.databaseId !== undefined && databaseFault)
    throw new ConfigurationError(`${title}: databaseId ${databaseFault}.`);
  const settings = withDefaults(options.settings ?? {});
  return Object.freeze({
    kind: "platform",
    id: options.id,
    name: options.name ?? options.id,
    description: options.description,
    quickPrompts: checkQuickPrompts(title, options.quickPrompts, [...agents, ...teams, ...workflows]),
    version: options.version ?? "1.0.0",
    agents: components(agents),
    teams: components(teams),
    workflows: components(workflows),
    factories: [...agents, ...teams, ...workflows].filter((item) => isFactory(item)),
    remotes: [...agents, ...teams, ...workflows].filter((item) => isRemote(item)),
    knowledge,
    parts: checkParts(title, options.parts),
    schedules: options.schedules === false ? false : checkSchedules(title, options.schedules ?? []),
    aiUi: checkSwitch(title, "aiUi", options.aiUi),
    a2a: checkA2a(title, options.a2a, { agents, teams, workflows }),
    connections: checkConnections(title, options.connections),
    mcp: checkMcp(title, options.mcp),
    agUi: checkAgUi(title, options.agUi, { agents, teams, workflows }),
    openai: checkSwitch(title, "openai", options.openai),
    console: checkConsole(title, options.console),
    corsOrigins,
    authorization: options.authorization,
    databaseId: options.databaseId ?? "main",
    example: options.example ?? "Hello! What can you do?",
    settings,
    prices: options.prices,
    limits: options.limits,
    retention: checkRetention(title, options.retention, settings),
    keyProvider: checkEncryption(title, options.encryption),
    webhooks: checkWebhooks(title, options.webhooks, { agents, teams, workflows }),
    runWebhooks: checkRunWebhooks(title, options.runWebhooks),
    scorers: checkScorers(title, options.scorers),
  });
}

/** Checks an option that turns a part on or off; the default is on. */
function checkSwitch(title: string, name: string, value: boolean | undefined): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? true;
  throw new ConfigurationError(`${title}: ${name} must be true or false.`);
}

function refuseTwins(list: string, components: readonly Pick<Entry, "id" | "name">[]): void {
  const seen = new Set<string>();
  for (const { id, name } of components) {
    if (seen.has(id))
      throw new ConfigurationError(`Two ${list} have the id "${id}" (one is named "${name}"): give each its own.`);
    seen.add(id);
  }
}

/** Rejects a value that no browser sends as `Origin`, because it would never match. */
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

/** @throws ConfigurationError for a team that contains itself, at any depth */
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
      throw new ConfigurationError(`There is no setting "${name}": ${suggestion(name, Object.keys(defaultSettings))}`);
    }
    // The default of some settings is no limit.
    const isDefault = value === defaultSettings[name as keyof Settings];
    if (!isDefault && !(typeof value === "number" && Number.isFinite(value) && value > 0)) {
      throw new ConfigurationError(`Setting "${name}" must be a number above 0.`);
    }
  }
  return Object.freeze({ ...defaultSettings, ...chosen });
}
