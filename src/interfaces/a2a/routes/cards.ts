/** Agent cards: one of each component and, if the platform sets `rootCard`, one of the server itself. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type Reader, reader } from "../../../http/input/decode.ts";
import { type Kind, kinds } from "../../../http/transport/kinds.ts";
import { type Access, type Call, type Operation, type Route, route } from "../../../http/transport/route.ts";
import type { RouteServices } from "../../../http/transport/services.ts";
import { usualErrors } from "../../../http/transport/statuses.ts";
import type { A2aOptions } from "../../../model/a2a.ts";
import { type Card, cardOf } from "../cards/card.ts";
import { signatureOf } from "../cards/sign.ts";
import { type CardJson, card03, card10, combinedCard } from "../cards/versions.ts";
import { componentPath } from "../requests.ts";
import { A2aError } from "../standard/errors.ts";
import type { Endpoint } from "../task-service.ts";
import { operationDefaults } from "./messages.ts";

type Request = Call<unknown, unknown, unknown>["request"];
type Reply = Call<unknown, unknown, unknown>["reply"];

/** Path of the card below an agent's URL (RFC 8615). */
const cardPath = "/.well-known/agent-card.json";

const version: Reader<string | undefined> = reader(z.object({ "a2a-version": z.string().nullish() }), (fields) =>
  fields["a2a-version"]?.trim(),
);

/** Seconds for which clients and caches may keep a card (A2A 1.0, section 8.6.1). */
const maxAge = 300;

const answers: Operation["success"] = { 200: { description: "The card", json: "any" } };

/** The card of each component of a kind. */
export function cardRoutes(kind: Kind, options: A2aOptions): readonly Route[] {
  const { name, plural } = kind;
  const isPublic = options.publicCards ?? false;
  const access: Access = isPublic ? "open" : { resource: plural, action: "read", idParam: "id" };
  return [
    route({
      method: "GET",
      path: `/a2a/${plural}/{id}${cardPath}`,
      access,
      operation: {
        ...operationDefaults,
        security: isPublic ? "none" : "bearer",
        id: `get_${name}_card_a2a_${plural}__id___well_known_agent_card_json_get`,
        summary: `Get the A2A card of the ${name}`,
        success: answers,
        errors: isPublic ? [404, 422, 500] : usualErrors,
        headers: version.schema,
      },
      pathParams: componentPath,
      handle({ services, path, request, reply }) {
        return answerCard(services, kind, path.componentId, options, { request, reply });
      },
    }),
  ];
}

/** The card of the component that represents the server. */
export function rootCardRoutes(options: A2aOptions): readonly Route[] {
  const [plural, id] = options.rootCard?.split("/", 2) ?? [];
  const kind = Object.values(kinds).find((one) => one.plural === plural);
  if (!kind || id === undefined) return [];
  const isPublic = options.publicCards ?? false;
  return [
    route({
      method: "GET",
      path: cardPath,
      access: isPublic ? "open" : { resource: kind.plural, action: "read" },
      handle({ services, request, reply }: Call<undefined, undefined, undefined>) {
        return answerCard(services, kind, id, options, { request, reply });
      },
    }),
  ];
}

/** Answers with the card, or with 304 if the client has the current one. */
async function answerCard(
  services: RouteServices,
  kind: Kind,
  id: string,
  options: A2aOptions,
  { request, reply }: { readonly request: Request; readonly reply: Reply },
): Promise<unknown> {
  const requested = version.read(request.headers, "header");
  const card = cardFor(services, kind, id, options, request);
  const json = toJson(card, requested);
  // The tag is weak, because it omits the signature, which may differ each time.
  const tag = `W/"${createHash("sha256").update(JSON.stringify(json)).digest("base64url")}"`;
  const vary = ["A2A-Version", ...credentialHeaders(services, request)];
  reply.header("vary", [reply.getHeader("vary"), ...vary].filter(Boolean).join(", "));
  reply.header("cache-control", `${vary.length > 1 ? "private" : "public"}, max-age=${maxAge}`);
  reply.header("etag", tag);
  if (matches(request.headers["if-none-match"], tag)) return reply.code(304).send();
  return await withSignature(json, card, options, requested);
}

/** Request headers that decide whether the caller gets the card; empty if every caller gets it. */
function credentialHeaders({ gate }: RouteServices, { routeOptions, params }: Request): readonly string[] {
  const isOpen = routeOptions.config.guard?.isExcluded(params as Readonly<Record<string, string>>) ?? false;
  if (gate.mode === "none" || isOpen) return [];
  return gate.rules.tokenSource === "HEADER" ? ["Authorization"] : ["Authorization", "Cookie"];
}

/** Whether one of the client's tags matches, by weak comparison (RFC 9110, section 13.1.2). */
function matches(given: string | undefined, tag: string): boolean {
  const [, opaque] = tag.split("/");
  return (given ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === opaque);
}

/** Creates the extended card in the requested version, for callers that may read the component. */
export type ExtendedCard = (endpoint: Endpoint, version: "0.3" | "1.0", request: Request) => Promise<CardJson>;

/** The extended card adds the members' tools to the public card. @throws A2aError if callers need no authentication */
export function extendedCard(options: A2aOptions): ExtendedCard {
  return async ({ services, kind, componentId }, version, request) => {
    if (services.gate.mode === "none") {
      const text = "The public card is the only one, because callers need no credential";
      throw new A2aError(version === "0.3" ? "extendedCardNotConfigured" : "unsupportedOperation", text);
    }
    const card = cardFor(services, kind, componentId, options, request, true);
    return await withSignature(toJson(card, version), card, options, version);
  };
}

function cardFor(
  services: RouteServices,
  kind: Kind,
  id: string,
  options: A2aOptions,
  request: Request,
  isExtended = false,
): Card {
  const { platform, gate } = services;
  const component = services.runs.describe({ kind: kind.name, componentId: id });
  const { tokenSource, cookieName } = gate.rules;
  const base = options.url?.replace(/\/+$/, "") ?? addressOf(request);
  const setting = { options, base, version: platform.version, mode: gate.mode, tokenSource, cookieName };
  return cardOf(kind, component, { ...setting, isExtended, pushes: services.runs.pushTargets !== undefined });
}

/**
 * Adds the signature to a card. It covers the 1.0 members, so a card of 0.3 is not signed. Without a configured `url` no card is signed: its address
 * would come from the `Host` header, which the caller controls.
 */
async function withSignature(
  json: CardJson,
  card: Card,
  { signingKey, url }: A2aOptions,
  requested: string | undefined,
): Promise<CardJson> {
  if (!signingKey || url === undefined || requested?.startsWith("0.3")) return json;
  return { ...json, signatures: [await signatureOf(card, signingKey)] };
}

/** The card in the requested version's form; for clients that name no version, in the combined form. */
function toJson(card: Card, requested: string | undefined): CardJson {
  if (requested?.startsWith("1.")) return card10(card);
  return requested?.startsWith("0.3") ? card03(card) : combinedCard(card);
}

/** The URL by which the client called this server. */
function addressOf({ protocol, headers, hostname, server }: Request): string {
  return `${protocol}://${headers.host ?? hostname}${server.basePath}`;
}
