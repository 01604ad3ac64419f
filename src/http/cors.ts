/** Which web pages may call (Fetch standard, CORS protocol). */
import type { FastifyReply, FastifyRequest } from "fastify";

/** Allowed without being configured: a front end in development. */
const usualOrigin = "http://localhost:3000";

const methods = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

/** With credentials a browser takes `*` for a name, so the headers that pages need are listed. */
const exposed = "x-run-id, x-request-id, x-troupe-version, retry-after";

/** Marks answers for the origins that may read them, and answers preflights itself. */
export interface Cors {
  /** True when the request was a preflight and has been answered. */
  answers(request: FastifyRequest, reply: FastifyReply): boolean;
}

export function createCors(configured: readonly string[]): Cors {
  const allowed = new Set([usualOrigin, ...configured]);
  return {
    answers(request, reply) {
      const { origin, "access-control-request-method": wanted } = request.headers;
      reply.header("vary", "Origin");
      if (origin === undefined) return false;
      const isAllowed = allowed.has(origin);
      if (isAllowed) {
        reply.header("access-control-allow-origin", origin);
        reply.header("access-control-allow-credentials", "true");
      }
      if (request.method === "OPTIONS" && wanted !== undefined) {
        answerPreflight(request, reply, isAllowed);
        return true;
      }
      if (isAllowed) reply.header("access-control-expose-headers", exposed);
      return false;
    },
  };
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply, isAllowed: boolean): void {
  const asked = request.headers["access-control-request-headers"];
  reply.header("vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
  reply.header("access-control-allow-methods", methods);
  reply.header("access-control-max-age", "600");
  if (isAllowed && asked !== undefined) reply.header("access-control-allow-headers", asked);
  reply.type("text/plain; charset=utf-8");
  if (isAllowed) reply.code(200).send("OK");
  else reply.code(400).send("Disallowed CORS origin");
}
