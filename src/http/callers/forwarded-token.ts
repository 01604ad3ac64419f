/** What of a request's credential is handed on to another server. */
import type { FastifyRequest } from "fastify";
import { fromHeader } from "../../auth/token-source.ts";
import type { Principal } from "../../model/principal.ts";
import type { Services } from "../transport/services.ts";

/**
 * The caller's token, where it may be known elsewhere: what this server alone accepts (its security key, tokens of its service accounts and
 * of its scheduler) leaves it never. Cookies are not handed on.
 */
export function forwardable(
  { gate }: Pick<Services, "gate">,
  { kind }: Principal,
  token: string | undefined,
): string | undefined {
  if (gate.mode === "none") return kind === "anonymous" ? token || undefined : undefined;
  return gate.mode === "jwt" && kind === "user" ? token : undefined;
}

/** The same of a request. */
export function bearerOf(services: Pick<Services, "gate">, { headers, caller }: FastifyRequest): string | undefined {
  const { authorization } = headers;
  return caller === null || authorization === undefined
    ? undefined
    : forwardable(services, caller, fromHeader(authorization));
}
