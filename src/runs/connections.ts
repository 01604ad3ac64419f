/** Accounts of users at other services: the link that a waiting run shows, the OAuth code flow in the user's browser, and the list of a caller's accounts. */
import { createHash, timingSafeEqual } from "node:crypto";
import { type Connections, userOfOpen } from "../engine/connections/connections.ts";
import type { OAuthProvider } from "../engine/connections/oauth-provider.ts";
import { withoutSecrets } from "../engine/redact.ts";
import { TroupeError } from "../errors.ts";
import { type Principal, system } from "../model/principal.ts";
import { callsIn } from "../model/run/pause.ts";
import type { Pause } from "../model/run/record.ts";
import { outputOf } from "../model/run/stored-run.ts";
import type { LocatedRun } from "../store/contract/store.ts";
import { attributedUser } from "./callers.ts";
import type { RunParts } from "./parts.ts";

/** Milliseconds for which a link is valid, and for which a user may take at the provider. */
const flowDuration = 600_000;
/** Maximum number of scopes of a link. */
const maxScopes = 100;

/** The target of a link: the requirement of a paused run, or a secret that a caller received. */
export type ConnectionLink = { readonly runId: string; readonly requirementId: string } | { readonly secret: string };

/** The account that a link connects, as the page shows it to the user. */
export interface LinkedAccount {
  readonly provider: string;
  readonly title: string;
  /** The user whose runs will use the account. */
  readonly userId: string;
  readonly scopes: readonly string[];
}

/** A connected account of a caller. */
export interface ConnectionState {
  readonly provider: string;
  readonly title: string;
  readonly isConnected: boolean;
  readonly scopes: readonly string[];
  readonly connectedAt: number | undefined;
}

interface Flow {
  readonly verifier: string;
  /** SHA-256 of the secret in the cookie of the browser that began the flow. */
  readonly browser: string;
  readonly scopes: readonly string[];
  readonly runId?: string | undefined;
}

/** The calls that connect accounts. Undefined on a platform without connections. */
export interface ConnectionCalls {
  /** The caller's accounts, with the providers that it has not connected. @throws TroupeError `badRequest` */
  list(caller: Principal, claimedUser: string | undefined): Promise<readonly ConnectionState[]>;
  /** Makes a link for the caller, which is valid for ten minutes and for one flow. @throws TroupeError `notFound`, `badRequest` */
  link(
    caller: Principal,
    provider: string,
    options: LinkOptions,
  ): Promise<{ readonly url: string; readonly expiresAt: number }>;
  /** Removes an account, and revokes its token at the provider. @throws TroupeError `notFound`, `badRequest` */
  disconnect(caller: Principal, provider: string, claimedUser: string | undefined): Promise<void>;
  /** The account that a link connects. @throws TroupeError `notFound` for a link that is not valid any more */
  describe(provider: string, link: ConnectionLink): Promise<LinkedAccount>;
  /** Begins the flow of a link; returns the address of the provider's page. @param browser the secret in the browser's cookie */
  begin(provider: string, link: ConnectionLink, browser: string): Promise<URL>;
  /**
   * Ends a flow with the parameters of the callback: stores the tokens, and continues the run that waits for them.
   * @throws TroupeError `forbidden` in another browser, `notFound` for an unknown or ended flow, `badRequest` when the provider refused
   */
  finish(provider: string, parameters: URLSearchParams, browser: string | undefined): Promise<LinkedAccount>;
}

/** The user and the scopes of a link. */
export interface LinkOptions {
  readonly userId: string | undefined;
  readonly scopes: readonly string[];
}

type Parts = Pick<RunParts, "store" | "engine" | "runtime"> & { readonly connections: Connections };

/** Makes the calls of a platform; undefined without connections. */
export function connectionCalls(parts: RunParts): ConnectionCalls | undefined {
  const { connections } = parts;
  return connections && callsOf({ ...parts, connections });
}

