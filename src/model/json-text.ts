/** Limits for JSON from clients, so that the value can be stored and read again. */

/** Maximum nesting depth: parsed values are serialized elsewhere, which is recursive. */
const maxDepth = 128;

/** Maximum number of values in a text. Parsing, checking and copying more values would block the process for too long. */
export const maxJsonValues = 50_000;

/**
 * Maximum length of a text in which the position of an error is searched for, if the engine does not report it. The search parses up to 16
 * parts of the text.
 */
const maxSearchedLength = 2 ** 16;

/** The reason for a text that is not JSON. */
export const notJson = "not a JSON text";

/** A rejected JSON text, with the reason. */
export class BadJson extends Error {
  override readonly name = "BadJson";
  /** Index of the character at which the text stops being JSON, if known. */
  readonly position: number | undefined;

  constructor(reason: string, position?: number) {
    super(reason);
    this.position = position;
  }
}

/** Counter for the values of several texts that share one limit. */
export interface JsonCount {
  values: number;
}

/**
 * Parses a JSON text (RFC 8259).
 *
 * @param counted increased by the number of values in the text
 * @throws BadJson for text that is not JSON, is nested too deeply, has too many values, a number beyond a double, or a key `__proto__`
 */
export function parseJson(text: string, counted: JsonCount = { values: 0 }): unknown {
  const needsCheck = scan(text, counted);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadJson(notJson, positionOf(error as SyntaxError, text));
  }
  if (needsCheck) check(value);
  return value;
}

/** Returns the position at which a text stops being JSON. The engine reports the position of every error except an unexpected character. */
function positionOf(fault: SyntaxError, text: string): number | undefined {
  if (!isUnexpectedToken(fault)) {
    const place = / at position (\d+)/.exec(fault.message)?.[1];
    return place === undefined ? text.length : Number(place);
  }
  if (text.length > maxSearchedLength) return undefined;
  let [without, including] = [0, text.length];
  while (including - without > 1) {
    const middle = Math.floor((without + including) / 2);
    if (hasUnexpectedToken(text.slice(0, middle))) including = middle;
    else without = middle;
  }
  return without;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return isUnexpectedToken(error as SyntaxError);
  }
}

function isUnexpectedToken({ message }: SyntaxError): boolean {
  return message.startsWith("Unexpected token");
}

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma] = [code('"'), code("\\"), code(",")];
const [openList, closeList, openObject, closeObject] = [code("["), code("]"), code("{"), code("}")];
const [zero, nine, lowerE, upperE] = [code("0"), code("9"), code("e"), code("E")];

/** Maximum number of digits before the decimal point of a number without exponent that is within the range of a double. */
const maxNumberDigits = 300;

/**
 * Counts values and depth in one pass before the text is parsed. The text need not be JSON.
 *
 * @returns whether its values may have a number beyond a double or a key `__proto__`
 * @throws BadJson for too many values, and for nesting that is too deep
 */
function scan(text: string, counted: JsonCount): boolean {
  let [values, depth, digits, hasLargeNumber] = [counted.values + 1, 0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character >= zero && character <= nine) {
      if (++digits > maxNumberDigits) hasLargeNumber = true;
      continue;
    }
    if (digits > 0 && (character === lowerE || character === upperE)) hasLargeNumber = true;
    digits = 0;
    if (character === quote) at = endOfString(text, at);
    else if (character === comma) values++;
    else if (character === openList || character === openObject) {
      values++;
      if (++depth > maxDepth) throw new BadJson(`nested deeper than ${maxDepth} levels`);
    } else if (character === closeList || character === closeObject) depth--;
    if (values > maxJsonValues) throw new BadJson(`more than ${maxJsonValues} values`);
  }
  counted.values = values;
  return hasLargeNumber || text.includes("__proto__") || text.includes("\\u00");
}

/** Index of the quote that closes the string at `start`, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote) return at;
    if (character === backslash) at++;
  }
  return text.length;
}

function check(value: unknown): void {
  if (typeof value === "number" && !Number.isFinite(value)) throw new BadJson("a number is too large");
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value) && Object.hasOwn(value, "__proto__")) throw new BadJson('the key "__proto__" is not taken');
  for (const child of Object.values(value)) check(child);
}
