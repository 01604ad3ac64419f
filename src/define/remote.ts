/** Agents, teams and workflows that another server executes. */
import { ConfigurationError } from "../errors.ts";
import type { ComponentKind } from "../model/run/run.ts";
import { type Known, refuseUnknown } from "./checks.ts";
import { checkIdentity } from "./component.ts";

/**
 * The credential that is sent to the other server as `Authorization: Bearer`. `caller` (default): the token of the run's caller; it is kept
 * in memory only, so a run that another process takes over has none. `none`: no credential. A function: the token that it returns, for
 * every caller.
 */
export type RemoteCredential = "caller" | "none" | (() => string | Promise<string>);

/** Options of a remote component. */
export interface RemoteOptions {
  /** Identifier in the URLs of this server. */
  readonly id: string;
  /** Display name. Default: the id. */
  readonly name?: string;
  readonly description?: string;
  /** The purpose of this member, as shown to the leader of a team. */
  readonly role?: string;
  /** Base URL of a server with the same interface, for instance `https://agents.example`, including its path if it has one. */
  readonly url: string;
  /** Identifier on the other server. Default: `id`. */
  readonly remoteId?: string;
  readonly credential?: RemoteCredential;
  /** Maximum duration of a run, in milliseconds. Default: the setting `runTimeout`. */
  readonly timeout?: number;
  /** Whether clients can resume streams of its runs on this server. Default false: a request to resume is rejected with 400. */
  readonly resumable?: boolean;
}

/** Options of an agent, a team or a workflow that another server offers over A2A. */
export interface A2aRemoteOptions extends Omit<RemoteOptions, "url" | "remoteId" | "resumable"> {
  /** URL of its agent card, or the URL below which the card is found: `https://agents.example/a2a/agents/guide`. */
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

/** The address and the protocol of a remote component. */
export interface RemoteTarget {
  readonly protocol: "agentos" | "a2a";
  /** Without a trailing slash. */
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
 * Defines an agent that another server executes. `url`: the server has the AgentOS interface, for instance Troupe. `a2a`: the server offers
 * A2A 0.3 or 1.0. Its runs also have a run log on this server.
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

/** Defines a team that another server executes, see `remoteAgent`. @throws ConfigurationError naming the team and the fix */
export function remoteTeam<const Id extends string>(
  options: (RemoteOptions | A2aRemoteOptions) & { readonly id: Id },
): RemoteTeam<Id>;
export function remoteTeam(options: RemoteOptions | A2aRemoteOptions): RemoteTeam {
  return Object.freeze({ ...remote("Team", options), kind: "team" });
}

/**
 * Defines a workflow that another server executes, see `remoteAgent`. Over A2A there are no step events, and the answer arrives in one
 * piece.
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
 * Returns whether this server can answer the requirements of a paused run. It cannot when another server executes the run and its protocol
 * has no way to answer. The requirements of a workflow belong to steps, which A2A does not have.
 */
export function takesAnswers(entry: object): boolean {
  return !isRemote(entry) || (entry.target.protocol === "a2a" && entry.kind !== "workflow");
}

/** Returns whether another server executes the component. */
export function isRemote(entry: object): entry is Remote {
  return "isRemote" in entry;
}
