/** JSON Schemas from callers. Even a small schema can be expensive, so its size, its references and every match are bounded. */
import { z } from "zod";

/** Maximum number of JSON values in a schema after its references are expanded. */
export const maxSchemaValues = 10_000;

/** Maximum nesting of a schema after its references are expanded. Zod compiles it recursively. */
const maxDepth = 500;

/** Maximum number of comparisons between the schema and parts of one answer. A large part counts as several: see `costOf`. */
export const maxComparisons = 200_000;

/** Thrown when an answer cannot be matched within `maxComparisons`. */
export class MatchTooExpensive extends Error {
  override readonly name = "MatchTooExpensive";
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the schema itself. A caller may wrap it in OpenAI's format: `{type: "json_schema", json_schema: {name, schema}}`. */
export function bareSchema(given: JsonObject): JsonObject {
  const { name, schema } = (given.json_schema ?? {}) as { name?: unknown; schema?: unknown };
  const bare = isObject(schema) ? schema : given;
  return typeof name === "string" && bare.title === undefined ? { ...bare, title: name } : bare;
}

/** Returns why a caller's schema is rejected before its run is recorded; undefined for a schema within the bounds. */
export function schemaFault(given: JsonObject): string | undefined {
  try {
    new Expansion(bareSchema(given)).measure();
    return undefined;
  } catch (error) {
    if (error instanceof TooLarge) return error.message;
    throw error;
  }
}

/**
 * Compiles a schema within the bounds. The result throws `MatchTooExpensive` for an answer that takes too many comparisons.
 * @throws Error for a schema that cannot be compiled
 */
export function compileSchema(bare: JsonObject): (value: unknown) => ReturnType<z.ZodType["safeParse"]> {
  const fault = schemaFault(bare);
  if (fault !== undefined) throw new Error(fault);
  const draft = bare.definitions && !bare.$defs ? "draft-7" : "draft-2020-12";
  const checked = checkedPart(bare) as Parameters<typeof z.fromJSONSchema>[0];
  const type = z.fromJSONSchema(checked, { defaultTarget: draft, registry: z.registry() });
  const work = { left: 0 };
  countWork(type, work, new Set());
  return (value) => {
    work.left = maxComparisons;
    // Zod's compiled parsers cost more than they save when a schema checks one answer.
    return type.safeParse(value, { jitless: true });
  };
}

class TooLarge extends Error {}

/** Keywords whose subschemas apply to the same part of the answer as the schema that contains them. */
const inPlace: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf"]);

/** Measures a schema with each reference replaced by its target. A reference to an enclosing schema counts once. */
class Expansion {
  readonly #schema: JsonObject;
  readonly #definitions: JsonObject;
  /** By reference; undefined while the reference is being measured. */
  readonly #sizes = new Map<string, number | undefined>();
  #visited = 0;
  #depth = 0;

  constructor(schema: JsonObject) {
    this.#schema = schema;
    const { definitions, $defs } = schema;
    this.#definitions = { ...(isObject(definitions) && definitions), ...(isObject($defs) && $defs) };
  }

  /** @throws TooLarge */
  measure(): void {
    this.#sizeOf(this.#schema, new Set(["#"]));
  }