function callsOf(parts: Parts): ConnectionCalls {
  const { connections, runtime } = parts;
  const { store, options } = connections;
  const redirectUri = (provider: string): string => `${options.url}/connections/${provider}/callback`;

  return {
    async list(caller, claimedUser) {
      const stored = await store.list(userOf(caller, claimedUser));
      return Object.keys(options.providers).map((provider) => {
        const found = stored.find((one) => one.provider === provider);
        const state = { isConnected: found !== undefined, scopes: found?.scopes ?? [], connectedAt: found?.createdAt };
        return { provider, title: connections.titleOf(provider), ...state };
      });
    },

    async link(caller, provider, { userId: claimed, scopes }) {
      providerOf(connections, provider);
      if (scopes.length > maxScopes) throw new TroupeError("badRequest", `A link has at most ${maxScopes} scopes.`);
      const userId = userOf(caller, claimed);
      const secret = newSecret(parts);
      const body = JSON.stringify({ scopes: connections.scopesOf({ provider, scopes }) });
      await store.putFlow({ digest: digestOf(`link ${secret}`), provider, userId, body }, flowDuration);
      const url = `${options.url}/connections/${provider}/authorize?link=${secret}`;
      return { url, expiresAt: runtime.clock.now() + flowDuration };
    },

    async disconnect(caller, provider, claimedUser) {
      providerOf(connections, provider);
      if (await connections.remove(provider, userOf(caller, claimedUser))) return;
      throw new TroupeError("notFound", "The account is not connected.");
    },

    async describe(provider, link) {
      return (await resolved(parts, provider, link)).account;
    },

    async begin(provider, link, browser) {
      const { account, runId } = await resolved(parts, provider, link);
      // The link of a run is valid while the run waits; any other link, once.
      if ("secret" in link && !(await store.takeFlow(digestOf(`link ${link.secret}`)))) throw expired();
      const state = newSecret(parts);
      const verifier = newSecret(parts);
      const { scopes, userId } = account;
      const flow: Flow = { verifier, browser: digestOf(browser), scopes, ...(runId !== undefined && { runId }) };
      const digest = digestOf(`state ${state}`);
      await store.putFlow({ digest, provider, userId, body: JSON.stringify(flow) }, flowDuration);
      try {
        const request = { state, verifier, scopes, redirectUri: redirectUri(provider) };
        return await providerOf(connections, provider).authorizationUrl(request);
      } catch (error) {
        throw refused(parts, provider, error);
      }
    },

    async finish(provider, parameters, browser) {
      const state = parameters.get("state") ?? "";
      const digest = digestOf(`state ${state}`);
      const found = await store.findFlow(digest);
      if (!found || found.provider !== provider) throw expired();
      const flow = JSON.parse(found.body) as Flow;
      // A flow that began in another browser is another user's: it is left to that browser.
      if (browser === undefined || !isSame(flow.browser, digestOf(browser)))
        throw new TroupeError("forbidden", "The connection was begun in another browser. Open the link again.");
      // A state counts once, also for two requests at the same time.
      if (!(await store.takeFlow(digest))) throw expired();
      const { scopes, verifier, runId } = flow;
      try {
        const exchange = { state, verifier, redirectUri: redirectUri(provider) };
        const tokens = await providerOf(connections, provider).exchange(parameters, exchange);
        await connections.save(provider, found.userId, tokens, scopes);
      } catch (error) {
        throw refused(parts, provider, error);
      }
      runtime.log.info({ provider, userId: found.userId }, "An account was connected.");
      if (runId !== undefined) await continueConnected(parts, runId, found.userId);
      return { provider, title: connections.titleOf(provider), userId: found.userId, scopes };
    },
  };
}

/** The user of a link, with the run that waits for the account. */
interface ResolvedLink {
  readonly account: LinkedAccount;
  readonly runId?: string | undefined;
}

