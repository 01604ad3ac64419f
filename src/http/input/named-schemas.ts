import type { z } from "zod";

const byName = new Map<string, z.ZodType>();

/** Registers a schema under its name in the OpenAPI document. @throws Error if another schema has the name */
export function named<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  if (byName.has(name)) throw new Error(`Two schemas are named ${name}.`);
  byName.set(name, schema);
  return schema;
}

/** All named schemas. */
export function namedSchemas(): ReadonlyMap<string, z.ZodType> {
  return byName;
}
