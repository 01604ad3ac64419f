/** One-time tokens that authenticate this process's calls to itself: each is a random id for one call. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../model/principal.ts";

/** The header that carries the token. */
export const oneTimeTokenHeader = "x-troupe-ticket";

/** Tokens that were issued and not used yet, with their callers. */
export class OneTimeTokens {
  readonly #callers = new Map<string, Principal>();

  issue(caller: Principal): string {
    const token = randomUUID();
    this.#callers.set(token, caller);
    return token;
  }

  /** Returns the token's caller and invalidates the token. */
  take(headers: Readonly<Record<string, string | string[] | undefined>>): Principal | undefined {
    const token = headers[oneTimeTokenHeader];
    if (typeof token !== "string") return undefined;
    const caller = this.#callers.get(token);
    this.#callers.delete(token);
    return caller;
  }
}
