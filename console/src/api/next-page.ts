/** Where the next page of a list begins, from the `Link` header of a response. */

/** Returns the cursor; undefined on the last page. The path is not used, because a proxy may serve it under another prefix. */
export function nextCursor({ headers }: Response): string | undefined {
  const query = /<[^>?]*\?([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
  return new URLSearchParams(query).get("cursor") ?? undefined;
}