/** @throws TroupeError `notFound` */
async function resolved(parts: Parts, provider: string, link: ConnectionLink): Promise<ResolvedLink> {
  const { connections } = parts;
  providerOf(connections, provider);
  const title = connections.titleOf(provider);
  if ("secret" in link) {
    const found = await connections.store.findFlow(digestOf(`link ${link.secret}`));
    if (!found || found.provider !== provider) throw expired();
    const { scopes } = JSON.parse(found.body) as Pick<Flow, "scopes">;
    return { account: { provider, title, userId: found.userId, scopes } };
  }
  const run = await pausedRun(parts, link.runId);
  const requirement = run && callsIn(run.pause).find(({ id }) => isSame(id, link.requirementId));
  const asked = requirement?.connection;
  if (!run || asked?.provider !== provider) throw expired();
  return { account: { provider, title, userId: run.run.userId ?? "", scopes: asked.scopes }, runId: link.runId };
}

async function pausedRun(
  { store }: Pick<Parts, "store">,
  runId: string,
): Promise<{ readonly run: LocatedRun; readonly pause: Pause } | undefined> {
  const run = await store.findRun(system, runId);
  const { pause } = run?.status === "PAUSED" ? outputOf(run) : {};
  const located = pause && (await store.locateRun(system, runId));
  return pause && located ? { run: located, pause } : undefined;
}

/** Continues a run that waits only for accounts that are connected now. Any other run waits for its other answers. */
async function continueConnected(parts: Parts, runId: string, userId: string): Promise<void> {
  const found = await pausedRun(parts, runId);
  if (!found) return;
  const requirements = callsIn(found.pause);
  const needs = requirements.flatMap(({ connection }) => connection ?? []);
  const isEach = async (): Promise<boolean> => {
    for (const need of needs) if (!(await parts.connections.has(need, userId))) return false;
    return true;
  };
  if (needs.length !== requirements.length || !(await isEach())) return;
  try {
    await parts.engine.continueRun(system, found.run, {
      callAnswers: requirements.map(({ id }) => ({ requirementId: id, toolCallId: undefined, confirmed: true })),
      stepAnswers: [],
      field: "requirements",
      answerer: { userId, mayApprove: false },
    });
  } catch (error) {
    // Another caller has continued or cancelled it, or the server shuts down: the account is connected, and the run can be continued by hand.
    parts.runtime.log.warn({ error, runId }, "A run whose account was connected did not continue by itself.");
  }
}

/** The caller's user. @throws TroupeError `badRequest` for a caller without one, `forbidden` for a reserved name */
function userOf(caller: Principal, claimed: string | undefined): string {
  const userId = caller.userId ?? attributedUser(caller, claimed) ?? userOfOpen(caller);
  if (userId === undefined) throw new TroupeError("badRequest", "The credential names no user: specify user_id.");
  return userId;
}

function providerOf(connections: Connections, name: string): OAuthProvider {
  const provider = connections.provider(name);
  if (!provider) throw new TroupeError("notFound", "There is no such provider.");
  return provider;
}

function expired(): TroupeError {
  return new TroupeError(
    "notFound",
    "This link is not valid any more. Open the current link of the run, or request another one.",
  );
}

/** The provider's reason, in its own words only where these are a standard code. */
function refused({ runtime }: Pick<Parts, "runtime">, provider: string, error: unknown): TroupeError {
  const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
  const { error: code } = Object(error) as { readonly error?: unknown };
  runtime.log.warn(
    { provider, reason, ...(typeof code === "string" && { code }) },
    "An account could not be connected.",
  );
  const isCode = typeof code === "string" && /^[a-z_]{1,40}$/.test(code);
  return new TroupeError("badRequest", `The account was not connected${isCode ? `: ${code}` : ""}.`);
}

/** A secret of 244 random bits, in characters that a PKCE verifier may have. */
function newSecret({ runtime }: Pick<Parts, "runtime">): string {
  return `${runtime.randomness.uuid()}${runtime.randomness.uuid()}`.replaceAll("-", "");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(one)), Buffer.from(digestOf(other)));
}
