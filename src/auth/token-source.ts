/** Reads tokens from requests. */

/** Returns the token of an `Authorization` header; without the word `Bearer`, the whole value is the token. */
export function fromHeader(authorization: string): string {
  return authorization.replace(/^bearer(?:\s+|$)/i, "").trim();
}

/** Returns the value of a cookie (RFC 6265 section 4.2). Of several with the same name, the first wins, which has the longest path. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? "").split(";")) {
    const end = pair.indexOf("=");
    if (end < 0 || pair.slice(0, end).trim() !== name) continue;
    const value = pair.slice(end + 1).trim();
    return value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value;
  }
  return undefined;
}
