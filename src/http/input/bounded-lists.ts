/** Lists in requests: their items are counted before they are read, because each wrong item costs as much as many good ones. */
import { z } from "zod";

/** Most items of a list in a request whose schema does not have a smaller number. */
export const maxListItems = 1_000;

/** Most items of all lists of a request that have a schema. Lists of free form, as in metadata, do not count. */
export const maxItemsTogether = 10_000;

/** A list in a request. */
export function listOf<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return z.array(item).max(maxListItems);
}

/** As `schema.safeParse`, but of a value with a list that is too long nothing is read. */
export function parseBounded<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    countItems(schema, value, [], { items: 0 });
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { success: false, error: error as z.ZodError<z.output<Schema>> };
  }
  return schema.safeParse(value);
}

type Path = readonly (string | number)[];

/** Walks a schema and a value at once, as far as lists are. @throws ZodError for a list that is too long */
function countItems(schema: z.core.$ZodType, value: unknown, path: Path, counted: { items: number }): void {
  if (typeof value !== "object" || value === null) return;
  const { def } = schema._zod as { def: z.core.$ZodTypes["_zod"]["def"] };
  switch (def.type) {
    case "array": {
      if (!Array.isArray(value)) return;
      const most = Math.min(Number(schema._zod.bag.maximum ?? maxListItems), maxListItems);
      if (value.length > most) throw tooLong(most, path);
      counted.items += value.length;
      if (counted.items > maxItemsTogether) throw tooLong(maxItemsTogether, path);
      value.forEach((item, place) => {
        countItems(def.element, item, [...path, place], counted);
      });
      return;
    }
    case "object":
      for (const [name, member] of Object.entries(def.shape)) {
        if (Object.hasOwn(value, name)) {
          countItems(member, (value as Record<string, unknown>)[name], [...path, name], counted);
        }
      }
      return;
    case "union":
      for (const option of def.options) countItems(option, value, path, counted);
      return;
    case "pipe":
      countItems(def.in, value, path, counted);
      return;
    case "optional":
    case "nullable":
    case "default":
    case "readonly":
      countItems(def.innerType, value, path, counted);
      return;
    default:
  }
}

function tooLong(maximum: number, path: Path): z.ZodError {
  const message = `Too big: expected array to have <=${maximum} items`;
  // What was too long is not kept: an error may be written to the log.
  return new z.ZodError([
    { code: "too_big", origin: "array", maximum, inclusive: true, path: [...path], message, input: undefined },
  ]);
}
