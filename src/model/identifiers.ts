/** Rules for identifiers, names and user ids. */

/** Maximum length of an identifier in characters, as for path ids in the HTTP interface. */
export const maxIdLength = 255;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\u0000-\u001f\u007f]/;

/**
 * Returns why a text is not a valid identifier; undefined if it is valid. Identifiers are stored raw, and Postgres accepts neither NUL nor
 * a lone surrogate.
 */
export function faultOfId(text: string): string | undefined {
  if (text.length === 0) return "must not be empty";
  if (text.length > maxIdLength) return `must have at most ${maxIdLength} characters`;
  if (controls.test(text)) return "must not hold control characters";
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  return undefined;
}
