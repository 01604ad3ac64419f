/**
 * Requests that another application's server has received. Their connections belong to that server: the platform writes to them through Node's response only, and
 * leaves them to it when a stream is idle.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

const mounted = new WeakSet<ServerResponse>();

/** Marks the response to a request that another server has received. */
export function markMounted(response: ServerResponse): void {
  mounted.add(response);
}

/** Whether another server has received the request. */
export function isMounted(response: ServerResponse): boolean {
  return mounted.has(response);
}

/** The path without the base path. A framework may have removed it before. */
export function withoutBase(url: string, basePath: string): string {
  if (basePath === "" || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : url;
}

/** Whether a middleware of the application has read the body before. */
export function isBodyRead({ readableEnded, readableDidRead, complete }: IncomingMessage): boolean {
  return readableEnded && readableDidRead && complete;
}
