/** JSON Schemas of values that a model or a caller writes as JSON. */
import { z } from "zod";
import { ConfigurationError } from "../errors.ts";

/** Types that JSON cannot express, and what to use instead. */
const unwritable: Readonly<Record<string, string>> = {
  date: "z.iso.datetime(); with .transform((text) => new Date(text)) it is read as a Date",
  bigint: "z.int(), or a z.string() that is transformed",
  map: "z.record(z.string(), …)",
  set: "z.array(…)",
  nan: "z.number()",
  symbol: "z.string()",
  function: "z.string()",
  file: "z.string()",
};

type Options = NonNullable<Parameters<typeof z.toJSONSchema<z.ZodType>>[1]>;

/** Returns the JSON Schema of a schema's input (draft 7). It shows a type that JSON cannot express as any JSON, and a transform as its input. */
export function shownShape(shape: z.ZodType, more: Pick<Options, "override"> = {}): Record<string, unknown> {
  const options = { target: "draft-7", io: "input", unrepresentable: "any", ...more } as const;
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(shape, options);
  return jsonSchema;
}

/**
 * Returns the same JSON Schema for a schema whose input is written as JSON.
 *
 * @throws ConfigurationError for a schema with a part that no JSON value matches
 */
export function writableShape(title: string, shape: z.ZodType): Record<string, unknown> {
  const found: { readonly type: string; readonly path: readonly (string | number)[] }[] = [];
  const preprocessed: string[] = [];
  const jsonSchema = shownShape(shape, {
    override({ zodSchema, path }) {
      const { def } = zodSchema._zod;
      if (def.type === "pipe" && def.in._zod.def.type === "transform") preprocessed.push(path.join("/"));
      const isCoerced = "coerce" in def && def.coerce === true;
      // In a union, one alternative may be meant for callers that do not write JSON.
      if (def.type in unwritable && !isCoerced && !path.includes("anyOf")) found.push({ type: def.type, path });
    },
  });
  const fault = found.find(({ path }) => !preprocessed.some((outer) => `${path.join("/")}/`.startsWith(`${outer}/`)));
  if (fault === undefined) return jsonSchema;
  const where = fault.path.filter((part) => part !== "properties" && part !== "items").join(".");
  throw new ConfigurationError(
    `${title}: no JSON fits the ${fault.type} ${where ? `at "${where}" ` : ""}of its shape. Use ${unwritable[fault.type]}.`,
  );
}
