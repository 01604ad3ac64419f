/**
 * Inputs and messages without their media bytes. Listings do not show the bytes, but read hundreds of rows: they read the brief text instead of the
 * full one.
 */

/** Shorter texts have no brief version: listings read them directly. */
const minLength = 16 * 1024;

const dataMember = '"data":"';

/** The brief text of a `RunInput` as JSON; null if the text is short, or contains no media bytes. */
export function briefOfInput(input: string): string | null {
  return input.length < minLength ? null : withoutBytes(input);
}

/** The brief text of a `Message` as JSON; null if the text is short, or contains no media bytes. Only users' messages have media. */
export function briefOfMessage(body: string): string | null {
  return body.length < minLength || !body.startsWith('{"role":"user"') ? null : withoutBytes(body);
}

/**
 * Cuts the text at positions, because parsing many megabytes of JSON would block the process. Quotes inside a JSON string are escaped, so the search finds
 * only members, and base64 contains no escaped characters.
 */
function withoutBytes(json: string): string | null {
  const media = json.indexOf('"media":[');
  if (media === -1) return null;
  let brief = "";
  let from = 0;
  for (let at = json.indexOf(dataMember, media); at !== -1; at = json.indexOf(dataMember, from)) {
    brief += json.slice(from, at + dataMember.length);
    from = json.indexOf('"', at + dataMember.length);
    if (from === -1) return null;
  }
  return from === 0 ? null : brief + json.slice(from);
}
