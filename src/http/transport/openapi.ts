/** Generates the OpenAPI 3.1.0 document from the schemas that validate requests. */
import { z } from "zod";
import { mediaTypes } from "../input/body.ts";
import { namedSchemas } from "../input/named-schemas.ts";
import { errorResponses, faultList } from "../records/errors.ts";
import type { Operation, ResponseSpec, Route } from "./route.ts";
import { interfaceVersion } from "./version.ts";

type Json = Record<string, unknown>;

const bearer = { HTTPBearer: [] };
const securities = { none: undefined, bearer: [bearer], optional: [{}, bearer] } as const;

/** Describes the routes that have an operation. @param basePath see `Services` */
export function describeRoutes(routes: readonly Route[], basePath = ""): Json {
  const schemas = new Schemas();
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    if (!route.operation) continue;
    paths[route.path] = {
      ...paths[route.path],
      [String(route.method).toLowerCase()]: toOperation(route, route.operation, schemas),
    };
  }
  return schemas.resolve({
    openapi: "3.1.0",
    info: { title: "Troupe", version: interfaceVersion },
    ...(basePath !== "" && { servers: [{ url: basePath }] }),
    paths,
    components: { schemas: {}, securitySchemes: { HTTPBearer: { type: "http", scheme: "bearer" } } },
  });
}

function toOperation(route: Route, operation: Operation, schemas: Schemas): Json {
  const parameters = [
    ...toParameters("path", route.pathSchema, schemas),
    ...toParameters("query", route.querySchema, schemas),
    ...toParameters("header", operation.headers, schemas),
  ];
  const security = securities[operation.security];
  return {
    tags: [operation.tag],
    summary: operation.summary,
    operationId: operation.id,
    ...(security ? { security } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: toRequestBody(route.body, schemas) } : {}),
    responses: { ...toResponses(operation, schemas) },
  };
}

function toParameters(place: string, schema: z.ZodObject | undefined, schemas: Schemas): Json[] {
  return Object.entries((schema?.shape ?? {}) as Record<string, z.ZodType>).map(([name, member]) => ({
    name: place === "header" ? canonical(name) : name,
    in: place,
    ...(member.description ? { description: member.description } : {}),
    required: place === "path" || !member.safeParse(undefined).success,
    schema: schemas.inline(member),
  }));
}

/** Header names are not case-sensitive; readers expect the spellings `Last-Event-ID` and `A2A-Version`. */
function canonical(header: string): string {
  return header.replaceAll(/(^|-)(id$|a2a(?=-)|\w)/g, (_, dash: string, word: string) => dash + word.toUpperCase());
}

function toRequestBody({ name, reader, types, required }: NonNullable<Route["body"]>, schemas: Schemas): Json {
  const content = types.map((type) => [mediaTypes[type], { schema: schemas.component(name, reader.schema) }]);
  return { ...(required ? { required } : {}), content: Object.fromEntries(content) };
}

function toResponses({ success, errors, faults }: Operation, schemas: Schemas): Json {
  const responses: Json = {};
  for (const [status, response] of Object.entries(success)) responses[status] = toResponse(response, schemas);
  for (const status of errors) {
    const error = errorResponses[status];
    if (!error) throw new Error(`No schema for an answer of ${status}.`);
    const schema = status === 422 && faults === "list" ? faultList : error.schema;
    responses[status] = toResponse({ description: error.description, json: schema }, schemas);
  }
  return responses;
}

function toResponse({ description, json, eventStream }: ResponseSpec, schemas: Schemas): Json {
  const content = {
    ...(json ? { "application/json": { schema: json === "any" ? {} : schemas.inline(json) } } : {}),
    ...(eventStream ? { "text/event-stream": {} } : {}),
  };
  return { description, content };
}

/** Collects the schemas in use, and inserts their JSON Schemas when all of them are known. */
class Schemas {
  readonly #inline = new Map<z.ZodType, string>();
  readonly #components = new Map(namedSchemas());

  /** A placeholder for the schema; a named schema becomes a reference. */
  inline(schema: z.ZodType): Json {
    for (const [name, component] of this.#components) if (component === schema) return reference(name);
    const key = this.#inline.get(schema) ?? `inline-${this.#inline.size}`;
    this.#inline.set(schema, key);
    return reference(key);
  }

  /** Registers the schema under its own name and returns a reference to it. */
  component(name: string, schema: z.ZodType): Json {
    this.#components.set(name, schema);
    return reference(name);
  }

  /** The document with every inline schema inserted, and with the components that it refers to. */
  resolve(document: Json): Json {
    const registry = z.registry<{ id: string }>();
    // A schema may have several names: each name gets its own instance.
    for (const [name, schema] of this.#components)
      registry.add(registry.has(schema) ? schema.clone() : schema, { id: name });
    for (const [schema, key] of this.#inline) registry.add(schema, { id: key });
    const { schemas } = z.toJSONSchema(registry, {
      io: "input",
      unrepresentable: "any",
      uri: pointer,
      override: simplify,
    });
    const inlined = new Map([...this.#inline.values()].map((key) => [pointer(key), schemas[key]]));
    const whole = replaceReferences(document, inlined) as Json & { components: Json };
    whole.components.schemas = reachable(whole, replaceReferences(schemas, inlined) as Record<string, Json>);
    return whole;
  }
}

function pointer(name: string): string {
  return `#/components/schemas/${name}`;
}

function reference(name: string): Json {
  return { $ref: pointer(name) };
}

/** Removes redundant members: schema ids, patterns that the format implies, and the limits of safe integers. */
function simplify({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  delete jsonSchema.$schema;
  delete jsonSchema.$id;
  delete jsonSchema.propertyNames;
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function replaceReferences(value: unknown, inlined: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceReferences(item, inlined));
  if (typeof value !== "object" || value === null) return value;
  const target = "$ref" in value ? inlined.get(String(value.$ref)) : undefined;
  if (target !== undefined) return replaceReferences(withoutIdentity(target as Json), inlined);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceReferences(item, inlined)]));
}

function withoutIdentity({ $schema: _, $id: __, ...schema }: Json): Json {
  return schema;
}

/** The components that the document refers to, directly or through other components, by name. */
function reachable(document: unknown, schemas: Readonly<Record<string, Json>>): Json {
  const found = new Map<string, Json>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const name = "$ref" in value ? String(value.$ref).slice(pointer("").length) : undefined;
    const schema = name === undefined ? undefined : schemas[name];
    if (name !== undefined && schema && !found.has(name)) {
      found.set(name, withoutIdentity(schema));
      visit(schema);
    }
    Object.values(value).forEach(visit);
  };
  visit(document);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}
