/** Agents, teams and workflows that another server executes. */
import { ConfigurationError } from "../errors.ts";
import type { ComponentKind } from "../model/run.ts";
import { type Known, refuseUnknown } from "./checks.ts";
import { checkIdentity } from "./component.ts";

/**
 * What is sent to the other server as `Authorization: Bearer`. `caller` (default): what the caller of the run sent, kept in memory only, so a
 * run that another process takes up has none. `none`: nothing. A function: what it answers, whoever calls.
 */
export type RemoteCredential = "caller" | "none" | (() => string | Promise<string>);

/** How a remote component is described. */
export interface RemoteOptions {
  /** Identifier in URLs here. */
  readonly id: string;
  /** Name for people. Default: the id. */
  readonly name?: string;
  readonly description?: string;
  /** What the leader of a team is told this member is for. */
  readonly role?: string;
  /** Address of a server with the same interface: `https://agents.example`, with a path where it has one. */
  readonly url: string;
  /** Identifier there. Default: `id`. */
  readonly remoteId?: string;
  readonly credential?: RemoteCredential;
  /** Milliseconds a run may take. Default: `runTimeout` of the settings. */
  readonly timeout?: number;
  /** Whether streams of its runs can be resumed here. Default false: the interface answers 400. */
  readonly resumable?: boolean;
}

/** How an agent, a team or a workflow is described that another server offers by A2A. */
export interface A2aRemoteOptions extends Omit<RemoteOptions, "url" | "remoteId" | "resumable"> {
  /** Address of its card, or the address below which the card is: `https://agents.example/a2a/agents/guide`. */
  readonly a2a: string;
}

const remoteOptions: Known<RemoteOptions> = {
  ...{
    id: true,
    name: true,
    description: true,
    role: true,
    url: true,
    remoteId: true,
    credential: true,
    timeout: true,
  },
  resumable: true,
};

/** Where a remote component is, and how it is spoken to. */
export interface RemoteTarget {
  readonly protocol: "agentos" | "a2a";
  /** Without a slash at its end. */
  readonly url: string;
  readonly remoteId: string;
}

/** A component that another server executes. */
export interface Remote {
  readonly kind: ComponentKind;
  readonly isRemote: true;
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly role: string | undefined;
  readonly target: RemoteTarget;
  readonly credential: RemoteCredential;
  readonly timeout: number | undefined;
  readonly resumable: boolean;
}

/** A remote agent. */
export interface RemoteAgent<Id extends string = string> extends Remote {
  readonly kind: "agent";
  readonly id: Id;
}

/** A remote team. */
export interface RemoteTeam<Id extends string = string> extends Remote {
  readonly kind: "team";
  readonly id: Id;
}

/** A remote workflow. */
export interface RemoteWorkflow<Id extends string = string> extends Remote {
  readonly kind: "workflow";
  readonly id: Id;
}

/**
 * Describes an agent of another server: with the interface of AgentOS, Troupe for instance (`url`), or with A2A of the version 0.3 or 1.0 (`a2a`).
 * Its runs have a log of their own here.
 *
 * @example
 * ```ts
 * const guide = remoteAgent({ id: "guide", url: "https://agents.example" });
 * ```
 * @throws ConfigurationError naming the agent and the fix
 */
export function remoteAgent<const Id extends string>(
  options: (RemoteOptions | A2aRemoteOptions) & { readonly id: Id },
): RemoteAgent<Id>;
export function remoteAgent(options: RemoteOptions | A2aRemoteOptions): RemoteAgent {
  return Object.freeze({ ...remote("Agent", options), kind: "agent" });
}

/** Describes a team of another server, see `remoteAgent`. @throws ConfigurationError naming the team and the fix */
export function remoteTeam<const Id extends string>(
  options: (RemoteOptions | A2aRemoteOptions) & { readonly id: Id },
): RemoteTeam<Id>;
export function remoteTeam(options: RemoteOptions | A2aRemoteOptions): RemoteTeam {
  return Object.freeze({ ...remote("Team", options), kind: "team" });
}

/**
 * Describes a workflow of another server, see `remoteAgent`. By A2A its steps are not told, and its answer comes whole.
 *
 * @throws ConfigurationError naming the workflow and the fix
 */
export function remoteWorkflow<const Id extends string>(
  options: (RemoteOptions | A2aRemoteOptions) & { readonly id: Id },
): RemoteWorkflow<Id>;
export function remoteWorkflow(options: RemoteOptions | A2aRemoteOptions): RemoteWorkflow {
  return Object.freeze({ ...remote("Workflow", options), kind: "workflow" });
}

function remote(kind: "Agent" | "Team" | "Workflow", options: RemoteOptions | A2aRemoteOptions): Omit<Remote, "kind"> {
  const { a2a, ...rest } = options as A2aRemoteOptions;
  if (a2a === undefined) return checked(kind, options as RemoteOptions);
  const described = checked(kind, { ...rest, url: a2a });
  return { ...described, target: { ...described.target, protocol: "a2a" } };
}

function checked(kind: "Agent" | "Team" | "Workflow", options: RemoteOptions): Omit<Remote, "kind"> {
  checkIdentity(kind, options);
  const {
    id,
    name = id,
    description,
    role,
    url,
    remoteId = id,
    credential = "caller",
    timeout,
    resumable = false,
  } = options;
  const title = `Remote ${kind.toLowerCase()} "${id}"`;
  refuseUnknown(title, options, remoteOptions);
  if (typeof credential !== "function" && credential !== "caller" && credential !== "none")
    throw new ConfigurationError(`${title}: credential must be "caller", "none" or a function.`);
  const target: RemoteTarget = { protocol: "agentos", url: baseOf(title, url), remoteId };
  return { isRemote: true, id, name, description, role, target, credential, timeout, resumable };
}

function baseOf(title: string, url: string): string {
  const parsed = typeof url === "string" ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || parsed.search !== "" || parsed.hash !== "")
    throw new ConfigurationError(
      `${title}: url must be an http or https address, for instance "https://agents.example".`,
    );
  if (parsed.username !== "" || parsed.password !== "")
    throw new ConfigurationError(`${title}: url must not hold a password: give it a credential.`);
  return parsed.href.replace(/\/+$/, "");
}

/**
 * Whether what a run of it asks can be answered from here: not where another server executes it and has no way for that. What a workflow asks belongs
 * to a step, and of steps A2A says nothing.
 */
export function takesAnswers(entry: object): boolean {
  return !isRemote(entry) || (entry.target.protocol === "a2a" && entry.kind !== "workflow");
}

/** Whether another server executes it. */
export function isRemote(entry: object): entry is Remote {
  return "isRemote" in entry;
}
