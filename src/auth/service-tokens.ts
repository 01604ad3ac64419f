/** Tokens of service accounts: looked up by their hash and cached. */
import { LRUCache } from "lru-cache";
import { isUnavailable } from "../errors.ts";
import type { Runtime } from "../model/runtime.ts";
import { type ServiceAccount, type ServiceAccountStore, servicePrincipalId } from "../model/service-account.ts";
import { authenticationUnavailable } from "./credential-errors.ts";
import { hashOf } from "./secrets.ts";

/** Time in milliseconds for which an account is cached: the maximum delay until a revocation by another process takes effect. */
const cacheDuration = 30_000;
const maxAccounts = 2_048;
/** Minimum time in milliseconds between two records of a token's use. */
const touchInterval = 60_000;

interface CachedAccount {
  readonly account: ServiceAccount;
  readonly until: number;
}

/** Finds the service account of a token. */
export class ServiceTokens {
  readonly #store: Pick<ServiceAccountStore, "findByTokenHash" | "findActive" | "touch">;
  readonly #runtime: Runtime;
  readonly #accounts = new LRUCache<string, CachedAccount>({ max: maxAccounts });
  readonly #touched = new LRUCache<string, number>({ max: maxAccounts });

  constructor(store: Pick<ServiceAccountStore, "findByTokenHash" | "findActive" | "touch">, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** Returns the account of a token that is valid now; undefined for any other token. @throws TroupeError `unavailable` */
  async find(token: string): Promise<ServiceAccount | undefined> {
    const account = await this.#findValid(hashOf(token));
    if (account) this.#touch(account);
    return account;
  }

  /** Whether a token that was valid is still valid. If the database does not respond, it counts as valid. */
  async isStillValid(tokenHash: string): Promise<boolean> {
    try {
      return (await this.#findValid(tokenHash)) !== undefined;
    } catch {
      return true;
    }
  }

  /** Whether the account of a principal still has this id and is valid now. @throws TroupeError `unavailable` */
  async isAccountValid(principalId: string, id: string): Promise<boolean> {
    const name = principalId.slice(servicePrincipalId({ name: "" }).length);
    const account = await this.#store.findActive(name).catch((error: unknown) => {
      throw unreadable(error);
    });
    const { clock } = this.#runtime;
    return account?.id === id && (account.expiresAt === null || account.expiresAt > clock.now());
  }

  /** Removes an account that this process revoked from the cache. */
  forget(id: string): void {
    for (const [hash, { account }] of [...this.#accounts]) if (account.id === id) this.#accounts.delete(hash);
  }

  async #findValid(hash: string): Promise<ServiceAccount | undefined> {
    const { clock } = this.#runtime;
    const cached = this.#accounts.get(hash);
    const account = cached && cached.until > clock.monotonic() ? cached.account : await this.#lookUp(hash);
    if (!account || account.revokedAt !== null) return undefined;
    return account.expiresAt !== null && account.expiresAt <= clock.now() ? undefined : account;
  }

  async #lookUp(hash: string): Promise<ServiceAccount | undefined> {
    const began = this.#runtime.clock.monotonic();
    try {
      const account = await this.#store.findByTokenHash(hash);
      if (account) this.#accounts.set(hash, { account, until: began + cacheDuration });
      return account;
    } catch (error) {
      throw unreadable(error);
    }
  }

  #touch({ id }: ServiceAccount): void {
    const { clock, log } = this.#runtime;
    const now = clock.monotonic();
    const last = this.#touched.get(id);
    if (last !== undefined && now - last < touchInterval) return;
    this.#touched.set(id, now);
    this.#store.touch(id, clock.now()).catch((error: unknown) => {
      log.debug({ error }, "The time of a service account's last use could not be stored.");
    });
  }
}

/** An outage passes, so the client may retry (503). Any other error needs an operator, such as a missing permission on the table: it is a 500, and logged. */
function unreadable(error: unknown): unknown {
  return isUnavailable(error) ? authenticationUnavailable(error) : error;
}
