/** Decides which web pages may call (Fetch standard, CORS protocol). */
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { TroupeError } from "../../errors.ts";
import type { TokenSource } from "../../model/authorization.ts";

/** Allowed by default: a front end in development. */
const usualOrigin = "http://localhost:3000";

/** Methods without side effects are not rejected: the browser hides their responses from other origins. */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

const methods = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

/** For requests with credentials, browsers treat `*` as a literal name, so the headers that pages need are listed. */
const exposed = [
  ...["link", "location", "x-run-id", "x-request-id", "x-troupe-version", "retry-after", "idempotency-replayed"],
  ...["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "ratelimit-policy"],
  ...["mcp-session-id", "www-authenticate"],
].join(", ");

/** Adds CORS headers to answers, and answers preflight requests. */
export interface Cors {
  /** Returns true if the request was a preflight and has been answered. */
  answers(request: FastifyRequest, reply: FastifyReply): boolean;
  /**
   * Returns the reason why a request must not be executed; undefined if it may be. A browser sends a form of any page without a preflight, and only hides the answer from the
   * page. Clients other than browsers send no `Origin`.
   */
  refusalOf(request: FastifyRequest): TroupeError | undefined;
  /** Checks the origin by the headers alone, whatever the method. */
  refusalOfOrigin(headers: IncomingHttpHeaders): TroupeError | undefined;
}

/**
 * `tokenSource` says where requests carry tokens. With cookies, a page acts as its user without knowing the token, so only configured origins may
 * call.
 */
export function createCors(configured: readonly string[], tokenSource: TokenSource): Cors {
  const allowed = new Set(tokenSource === "HEADER" ? [usualOrigin, ...configured] : configured);
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
    refusalOf: ({ method, headers }) => (safeMethods.has(method) ? undefined : refusalOfOrigin(headers)),
    refusalOfOrigin,
  };

  function refusalOfOrigin({ origin, host, "sec-fetch-site": site }: IncomingHttpHeaders): TroupeError | undefined {
    // Without an origin, `sec-fetch-site` still shows that another site's page caused the request.
    if (origin === undefined && site !== "cross-site") return;
    if (origin !== undefined && (allowed.has(origin) || isOwn(origin, host))) return;
    const which = `Requests from the origin ${JSON.stringify((origin ?? "unknown").slice(0, 200))} are not allowed`;
    return new TroupeError("forbidden", `${which}: name it in corsOrigins of definePlatform if they should be.`);
  }
}

/** Whether a page comes from this server. Behind a proxy that terminates TLS the scheme is unknown, so only the host is compared. */
function isOwn(origin: string, host: string | undefined): boolean {
  const from = URL.parse(origin);
  return from !== null && host !== undefined && URL.parse(`${from.protocol}//${host}`)?.host === from.host;
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
