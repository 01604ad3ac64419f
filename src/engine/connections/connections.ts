/** Accounts of users at other services: their tokens, and the refresh of these. No token leaves this class but to tools of the user's own runs. */
import type { RunContext } from "../../define/context.ts";
import type { ConnectionsOptions, OAuthNeed } from "../../model/connections.ts";
import type { Principal } from "../../model/principal.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { ConnectionStore, StoredConnection } from "../../store/contract/connections.ts";
import { withoutSecrets } from "../redact.ts";
import { isRejected, OAuthProvider, type Tokens } from "./oauth-provider.ts";

/** Milliseconds before its end at which a token is refreshed. */
const refreshBefore = 60_000;
/** Milliseconds for which a process reserves a refresh: longer than a provider may take. */
const refreshDuration = 30_000;
/** Milliseconds between two looks at a refresh of another process. */
const refreshPoll = 200;

/** The user has no account at the provider that the tool can use. */
export class NotConnected extends Error {
  override readonly name = "NotConnected";

  constructor(provider: string) {
    super(`The user has not connected an account of ${provider}.`);
  }
}

/** The tokens of a connection, as they are stored. */
interface StoredTokens {
  readonly access: string;
  readonly refresh?: string | undefined;
}

/** Dependencies of the connections. */
export interface ConnectionsParts {
  readonly store: ConnectionStore;
  readonly runtime: Runtime;
  readonly options: ConnectionsOptions;
}

export class Connections {
  readonly options: ConnectionsOptions;
  readonly store: ConnectionStore;
  readonly #runtime: Runtime;
  readonly #providers: ReadonlyMap<string, OAuthProvider>;
  readonly #refreshing = new Map<string, Promise<string>>();

  constructor({ store, runtime, options }: ConnectionsParts) {
    this.options = options;
    this.store = store;
    this.#runtime = runtime;
    const entries = Object.entries(options.providers);
    this.#providers = new Map(entries.map(([name, one]) => [name, new OAuthProvider(one, runtime.clock)]));
  }

  /** Returns a provider; undefined if the platform defines none of this name. */
  provider(name: string): OAuthProvider | undefined {
    return this.#providers.get(name);
  }

  /** The name of a provider for people. */
  titleOf(name: string): string {
    return this.options.providers[name]?.title ?? name;
  }

  /** All scopes that a connection for a need requests. */
  scopesOf({ provider, scopes = [] }: OAuthNeed): readonly string[] {
    return [...new Set([...(this.options.providers[provider]?.scopes ?? []), ...scopes])];
  }

  /** Whether the user has an account with these scopes. A token that cannot be refreshed any more is found by `accessToken`. */
  async has(need: OAuthNeed, userId: string): Promise<boolean> {
    const found = await this.store.find(need.provider, userId);
    return found !== undefined && this.#covers(found, need);
  }

