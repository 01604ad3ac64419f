/** Looking into schemas: which one stands at a path, and what is under its optional, nullable and default wrappings. */
import { z } from "zod";

/** The schema itself, without what says that a value may be absent. */
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

/** The schema of the value at `path`, or undefined where the schema does not say. */
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

/** Whether the schema takes whole numbers only. */
export function isInteger(schema: z.ZodType): boolean {
  return schema instanceof z.ZodNumber && schema.format === "safeint";
}
