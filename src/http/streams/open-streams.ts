/**
 * How many streams each caller has open at this process. A stream costs memory for as long as it is open, and one caller is not to use up what there
 * is for all. What may become a stream, a request or a message of a web socket, counts from before anything is done for it, so that many at once do
 * not pass together. Who has no name is counted by address.
 */
import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { InvariantError, TroupeError, usualRetryAfter } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { Gate } from "../transport/guard.ts";

declare module "fastify" {
  interface FastifyInstance {
    openStreams: OpenStreams;
  }
}

export class OpenStreams {
  readonly #gate: Pick<Gate, "mode">;
  readonly #most: number;
  readonly #open = new Map<string, number>();

  /** @param most of one caller */
  constructor(gate: Pick<Gate, "mode">, most: number) {
    this.#gate = gate;
    this.#most = most;
  }

  /**
   * Counts the request until its response is over; false for a client that has left already, while it was looked who it is: its response has
   * been over since, and nobody is left to answer.
   *
   * @throws TroupeError `tooManyRequests`
   */
  admit({ caller, ticket, ip }: FastifyRequest, response: ServerResponse): boolean {
    if (!caller) throw new InvariantError("A stream is asked for by nobody");
    // A call of the process itself.
    if (ticket) return true;
    if (response.destroyed) return false;
    response.once("close", this.enter(caller, ip));
    return true;
  }

  /**
   * Counts one more stream of the caller; answers what ends it.
   *
   * @param ending how many of those that are open end as soon as this one begins
   * @throws TroupeError `tooManyRequests`
   */
  enter(caller: Principal, address: string, ending = 0): () => void {
    // Where nobody is asked who they are, nothing is counted.
    if (this.#gate.mode === "none") return () => {};
    const name = caller.userId === null ? `at ${address}` : `${caller.kind} ${caller.userId}`;
    const open = this.#open.get(name) ?? 0;
    if (open - ending >= this.#most) {
      const message = `${open} streams of this caller are open here, and there may be no more. Close some, or come again later.`;
      throw new TroupeError("tooManyRequests", message, { retryAfter: usualRetryAfter });
    }
    this.#open.set(name, open + 1);
    return () => this.#leave(name);
  }

  #leave(name: string): void {
    const left = (this.#open.get(name) ?? 1) - 1;
    if (left > 0) this.#open.set(name, left);
    else this.#open.delete(name);
  }
}
