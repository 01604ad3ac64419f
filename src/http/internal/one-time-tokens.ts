/** One-time tokens that authenticate this process's calls to itself: each is a random id for one call. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../model/principal.ts";

/** The principal of a call, and the run that it starts. */
export interface Ticket {
  readonly caller: Principal;
  /** Id of the run that the call starts. */
  readonly runId: string | undefined;
}

/** The header that carries the token. */
export const ticketHeader = "x-troupe-ticket";

/** Tokens that were issued and not used yet. */
export class Tickets {
  readonly #tickets = new Map<string, Ticket>();

  issue(ticket: Ticket): string {
    const number = randomUUID();
    this.#tickets.set(number, ticket);
    return number;
  }

  /** Returns the token's call and invalidates the token. */
  take(headers: Readonly<Record<string, string | string[] | undefined>>): Ticket | undefined {
    const number = headers[ticketHeader];
    if (typeof number !== "string") return undefined;
    const ticket = this.#tickets.get(number);
    this.#tickets.delete(number);
    return ticket;
  }
}
