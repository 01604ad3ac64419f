/** Looks into schemas: finds the schema at a path, and unwraps optional, nullable, default and readonly schemas. */
import { z } from "zod";

/** The schema without its optional, nullable, default and readonly wrappers. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodNullable ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodReadonly
  ) {
    inner = inner.def.innerType as z.ZodType;
  }
  return inner;
}

/** The schema of the value at `path`, or undefined if the schema does not describe it. */
export function schemaAt(schema: z.ZodType, path: readonly (string | number)[]): z.ZodType | undefined {
  let found: z.ZodType | undefined = unwrapped(schema);
  for (const part of path) {
    if (found instanceof z.ZodObject) found = found.shape[part] as z.ZodType | undefined;
    else if (found instanceof z.ZodArray) found = found.element as z.ZodType;
    else return undefined;
    if (!found) return undefined;
    found = unwrapped(found);
  }
  return found;
}

/** Whether the schema accepts whole numbers only. */
export function isInteger(schema: z.ZodType): boolean {
  return schema instanceof z.ZodNumber && schema.format === "safeint";
}
