/**
 * Inputs and messages without the bytes of their media. Listings do not show the bytes, and read hundreds of rows: they read the brief text
 * instead of the row's own.
 */

/** Shorter texts have no brief one: listings read them as they are. */
const minLength = 16 * 1024;

const dataMember = '"data":"';

/** The brief text of a `RunInput` as JSON; null where the text is short, or has no bytes. */
export function briefOfInput(input: string): string | null {
  return input.length < minLength ? null : withoutBytes(input);
}

/** The brief text of a `Message` as JSON; null where the text is short, or has no bytes. Only users' messages have media. */
export function briefOfMessage(body: string): string | null {
  return body.length < minLength || !body.startsWith('{"role":"user"') ? null : withoutBytes(body);
}

/**
 * Cuts by position, because parsing a text of many megabytes would block the process. The quotes inside a JSON string are escaped, so that the
 * search finds members only, and base64 has no character that is escaped.
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
