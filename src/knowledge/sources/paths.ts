/** Paths of files in sources. */
import type { ContentSource } from "../../define/knowledge.ts";

const maxPath = 1_024;

/** Whether a caller's path may be a file of a source: it begins with the source's prefix, and no part of it leaves that. */
export function isInSource({ prefix }: Pick<ContentSource, "prefix">, path: string): boolean {
  if (path === "" || path.length > maxPath || path.startsWith("/") || path.endsWith("/")) return false;
  return isPrefixInSource({ prefix }, path);
}

/** Whether a caller's prefix of a listing is within the source. */
export function isPrefixInSource({ prefix }: Pick<ContentSource, "prefix">, path: string): boolean {
  if (path.length > maxPath || !path.startsWith(prefix) || hasControls(path)) return false;
  return !path.split(/[/\\]/).some((part) => part === "." || part === "..");
}

function hasControls(path: string): boolean {
  for (let place = 0; place < path.length; place++) {
    const code = path.charCodeAt(place);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return !path.isWellFormed();
}
