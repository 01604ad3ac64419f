/**
 * Limits the number of open streams per caller in this process. An open stream needs memory, and one caller must not use all of it. Every
 * request or web socket message that may become a stream counts before it is processed, so that concurrent ones cannot exceed the limit. Callers
 * without a user id are counted by address.
 */
import type { ServerResponse } from "node:http";
import type { FastifyRequest } from "fastify";
import { defaultRetryAfter, InvariantError, TroupeError } from "../../errors.ts";
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

  /** @param most maximum number of streams per caller */
  constructor(gate: Pick<Gate, "mode">, most: number) {
    this.#gate = gate;
    this.#most = most;
  }

  /**
   * Counts the request until its response closes. Returns false if the client disconnected during authentication: its response has already
   * closed, so no answer can be sent.
   *
   * @throws TroupeError `tooManyRequests`
   */
  admit({ caller, internalCaller, ip }: FastifyRequest, response: ServerResponse): boolean {
    if (!caller) throw new InvariantError("A stream has no caller");
    // An internal call of this process.
    if (internalCaller) return true;
    if (response.destroyed) return false;
    response.once("close", this.enter(caller, ip));
    return true;
  }

  /**
   * Counts one more stream of the caller; call the returned function when the stream ends.
   *
   * @param ending number of open streams that end as soon as this one begins
   * @throws TroupeError `tooManyRequests`
   */
  enter(caller: Principal, address: string, ending = 0): () => void {
    // Without authentication, callers cannot be distinguished, so nothing is counted.
    if (this.#gate.mode === "none") return () => {};
    const name = caller.userId === null ? `at ${address}` : `${caller.kind} ${caller.userId}`;
    const open = this.#open.get(name) ?? 0;
    if (open - ending >= this.#most) {
      const message = `${open} streams of this caller are open at this process, which is the maximum. Close some, or retry later.`;
      throw new TroupeError("tooManyRequests", message, { retryAfter: defaultRetryAfter });
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
