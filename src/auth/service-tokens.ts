/** Tokens of service accounts: looked up by their hash, and remembered for a while. */
import type { Runtime } from "../model/runtime.ts";
import {
  type ServiceAccount,
  type ServiceAccountStore,
  servicePrincipalId,
  serviceTokenPrefix,
} from "../model/service-account.ts";
import { BoundedMap } from "./bounded-map.ts";
import { unavailable } from "./refusals.ts";
import { hashOf } from "./secrets.ts";

/** Milliseconds that an account is remembered: the longest that another process's revocation goes unnoticed. */
const remembered = 30_000;
const mostAccounts = 2_048;
/** Milliseconds between two notes that a token was used. */
const touchInterval = 60_000;

interface Remembered {
  readonly account: ServiceAccount;
  readonly until: number;
}

/** Whether a text looks like a service account's token. */
export function isServiceToken(token: string): boolean {
  return token.startsWith(serviceTokenPrefix);
}

/** Finds the accounts of tokens. */
export class ServiceTokens {
  readonly #store: Pick<ServiceAccountStore, "findByTokenHash" | "findActive" | "touch">;
  readonly #runtime: Runtime;
  readonly #accounts = new BoundedMap<string, Remembered>(mostAccounts);
  readonly #touched = new BoundedMap<string, number>(mostAccounts);

  constructor(store: Pick<ServiceAccountStore, "findByTokenHash" | "findActive" | "touch">, runtime: Runtime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  /** The account of a token that is good now; undefined for every other one. @throws TroupeError `unavailable` */
  async find(token: string): Promise<ServiceAccount | undefined> {
    const account = await this.#good(hashOf(token));
    if (account) this.#touch(account);
    return account;
  }

  /** Whether a token that was good is so still, as far as can be said now: while nobody knows, it is. */
  async isStillGood(tokenHash: string): Promise<boolean> {
    try {
      return (await this.#good(tokenHash)) !== undefined;
    } catch {
      return true;
    }
  }

  /** Whether a principal's account of an id is good now. @throws TroupeError `unavailable` */
  async isGood(principalId: string, id: string): Promise<boolean> {
    const name = principalId.slice(servicePrincipalId({ name: "" }).length);
    const account = await this.#store.findActive(name).catch((error: unknown) => {
      throw unavailable(error);
    });
    const { clock } = this.#runtime;
    return account?.id === id && (account.expiresAt === null || account.expiresAt > clock.now());
  }

  /** Forgets an account that was revoked here. */
  forget(id: string): void {
    this.#accounts.deleteWhere(({ account }) => account.id === id);
  }

  async #good(hash: string): Promise<ServiceAccount | undefined> {
    const { clock } = this.#runtime;
    const known = this.#accounts.get(hash);
    const account = known && known.until > clock.monotonic() ? known.account : await this.#lookUp(hash);
    if (!account || account.revokedAt !== null) return undefined;
    return account.expiresAt !== null && account.expiresAt <= clock.now() ? undefined : account;
  }

  async #lookUp(hash: string): Promise<ServiceAccount | undefined> {
    const asked = this.#runtime.clock.monotonic();
    try {
      const account = await this.#store.findByTokenHash(hash);
      if (account) this.#accounts.set(hash, { account, until: asked + remembered });
      return account;
    } catch (error) {
      throw unavailable(error);
    }
  }

  #touch({ id }: ServiceAccount): void {
    const { clock, log } = this.#runtime;
    const now = clock.monotonic();
    const last = this.#touched.get(id);
    if (last !== undefined && now - last < touchInterval) return;
    this.#touched.set(id, now);
    this.#store.touch(id, clock.now()).catch((error: unknown) => {
      log.debug({ error }, "When a service account was last used could not be noted.");
    });
  }
}
