/** Decides which of a request's credentials are forwarded to another server. */
import type { FastifyRequest } from "fastify";
import { fromHeader } from "../../auth/token-source.ts";
import type { Principal } from "../../model/principal.ts";
import type { Services } from "../transport/services.ts";

/**
 * The caller's token, if another server may see it. Tokens that only this server accepts (security key, service accounts, scheduler) never leave it.
 * Cookies are not forwarded.
 */
export function forwardable(
  { gate }: Pick<Services, "gate">,
  { kind }: Principal,
  token: string | undefined,
): string | undefined {
  if (gate.mode === "none") return kind === "open" ? token || undefined : undefined;
  return gate.mode === "jwt" && kind === "user" ? token : undefined;
}

/** The token of a request that may be forwarded; see `forwardable`. */
export function forwardedToken(
  services: Pick<Services, "gate">,
  { headers, caller }: FastifyRequest,
): string | undefined {
  const { authorization } = headers;
  return caller === null || authorization === undefined
    ? undefined
    : forwardable(services, caller, fromHeader(authorization));
}
