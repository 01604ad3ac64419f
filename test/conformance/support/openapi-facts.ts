/** An operation of an OpenAPI document as a list of facts, so that two documents can be compared line by line. */
export interface OpenApiDocument {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, Schema> };
}

export interface OpenApiOperation {
  operationId: string;
  tags?: string[];
  security?: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

type Schema = Record<string, unknown>;

export function factsOf(document: OpenApiDocument, operation: OpenApiOperation): string[] {
  const facts = [`operationId ${operation.operationId}`, `tags ${operation.tags?.join(" ")}`];
  facts.push(`security ${JSON.stringify(operation.security ?? null)}`);
  for (const { name, in: place, required, schema } of operation.parameters ?? []) {
    facts.push(`parameter ${place} ${name}${required ? " required" : ""}: ${typeOf(document, schema)}`);
  }
  if (operation.requestBody) {
    facts.push(`body${operation.requestBody.required ? " required" : ""}`);
    for (const [media, { schema }] of Object.entries(operation.requestBody.content)) {
      facts.push(`body ${media}`, ...members(document, schema, `body ${media}`, []));
    }
  }
  for (const [status, { content }] of Object.entries(operation.responses)) {
    facts.push(`response ${status}`);
    for (const [media, { schema }] of Object.entries(content ?? {})) {
      const place = `response ${status} ${media}`;
      facts.push(schema ? `${place}: ${typeOf(document, schema)}` : place);
      if (schema) facts.push(...members(document, schema, place, []));
    }
  }
  return facts;
}

/** Facts about the members of an object, of the objects in a list, and of nested ones. */
function members(document: OpenApiDocument, schema: Schema, place: string, above: readonly Schema[]): string[] {
  return variants(document, schema).flatMap((variant) => {
    if (above.includes(variant)) return [];
    const inside = [...above, variant];
    if (variant.type === "array") return members(document, variant.items as Schema, `${place}[]`, inside);
    const required = (variant.required as string[] | undefined) ?? [];
    const map = variant.additionalProperties;
    const values =
      typeof map === "object" && map !== null ? members(document, map as Schema, `${place}{}`, inside) : [];
    const named = Object.entries((variant.properties ?? {}) as Record<string, Schema>).flatMap(([name, member]) => [
      `${place}.${name}${required.includes(name) ? " required" : ""}: ${typeOf(document, member)}`,
      ...members(document, member, `${place}.${name}`, inside),
    ]);
    return [...values, ...named];
  });
}

function typeOf(document: OpenApiDocument, schema: Schema): string {
  const types = variants(document, schema).flatMap((variant) => {
    if (variant.type === "array") return [`list of (${typeOf(document, (variant.items ?? {}) as Schema)})`];
    return Array.isArray(variant.type) ? (variant.type as string[]) : [String(variant.type ?? "anything")];
  });
  return [...new Set(types)].sort().join(" | ");
}

/** The schemas that a value may match: references resolved, alternatives listed. */
function variants(document: OpenApiDocument, schema: Schema): Schema[] {
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? "";
    const target = document.components.schemas[name];
    if (!target) throw new Error(`${schema.$ref} points nowhere.`);
    return variants(document, target);
  }
  const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  return alternatives ? alternatives.flatMap((alternative) => variants(document, alternative)) : [schema];
}
