/** Which web pages may call (Fetch standard, CORS protocol). */
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { TroupeError } from "../../errors.ts";
import type { TokenSource } from "../../model/authorization.ts";

/** Allowed without being configured: a front end in development. */
const usualOrigin = "http://localhost:3000";

/** Methods that change nothing: their answers are kept from foreign pages by the browser. */
const safeMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

const methods = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

/** With credentials a browser takes `*` for a name, so the headers that pages need are listed. */
const exposed = "link, location, x-run-id, x-request-id, x-troupe-version, retry-after, idempotency-replayed";

/** Marks answers for the origins that may read them, and answers preflights itself. */
export interface Cors {
  /** True when the request was a preflight and has been answered. */
  answers(request: FastifyRequest, reply: FastifyReply): boolean;
  /**
   * Why a request must not be executed. A browser sends a form of any page without asking first, and only hides the answer from the page.
   * Who is no browser sends no `Origin`.
   */
  refusalOf(request: FastifyRequest): TroupeError | undefined;
  /** The same by its headers, whatever its method. */
  refusalOfOrigin(headers: IncomingHttpHeaders): TroupeError | undefined;
}

/** `tokenSource` says where tokens are. With cookies a page acts as its user without knowing anything: then only named origins may call. */
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
    // A browser that sends no origin says nevertheless that it is another page's doing.
    if (origin === undefined && site !== "cross-site") return;
    if (origin !== undefined && (allowed.has(origin) || isOwn(origin, host))) return;
    const which = `Requests from the origin ${JSON.stringify((origin ?? "unknown").slice(0, 200))} are not allowed`;
    return new TroupeError("forbidden", `${which}: name it in corsOrigins of definePlatform if they should be.`);
  }
}

/** Whether a page comes from this server. Behind a proxy that ends TLS the scheme is not known here, so the host decides. */
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
