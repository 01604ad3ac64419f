/** JSON that strangers send, held to what can be stored and read again. */

/** Deepest nesting that is taken: what is parsed here is serialised elsewhere, and that recurses. */
const maxDepth = 128;

/** A JSON text that is refused, with the reason. */
export class BadJson extends Error {
  override readonly name = "BadJson";
}

/**
 * The value of a JSON text (RFC 8259).
 *
 * @throws BadJson for what is no JSON, is nested too deeply, holds a number beyond a double, or a key `__proto__`
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadJson("not a JSON text");
  }
  check(value);
  return value;
}

/** Walks level by level, because depth is what it guards against. */
function check(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new BadJson(`nested deeper than ${maxDepth} levels`);
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === "number" && !Number.isFinite(item)) throw new BadJson("a number is too large");
      if (typeof item !== "object" || item === null) continue;
      if (!Array.isArray(item) && Object.hasOwn(item, "__proto__"))
        throw new BadJson('the key "__proto__" is not taken');
      for (const child of Object.values(item)) next.push(child);
    }
    level = next;
  }
}