  /** @param applied the references that led to this value and apply to the same part of the answer */
  #sizeOf(value: unknown, applied: Set<string>): number {
    bounded(++this.#visited);
    if (typeof value !== "object" || value === null) return 1;
    if (++this.#depth > maxDepth) throw new TooLarge("it is nested too deeply");
    const size = Array.isArray(value)
      ? this.#sizeOfItems(value, applied)
      : this.#sizeOfMembers(value as JsonObject, applied);
    this.#depth--;
    return size;
  }

  #sizeOfItems(items: readonly unknown[], applied: Set<string>): number {
    return items.reduce<number>((sum, item) => add(sum, this.#sizeOf(item, applied)), 1);
  }

  #sizeOfMembers(schema: JsonObject, applied: Set<string>): number {
    let size = 1;
    for (const [key, member] of Object.entries(schema)) {
      // A definition is counted once for each reference to it.
      if (member === this.#schema.$defs || member === this.#schema.definitions) continue;
      size = add(size, this.#sizeOf(member, inPlace.has(key) ? applied : new Set()));
    }
    const { $ref, type } = schema;
    if (typeof $ref === "string") size = add(size, this.#sizeOfTarget($ref, applied));
    // Each of several types gets a copy of the schema.
    return Array.isArray(type) ? bounded(size * Math.max(type.length, 1)) : size;
  }

  #sizeOfTarget(ref: string, applied: Set<string>): number {
    if (applied.has(ref)) throw new TooLarge(`its reference ${ref.slice(0, 100)} leads back to itself`);
    if (this.#sizes.has(ref)) return this.#sizes.get(ref) ?? 1;
    this.#sizes.set(ref, undefined);
    applied.add(ref);
    const size = this.#sizeOf(this.#target(ref), applied);
    applied.delete(ref);
    this.#sizes.set(ref, size);
    return size;
  }

  /** Resolves a reference as zod does, which ignores everything after the definition's name. */
  #target(ref: string): unknown {
    const [place, name] = ref.slice(1).split("/").filter(Boolean);
    if (place === undefined) return this.#schema;
    const decoded = (name ?? "").replaceAll("~1", "/").replaceAll("~0", "~");
    return Object.hasOwn(this.#definitions, decoded) ? this.#definitions[decoded] : undefined;
  }
}

function add(one: number, other: number): number {
  return bounded(one + other);
}

function bounded(size: number): number {
  if (size <= maxSchemaValues) return size;
  throw new TooLarge(`with its references written out it has more than ${maxSchemaValues} values`);
}

/** Keywords whose members are schemas under names that the caller chose. */
const schemaMaps: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
/** Keywords whose value is data. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required", "type"]);
/** The model sees these keywords, but the server does not check them, because their cost cannot be bounded by counting. */
const unchecked: ReadonlySet<string> = new Set(["pattern", "patternProperties", "propertyNames", "contains"]);

function checkedPart(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkedPart);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).filter(([key]) => !unchecked.has(key));
  return Object.fromEntries(
    members.map(([key, value]) => {
      if (data.has(key)) return [key, value];
      if (!schemaMaps.has(key) || !isObject(value)) return [key, checkedPart(value)];
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, checkedPart(one)]))];
    }),
  );
}

/** The cost of one comparison. A schema may visit every member of an object and every character of a text. */
function costOf(value: unknown): number {
  if (typeof value === "string") return 1 + value.length / 100;
  if (typeof value !== "object" || value === null) return 1;
  return 1 + (Array.isArray(value) ? value.length : Object.keys(value).length) / 2;
}

/** Makes every schema below `type` count its comparisons. Unions and references can make their number exponential. */
function countWork(type: z.core.$ZodType, work: { left: number }, known: Set<z.core.$ZodType>): void {
  if (known.has(type)) return;
  known.add(type);
  const { run, def } = type._zod;
  type._zod.run = (payload, context) => {
    work.left -= costOf(payload.value);
    if (work.left < 0) throw new MatchTooExpensive();
    return run(payload, context);
  };
  if (type instanceof z.ZodLazy) countWork(type.unwrap() as z.core.$ZodType, work, known);
  for (const part of partsOf(def)) countWork(part, work, known);
}

function partsOf(value: unknown): readonly z.core.$ZodType[] {
  if (value instanceof z.core.$ZodType) return [value];
  if (Array.isArray(value)) return value.flatMap(partsOf);
  if (!isObject(value) || value instanceof Map || value instanceof Set) return [];
  return Object.values(value).flatMap((member) =>
    member instanceof z.core.$ZodType || isObject(member) || Array.isArray(member) ? partsOf(member) : [],
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
