/** Lists in requests: items are counted before validation, because one invalid item costs as much as many valid ones. */
import { z } from "zod";

/** Maximum number of items of a list in a request, unless its schema sets a smaller one. */
export const maxListItems = 1_000;

/** Maximum number of items of all lists in a request that have a schema. Lists in free-form values, such as metadata, do not count. */
export const maxItemsTogether = 10_000;

/** Schema of a list in a request, with at most `maxListItems` items. */
export function listOf<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return z.array(item).max(maxListItems);
}

/** Like `schema.safeParse`, but rejects a value with a list that is too long before validating anything. */
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

/** Walks schema and value together to count the items of lists. @throws ZodError for a list that is too long */
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
      // The items count once for each option of a union, because zod validates the value against every option.
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
  // The error does not hold the list: errors may be logged.
  return new z.ZodError([
    { code: "too_big", origin: "array", maximum, inclusive: true, path: [...path], message, input: undefined },
  ]);
}
