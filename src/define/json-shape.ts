/** Shapes of what is written as JSON by somebody who is shown the shape: a model, mostly. */
import { z } from "zod";
import { ConfigurationError } from "../errors.ts";

/** What JSON has none of, and what to say instead. */
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

/** The JSON Schema of a shape's input (draft 7). What can be any JSON is shown as such; a transform as what it is made from. */
export function shownShape(shape: z.ZodType, more: Pick<Options, "override"> = {}): Record<string, unknown> {
  const options = { target: "draft-7", io: "input", unrepresentable: "any", ...more } as const;
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(shape, options);
  return jsonSchema;
}

/**
 * The same of a shape that somebody writes JSON for.
 *
 * @throws ConfigurationError for a shape with a part that no JSON fits
 */
export function writableShape(title: string, shape: z.ZodType): Record<string, unknown> {
  const found: { readonly type: string; readonly path: readonly (string | number)[] }[] = [];
  const preprocessed: string[] = [];
  const jsonSchema = shownShape(shape, {
    override({ zodSchema, path }) {
      const { def } = zodSchema._zod;
      if (def.type === "pipe" && def.in._zod.def.type === "transform") preprocessed.push(path.join("/"));
      const isCoerced = "coerce" in def && def.coerce === true;
      // One form of several may be for others than who writes JSON.
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
