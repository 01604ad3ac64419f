/** JSON that strangers send, held to what can be stored and read again. */

/** Deepest nesting that is taken: what is parsed here is serialised elsewhere, and that recurses. */
const maxDepth = 128;

/** Longest text in which the place of a fault is looked for where the engine does not name it: that reads parts of it up to 16 times. */
const longestSearched = 2 ** 16;

/** A JSON text that is refused, with the reason. */
export class BadJson extends Error {
  override readonly name = "BadJson";
  /** Index of the character at which it is no JSON any more, where that is known. */
  readonly position: number | undefined;

  constructor(reason: string, position?: number) {
    super(reason);
    this.position = position;
  }
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
  } catch (error) {
    throw new BadJson("not a JSON text", positionOf(error as SyntaxError, text));
  }
  check(value);
  return value;
}

/** Where a text stops being JSON. The engine names the place of every fault but of a character that nothing begins with. */
function positionOf(fault: SyntaxError, text: string): number | undefined {
  if (!isStray(fault)) {
    const place = / at position (\d+)/.exec(fault.message)?.[1];
    return place === undefined ? text.length : Number(place);
  }
  if (text.length > longestSearched) return undefined;
  let [without, including] = [0, text.length];
  while (including - without > 1) {
    const middle = Math.floor((without + including) / 2);
    if (hasStray(text.slice(0, middle))) including = middle;
    else without = middle;
  }
  return without;
}

function hasStray(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return isStray(error as SyntaxError);
  }
}

function isStray({ message }: SyntaxError): boolean {
  return message.startsWith("Unexpected token");
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
