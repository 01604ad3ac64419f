/** Where a request has its token. */

/** The token of a header `Authorization`; one without the word `Bearer` is taken whole. */
export function fromHeader(authorization: string): string {
  return authorization.replace(/^bearer(?:\s+|$)/i, "").trim();
}

/** The value of a cookie (RFC 6265 section 4.2); of several with one name the first, which has the longest path. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? "").split(";")) {
    const end = pair.indexOf("=");
    if (end < 0 || pair.slice(0, end).trim() !== name) continue;
    const value = pair.slice(end + 1).trim();
    return value.startsWith('"') && value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value;
  }
  return undefined;
}
