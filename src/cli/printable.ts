/** Escapes control characters, line ends too: a text from outside must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
