/** The header fields of a rate limit (draft-ietf-httpapi-ratelimit-headers-07, which most clients know). */
import type { FastifyReply } from "fastify";
import type { RateState } from "../../errors.ts";

export function setRateHeaders(reply: FastifyReply, { limit, window, remaining, reset }: RateState): void {
  reply.header("ratelimit-limit", String(limit));
  reply.header("ratelimit-remaining", String(remaining));
  reply.header("ratelimit-reset", String(reset));
  reply.header("ratelimit-policy", `${limit};w=${window}`);
}
