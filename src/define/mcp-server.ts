/** Tools from servers of the Model Context Protocol (MCP). */
import { ConfigurationError } from "../errors.ts";
import type { OAuthNeed } from "../model/connections.ts";
import type { Principal } from "../model/principal.ts";
import type { ApprovalType } from "../model/run/approval.ts";
import { type Check, checkAll, flag, type Known, oneOf, positive, refuseUnknown, text } from "./checks.ts";
import type { RunContext } from "./context.ts";
import { checkNeed } from "./options/connections.ts";
import type { Tool } from "./tool.ts";

/** The caller for whom a server's tools are listed or called. */
export interface McpCaller {
  /** Id of the run's user; null if the run has none. */
  readonly user: string | null;
  readonly principal: Principal;
  /** The run that lists or calls the tools. Undefined if a client requests the description of the component. */
  readonly run: RunContext | undefined;
}

/** Credentials: fixed values, or a function that is called before each listing and each call. */
export type McpCredentials =
  | Readonly<Record<string, string>>
  | ((caller: McpCaller) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Names of a server's tools, without the prefix. `*` stands for any characters: `read_*`. */
export type McpToolNames = readonly string[];

/** Options of every MCP server. */
interface CommonMcpOptions {
  /**
   * Name of the server in errors and log lines, unique in its component. Running calls are found again by it after a restart, so keep it. Default: the host
   * and path of `url`, or the program's name of `command`.
   */
  readonly name?: string;
  /** Text before the name of each tool, for instance `github_`. Default: none. */
  readonly prefix?: string;
  /** The tools that the model can call. Default: all. */
  readonly tools?: { readonly include?: McpToolNames; readonly exclude?: McpToolNames };
  /** The tools whose calls a person must confirm: `true` for all. Default: none. */
  readonly confirm?: boolean | McpToolNames;
  /** Approval of the tools that `confirm` names, as in `defineTool`. Without `confirm`: of all tools. */
  readonly approval?: ApprovalType;
  /** The tools whose interrupted calls can be repeated, as in `defineTool`: `true` for all. Default: none. */
  readonly idempotent?: boolean | McpToolNames;
  /** Handling of other interrupted calls, as in `defineTool`. Default `tell-model`. */
  readonly onInterrupted?: Tool["onInterrupted"];
  /** Maximum duration of a call, in milliseconds. Default: the setting `toolTimeout`. */
  readonly timeout?: number;
  /** Time in milliseconds for which a run waits for a connection to the server, and for the list of its tools. Default 10 000. */
  readonly connectTimeout?: number;
}

/** Options of a server that is reached over streamable HTTP. */
export interface McpHttpOptions extends CommonMcpOptions {
  /** URL of the server: `https://mcp.example/mcp`. Write it in code: a URL that callers choose would let them reach your network. */
  readonly url: string;
  readonly command?: undefined;
  /**
   * Headers of every request. Use a function for the credentials of each user. Calls with equal headers share a connection. Headers are never stored.
   *
   * @example
   * ```ts
   * declare function tokenOf(user: string | null): Promise<string>;
   *
   * mcpServer({ url: "https://mcp.example/mcp", headers: async ({ user }) => ({ authorization: `Bearer ${await tokenOf(user)}` }) });
   * ```
   */
  readonly headers?: McpCredentials;
  /**
   * The account of the user that the server needs, at a provider of `definePlatform({ connections })`. Its access token is sent as `Authorization: Bearer`. Without an
   * account the model has one tool, which connects it.
   */
  readonly oauth?: OAuthNeed;
}

/** Options of a server that runs as a child process of this process and is reached over its standard input and output. */
export interface McpProcessOptions extends CommonMcpOptions {
  readonly url?: undefined;
  /** The program, which is started without a shell. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Working directory. Default: the server's working directory. */
  readonly cwd?: string;
  /**
   * Environment variables of the process, in addition to a few like `PATH` and `HOME`. Other variables of this process are not inherited. Use a function for the
   * credentials of each user: calls with equal variables share a process.
   */
  readonly env?: McpCredentials;
}

/** Options of an MCP server: `url` or `command`. */
export type McpServerOptions = McpHttpOptions | McpProcessOptions;

const serverOptions: Known<McpHttpOptions & McpProcessOptions> = {
  ...{ name: true, prefix: true, tools: true, confirm: true, approval: true, idempotent: true, onInterrupted: true },
  ...{
    timeout: true,
    connectTimeout: true,
    url: true,
    headers: true,
    oauth: true,
    command: true,
    args: true,
    cwd: true,
    env: true,
  },
};

/** An MCP server as a source of tools. */
export interface McpServer {
  readonly kind: "mcp-server";
  readonly name: string;
  readonly prefix: string;
  readonly tools: { readonly include: McpToolNames | undefined; readonly exclude: McpToolNames };
  readonly confirm: boolean | McpToolNames;
  readonly approval: ApprovalType | undefined;
  readonly idempotent: boolean | McpToolNames;
  readonly onInterrupted: Tool["onInterrupted"];
  readonly timeout: number | undefined;
  readonly connectTimeout: number;
  readonly target:
    | { readonly url: string }
    | { readonly command: string; readonly args: readonly string[]; readonly cwd: string | undefined };
  readonly oauth: OAuthNeed | undefined;
  /** Headers, or environment variables of the process. */
  readonly credentials: McpCredentials;
}

const names: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string" && one !== "")
    ? undefined
    : "must be a list of names of tools";

const namesOrFlag: Check = (value) =>
  flag(value) === undefined ? undefined : names(value) && `${names(value)}, or true`;

const credentials: Check = (value) =>
  typeof value === "function" || isTexts(value) ? undefined : "must be an object with texts, or a function";

const serverChecks: Readonly<Record<string, Check>> = {
  name: text,
  prefix: (value) =>
    typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_-]{0,31}$/.test(value)
      ? undefined
      : 'must have letters, digits, "_" and "-", start with a letter or "_", and be at most 32 long',
  confirm: namesOrFlag,
  approval: oneOf(["required", "audit"]),
  idempotent: namesOrFlag,
  onInterrupted: oneOf(["tell-model", "fail", "ask"]),
  timeout: positive,
  connectTimeout: positive,
  headers: credentials,
  env: credentials,
  command: text,
  cwd: text,
};