  #covers({ scopes }: StoredConnection, need: OAuthNeed): boolean {
    return this.scopesOf(need).every((scope) => scopes.includes(scope));
  }

  /**
   * Returns an access token of the user, and refreshes it if it ends soon: by one process at a time.
   * @throws NotConnected without a connection, with too few scopes, or if the provider rejects the refresh; the provider's error if it does not answer
   */
  async accessToken(need: OAuthNeed, userId: string): Promise<string> {
    const found = await this.store.find(need.provider, userId);
    if (!found || !this.#covers(found, need)) throw new NotConnected(need.provider);
    if (!this.#endsSoon(found)) return tokensIn(found).access;
    const key = JSON.stringify([need.provider, userId]);
    const running = this.#refreshing.get(key) ?? this.#refreshed(found).finally(() => this.#refreshing.delete(key));
    this.#refreshing.set(key, running);
    return await running;
  }

  #endsSoon({ expiresAt }: StoredConnection): boolean {
    return expiresAt !== null && expiresAt - this.#runtime.clock.now() < refreshBefore;
  }

  async #refreshed(first: StoredConnection): Promise<string> {
    const { clock } = this.#runtime;
    const { provider, userId } = first;
    const deadline = clock.monotonic() + refreshDuration;
    for (let found: StoredConnection | undefined = first; ; found = await this.store.find(provider, userId)) {
      if (!found) throw new NotConnected(provider);
      const { access, refresh } = tokensIn(found);
      if (!this.#endsSoon(found)) return access;
      const isOver = found.expiresAt !== null && found.expiresAt <= clock.now();
      if (refresh === undefined) {
        if (!isOver) return access;
        await this.store.remove(provider, userId, found.version);
        throw new NotConnected(provider);
      }
      if (await this.store.claimRefresh(found, refreshDuration)) return await this.#refresh(found, refresh, isOver);
      if (clock.monotonic() > deadline) throw new Error(`The token of ${provider} is not refreshed yet.`);
      await clock.sleep(refreshPoll);
    }
  }

  async #refresh(found: StoredConnection, refreshToken: string, isOver: boolean): Promise<string> {
    const { provider, userId, version } = found;
    try {
      const tokens = await (this.#providers.get(provider) as OAuthProvider).refresh(refreshToken);
      await this.store.refresh(found, this.#toStored(tokens));
      return tokens.accessToken;
    } catch (error) {
      const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
      this.#runtime.log.warn({ provider, reason }, "The token of a connected account could not be refreshed.");
      if (isRejected(error)) {
        await this.store.remove(provider, userId, version);
        throw new NotConnected(provider);
      }
      await this.store.releaseRefresh(found);
      if (!isOver) return tokensIn(found).access;
      throw new Error(`The token of ${provider} could not be refreshed.`);
    }
  }

  /** Stores the tokens of a new connection. @param requested the requested scopes */
  async save(provider: string, userId: string, tokens: Tokens, requested: readonly string[]): Promise<void> {
    // A provider may grant a scope under another name: what was requested and not refused counts as granted.
    const scopes = [...new Set([...requested, ...(tokens.scopes ?? [])])];
    await this.store.put({ provider, userId, scopes, ...this.#toStored(tokens) });
  }

  #toStored({ accessToken, refreshToken, validFor }: Tokens): Pick<StoredConnection, "tokens" | "expiresAt"> {
    const tokens: StoredTokens = { access: accessToken, ...(refreshToken !== undefined && { refresh: refreshToken }) };
    const expiresAt = validFor === undefined ? null : this.#runtime.clock.now() + validFor;
    return { tokens: JSON.stringify(tokens), expiresAt };
  }

  /** Removes a connection, and revokes its tokens. The provider need not answer. False: there was none. */
  async remove(provider: string, userId: string): Promise<boolean> {
    const found = await this.store.find(provider, userId);
    if (!found || !(await this.store.remove(provider, userId))) return false;
    const { access, refresh } = tokensIn(found);
    try {
      await this.#providers.get(provider)?.revoke(refresh ?? access);
    } catch (error) {
      const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
      this.#runtime.log.warn({ provider, reason }, "The token of a removed account could not be revoked.");
    }
    return true;
  }
}

function tokensIn({ tokens }: StoredConnection): StoredTokens {
  return JSON.parse(tokens) as StoredTokens;
}

/** The user whose account a run uses. Undefined for a run without a user, unless the server has no authorization: it then has one user. */
export function connectedUser({ userId, principal }: Pick<RunContext, "userId" | "principal">): string | undefined {
  return userId ?? userOfOpen(principal);
}

/** Returns the access token for a call. @throws NotConnected, or an error with the reason */
export async function accessTokenFor(
  connections: Connections | undefined,
  need: OAuthNeed,
  context: Pick<RunContext, "userId" | "principal">,
): Promise<string> {
  if (!connections?.provider(need.provider)) throw new Error(`The platform has no connection "${need.provider}".`);
  const userId = connectedUser(context);
  if (userId === undefined) throw new Error("The run has no user whose account could be used.");
  return await connections.accessToken(need, userId);
}

/** The one user of a server without authorization; undefined for every other caller. */
export function userOfOpen({ kind }: Pick<Principal, "kind">): string | undefined {
  return kind === "open" || kind === "system" ? "" : undefined;
}
