/** Names of MCP tools as models call them. MCP allows characters and lengths that providers of models reject. */
import { createHash } from "node:crypto";
import { includesTool, type McpServer } from "../../define/mcp-server.ts";

/** Maximum length of a name for models. */
const maxLength = 64;
/** Maximum length of a name in MCP. */
const maxNameLength = 128;

/** Returns whether a server's options let the model call a tool. */
export function isOffered({ tools: { include, exclude } }: McpServer, name: string): boolean {
  if (name === "" || name.length > maxNameLength) return false;
  return (include === undefined || includesTool(include, name)) && !includesTool(exclude, name);
}

/** Returns the name for models: with the prefix, with `_` in place of other characters. A name that is cut ends with a hash, so that it stays unique. */
export function modelNameOf({ prefix }: McpServer, name: string): string {
  const whole = `${prefix}${name.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  const valid = /^[A-Za-z_]/.test(whole) ? whole : `_${whole}`;
  if (valid.length <= maxLength) return valid;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${valid.slice(0, maxLength - 9)}_${hash}`;
}
