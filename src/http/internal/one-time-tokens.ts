/** Lets calls in that this process makes itself: a ticket is a number that nobody else can know, good for one call. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../../model/principal.ts";

/** In whose name a call is made. */
export interface Ticket {
  readonly caller: Principal;
  /** Id of the run that the call starts. */
  readonly runId: string | undefined;
}

/** The header that a ticket comes with. */
export const ticketHeader = "x-troupe-ticket";

/** Tickets that were given out and not used. */
export class Tickets {
  readonly #tickets = new Map<string, Ticket>();

  issue(ticket: Ticket): string {
    const number = randomUUID();
    this.#tickets.set(number, ticket);
    return number;
  }

  /** The ticket of a request: from now on it is used. */
  take(headers: Readonly<Record<string, string | string[] | undefined>>): Ticket | undefined {
    const number = headers[ticketHeader];
    if (typeof number !== "string") return undefined;
    const ticket = this.#tickets.get(number);
    this.#tickets.delete(number);
    return ticket;
  }
}
