/** Which texts may become identifiers, names and user ids. */

/** Longest identifier in characters, as the path ids of the interface. */
export const maxIdLength = 255;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\u0000-\u001f\u007f]/;

/**
 * Why a text cannot be an identifier, or undefined where it can: identifiers are stored raw, and Postgres takes neither NUL nor a lone surrogate.
 */
export function faultOfId(text: string): string | undefined {
  if (text.length === 0) return "must not be empty";
  if (text.length > maxIdLength) return `must have at most ${maxIdLength} characters`;
  if (controls.test(text)) return "must not hold control characters";
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  return undefined;
}