/**
 * Adds the tools of an MCP server to an agent or a team. The server is connected at the first run that needs its tools, over streamable HTTP (`url`) or as a child
 * process (`command`). It needs the package `@modelcontextprotocol/client`. A server that cannot be reached fails its calls only: see docs/mcp-tools.md.
 *
 * @example
 * ```ts
 * const files = mcpServer({ command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/data"], tools: { include: ["read_*"] } });
 * const clerk = defineAgent({ id: "clerk", model: "openai:gpt-5.2", tools: [files] });
 * ```
 * @throws ConfigurationError naming the server and the fix
 */
export function mcpServer(options: McpServerOptions): McpServer {
  const { url, command, headers, oauth, env, args, cwd, ...common } = options as Partial<McpHttpOptions> &
    Partial<Omit<McpProcessOptions, "url">>;
  const title = `MCP server "${common.name ?? command ?? hostOf(url) ?? ""}"`;
  refuseUnknown(title, options, serverOptions);
  checkAll(title, options, serverChecks);
  if ((url === undefined) === (command === undefined))
    throw new ConfigurationError(`${title}: give it either a url or a command.`);
  const foreign = url === undefined ? { headers, oauth } : { args, cwd, env };
  const misplaced = Object.entries(foreign).find(([, value]) => value !== undefined);
  if (misplaced)
    throw new ConfigurationError(`${title}: ${misplaced[0]} needs a ${url === undefined ? "url" : "command"}.`);
  const { include, exclude = [] } = checkedFilter(title, common.tools);
  if (args !== undefined && !(Array.isArray(args) && args.every((one) => typeof one === "string")))
    throw new ConfigurationError(`${title}: args must be a list of texts.`);
  const target = command === undefined ? { url: checkedUrl(title, url) } : { command, args: args ?? [], cwd };
  const { approval } = common;
  return Object.freeze({
    kind: "mcp-server",
    name: common.name ?? defaultName(target),
    prefix: common.prefix ?? "",
    tools: { include, exclude },
    confirm: common.confirm ?? approval !== undefined,
    approval,
    idempotent: common.idempotent ?? false,
    onInterrupted: common.onInterrupted ?? "tell-model",
    timeout: common.timeout,
    connectTimeout: common.connectTimeout ?? 10_000,
    target,
    oauth: checkNeed(title, oauth),
    credentials: headers ?? env ?? {},
  });
}

function checkedFilter(title: string, filter: unknown): { include?: McpToolNames; exclude?: McpToolNames } {
  if (filter === undefined) return {};
  if (typeof filter !== "object" || filter === null || Array.isArray(filter))
    throw new ConfigurationError(`${title}: tools must be an object, for instance { include: ["search"] }.`);
  refuseUnknown(`${title}: its tools`, filter, { include: true, exclude: true });
  checkAll(`${title}: its tools`, filter, { include: names, exclude: names });
  return filter;
}

function checkedUrl(title: string, url: unknown): string {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new ConfigurationError(
      `${title}: url must be an http or https address, for instance "https://mcp.example/mcp".`,
    );
  if (parsed.username !== "" || parsed.password !== "")
    throw new ConfigurationError(`${title}: url must not hold a password: give it headers.`);
  return parsed.href;
}

function hostOf(url: unknown): string | undefined {
  return typeof url === "string" ? URL.parse(url)?.host : undefined;
}

/** The query is left out, because it may hold a key. */
function defaultName(target: McpServer["target"]): string {
  if ("command" in target) return target.command.split(/[\\/]/).at(-1) as string;
  const { host, pathname } = new URL(target.url);
  return `${host}${pathname}`.replace(/\/+$/, "");
}

function isTexts(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one === "string")
  );
}

/** A tool, or a server that has tools. */
export type ToolSource = Tool | McpServer;

/** Returns whether a tool source is an MCP server. */
export function isMcpServer(source: ToolSource): source is McpServer {
  return source.kind === "mcp-server";
}

/** Returns the tools that a component's definition itself contains. */
export function ownTools({ tools }: { readonly tools: readonly ToolSource[] }): readonly Tool[] {
  return tools.filter((source) => !isMcpServer(source));
}

/** Returns the MCP servers of a component. */
export function mcpServersOf({ tools }: { readonly tools: readonly ToolSource[] }): readonly McpServer[] {
  return tools.filter(isMcpServer);
}

/** Rejects two MCP servers with the same name. @throws ConfigurationError */
export function refuseTwinServers(title: string, tools: readonly ToolSource[]): void {
  const servers = mcpServersOf({ tools }).map(({ name }) => name);
  const twice = servers.find((name, place) => servers.indexOf(name) !== place);
  if (twice !== undefined)
    throw new ConfigurationError(`${title} has two MCP servers named "${twice}": give each a name of its own.`);
}

/** Returns whether a list of names, or a flag for all of them, includes a tool. */
export function includesTool(choice: boolean | McpToolNames, name: string): boolean {
  if (typeof choice === "boolean") return choice;
  return choice.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "s").test(name);
  });
}
