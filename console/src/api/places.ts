/** Addresses of the console and of the server. A proxy may serve both under a prefix, so they derive from the address of the page. */
import type { OidcOptions } from "../session/oidc-options.ts";

/** Options that the server writes into the page. */
export interface ConsoleOptions {
  readonly oidc?: OidcOptions;
}

function contentOf(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

const root: URL = new URL(import.meta.env.DEV ? "/console/" : contentOf("troupe-root"), location.href);

/** Path of the console without a slash at its end: `/console`. */
export const consolePath: string = root.pathname.replace(/\/$/, "");

/** URL of the server without a slash at its end: `https://agents.example/prefix`. */
export const serverUrl: string = new URL("..", root).href.replace(/\/$/, "");

export const consoleOptions: ConsoleOptions = JSON.parse(contentOf("troupe-options") || "{}");

/** Styles that libraries add to the page need it: the content security policy permits no others. */
export const styleNonce: string = document.querySelector<HTMLMetaElement>('meta[name="troupe-nonce"]')?.nonce ?? "";
