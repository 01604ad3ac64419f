/** The JSON forms of cards in each protocol version, and a combined form for clients of both versions. */
import type { Card, Security, Skill } from "./card.ts";

export type CardJson = Readonly<Record<string, unknown>>;

function abilities({ pushes }: Card): CardJson {
  return { streaming: true, pushNotifications: pushes };
}

/** A card of 0.3. Its schema does not allow `null`: members without a value are omitted. */
export function card03(card: Card): CardJson {
  const { rpcUrl, restUrl, securities, skills, provider } = card;
  return {
    ...common(card),
    protocolVersion: "0.3.0",
    url: rpcUrl,
    preferredTransport: "JSONRPC",
    additionalInterfaces: [
      { url: rpcUrl, transport: "JSONRPC" },
      { url: restUrl, transport: "HTTP+JSON" },
    ],
    ...(provider && { provider }),
    capabilities: { ...abilities(card), stateTransitionHistory: false },
    ...(securities.length > 0 && {
      securitySchemes: Object.fromEntries(securities.map(scheme03)),
      security: securities.map(({ name }) => ({ [name]: [] })),
    }),
    skills: skills.map(toSkill),
    supportsAuthenticatedExtendedCard: card.isExtendable,
  };
}

/** A card of 1.0. Members without a value are omitted. */
export function card10(card: Card): CardJson {
  const { securities, skills, provider } = card;
  return {
    ...common(card),
    supportedInterfaces: interfaces(card),
    ...(provider && { provider }),
    capabilities: { ...abilities(card), extendedAgentCard: card.isExtendable },
    ...(securities.length > 0 && {
      securitySchemes: Object.fromEntries(securities.map(scheme10)),
      securityRequirements: securities.map(({ name }) => ({ schemes: { [name]: { list: [] } } })),
    }),
    skills: skills.map(toSkill),
  };
}

/** Both versions in one card: clients of each version find their members and ignore the others. */
export function combinedCard(card: Card): CardJson {
  const old = card03(card);
  const { securities } = card;
  const schemes = securities.map((one) => {
    const [name, older] = scheme03(one);
    return [name, { ...older, ...scheme10(one)[1] }];
  });
  return {
    ...card10(card),
    ...old,
    capabilities: { ...(old.capabilities as CardJson), extendedAgentCard: card.isExtendable },
    ...(securities.length > 0 && { securitySchemes: Object.fromEntries(schemes) }),
  };
}

function common({ name, description, version, inputModes, outputModes }: Card): CardJson {
  return { name, description, version, defaultInputModes: inputModes, defaultOutputModes: outputModes };
}

function interfaces({ rpcUrl, restUrl }: Card): readonly CardJson[] {
  return ["1.0", "0.3"].flatMap((protocolVersion) => [
    { url: rpcUrl, protocolBinding: "JSONRPC", protocolVersion },
    { url: restUrl, protocolBinding: "HTTP+JSON", protocolVersion },
  ]);
}

function toSkill({ id, name, description, tags, examples, outputModes }: Skill): CardJson {
  return { id, name, description, tags, examples, outputModes };
}

function scheme03({ name, scheme }: Security): readonly [string, CardJson] {
  if (scheme.kind === "cookie") return [name, { type: "apiKey", in: "cookie", name: scheme.cookie }];
  const { format, description } = scheme;
  return [name, { type: "http", scheme: "bearer", ...(format && { bearerFormat: format }), description }];
}

function scheme10({ name, scheme }: Security): readonly [string, CardJson] {
  if (scheme.kind === "cookie") return [name, { apiKeySecurityScheme: { location: "cookie", name: scheme.cookie } }];
  const { format, description } = scheme;
  const http = { scheme: "Bearer", ...(format && { bearerFormat: format }), description };
  return [name, { httpAuthSecurityScheme: http }];
}
