import type { z } from "zod";

const byName = new Map<string, z.ZodType>();

/** Gives a schema the name that it has in the description of the interface. */
export function named<Schema extends z.ZodType>(name: string, schema: Schema): Schema {
  if (byName.has(name)) throw new Error(`Two schemas are named ${name}.`);
  byName.set(name, schema);
  return schema;
}

/** Every schema with a name. */
export function namedSchemas(): ReadonlyMap<string, z.ZodType> {
  return byName;
}
