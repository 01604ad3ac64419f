/**
 * How many streams each caller has open at this process. A stream costs memory for as long as it is open, and one caller is not to use up what there
 * is for all. A request that may become a stream counts from before anything is done for it, so that many at once do not pass together.
 */
import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { InvariantError, TroupeError, usualRetryAfter } from "../errors.ts";
import type { Gate } from "./guard.ts";

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

  /** Counts the request until its response is over. @throws TroupeError `tooManyRequests` */
  admit(request: FastifyRequest, response: ServerResponse): void {
    const name = this.#nameOf(request);
    if (name === undefined) return;
    const open = this.#open.get(name) ?? 0;
    if (open >= this.#most) {
      const message = `${open} streams of this caller are open here, and there may be no more. Close some, or come again later.`;
      throw new TroupeError("tooManyRequests", message, { retryAfter: usualRetryAfter });
    }
    this.#open.set(name, open + 1);
    response.once("close", () => this.#leave(name));
  }

  #leave(name: string): void {
    const left = (this.#open.get(name) ?? 1) - 1;
    if (left > 0) this.#open.set(name, left);
    else this.#open.delete(name);
  }

  /** Who has no name is counted by address. Where nobody is asked who they are, and for calls of the process itself, nothing is counted. */
  #nameOf({ caller, ticket, ip }: FastifyRequest): string | undefined {
    if (!caller) throw new InvariantError("A stream is asked for by nobody");
    if (ticket || this.#gate.mode === "none") return undefined;
    return caller.userId === null ? `at ${ip}` : `${caller.kind} ${caller.userId}`;
  }
}
