/** The web console: its page, for every path below `/console`, and the files of its build. See docs/console.md. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyStaticOptions } from "@fastify/static";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import type { ConsoleOptions } from "../../../model/console.ts";
import { reader } from "../../input/decode.ts";
import { type Call, type Route, route } from "../../transport/route.ts";

const root = new URL("../../../../", import.meta.url);

/** Folder of the built console: in a checkout below `dist/`, in the package beside the built server. Undefined before the first build. */
const folder: string | undefined = ["dist/console/", "console/"]
  .map((path) => fileURLToPath(new URL(path, root)))
  .find((path) => existsSync(join(path, "manifest.json")));

/** Files with a hash of their content in their name. */
const hashed = /^assets\/[\w-][\w.-]*$/;

/** Other files that browsers load. */
const otherFiles: ReadonlySet<string> = new Set(["icon.svg", "licenses.md"]);

const year = 31_536_000;

/** Options of `@fastify/static`: it only sends files that routes choose. */
export const staticFiles: FastifyStaticOptions = {
  root: folder ?? fileURLToPath(root),
  serve: false,
  preCompressed: true,
  cacheControl: false,
  acceptRanges: false,
  dotfiles: "deny",
};

/** The console's routes. They need no token, because the files are the same for every caller. */
export function consoleRoutes(options: ConsoleOptions): readonly Route[] {
  const sendOwnPage = ({ request, reply, services }: Call<unknown, undefined, undefined>): Promise<FastifyReply> =>
    sendPage(request, reply, { options, nonce: services.runtime.randomness.uuid() });
  return [
    route({ method: "GET", path: "/console", head: true, access: "open", handle: sendOwnPage }),
    route({
      method: "GET",
      path: "/console/*",
      head: true,
      access: "open",
      pathParams: reader(z.object({ "*": z.string() }), (fields) => fields["*"]),
      handle: (call) => (isFile(call.path) ? sendFile(call.path, call.reply) : sendOwnPage(call)),
    }),
  ];
}

function isFile(path: string): boolean {
  return hashed.test(path) || otherFiles.has(path);
}

function sendFile(path: string, reply: FastifyReply): FastifyReply {
  if (folder === undefined) throw notBuilt();
  if (!existsSync(join(folder, path))) throw new TroupeError("notFound", "Not Found");
  secure(reply, "default-src 'none'; style-src 'unsafe-inline'");
  reply.header("cache-control", hashed.test(path) ? `public, max-age=${year}, immutable` : "no-cache");
  return reply.sendFile(path, folder);
}

async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, nonce }: { readonly options: ConsoleOptions; readonly nonce: string },
): Promise<FastifyReply> {
  if (folder === undefined) throw notBuilt();
  const page = await readFile(join(folder, "index.html"), "utf8");
  const toRoot = pathToRoot(request.originalUrl);
  const { oidc } = options;
  const shown = oidc && { oidc: { scopes: ["openid", "profile"], token: "access_token", ...oidc } };
  secure(reply, pagePolicy(nonce, oidc ? [new URL(oidc.issuer).origin, ...(oidc.origins ?? [])] : []));
  return reply
    .type("text/html; charset=utf-8")
    .header("cache-control", "no-store")
    .send(
      page
        .replaceAll(/(src|href)="\.\//g, `$1="${toRoot}`)
        .replace('name="troupe-root" content="./"', `name="troupe-root" content="${toRoot}"`)
        .replace('name="troupe-options" content="{}"', () => `name="troupe-options" content="${escaped(shown ?? {})}"`)
        .replace('nonce=""', `nonce="${nonce}"`),
    );
}

/** The relative URL of the console for a page below it. A proxy may serve the console under a prefix that the server does not know. */
function pathToRoot(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? "";
  const levels = path.slice(path.indexOf("/console") + "/console".length).split("/").length - 1;
  if (levels === 0) return "console/";
  return levels === 1 ? "./" : "../".repeat(levels - 1);
}

function pagePolicy(nonce: string, connected: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Libraries add style elements at run time; they carry the nonce.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src ${["'self'", ...new Set(connected)].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function secure(reply: FastifyReply, policy: string): void {
  reply
    .header("content-security-policy", policy)
    .header("referrer-policy", "no-referrer")
    .header("cross-origin-opener-policy", "same-origin")
    .header("cross-origin-resource-policy", "same-origin")
    .header("permissions-policy", "camera=(), geolocation=(), microphone=()")
    .header("x-frame-options", "DENY");
}

/** JSON as the value of an attribute in double quotes. */
function escaped(value: unknown): string {
  return JSON.stringify(value).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

function notBuilt(): TroupeError {
  return new TroupeError("notFound", "The console is not built: run `npm run console` in the checkout.");
}
