/** Decodes the bytes of texts. */

/** Returns the text of bytes: by their byte order mark, as UTF-8, or else in the declared encoding (default Windows-1252). */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return decodeAs(declared ?? "windows-1252", bytes);
  }
}

function decodeAs(label: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    // An encoding that does not exist.
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** The encoding that a media type or the beginning of an HTML page declares. */
export function declaredEncoding(mediaType: string | null, html?: Uint8Array): string | undefined {
  const inType = /charset\s*=\s*"?([\w-]+)/i.exec(mediaType ?? "")?.[1];
  if (inType !== undefined || !html) return inType;
  const start = Buffer.from(html.buffer, html.byteOffset, Math.min(html.length, 2_048)).toString("latin1");
  return /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1];
}
