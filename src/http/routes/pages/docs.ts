/** The OpenAPI document, and pages that display it. All assets are served from here: no page loads anything from another host. */
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { TroupeError } from "../../../errors.ts";
import { reader } from "../../input/decode.ts";
import { type Route, route } from "../../transport/route.ts";

const require = createRequire(import.meta.url);
const assetFolder = join(dirname(require.resolve("@fastify/swagger-ui/package.json")), "static");

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
};

const packageAssets: ReadonlySet<string> = new Set([
  "favicon-32x32.png",
  "oauth2-redirect.js",
  "swagger-ui-bundle.js",
  "swagger-ui.css",
]);

/** The pages' own scripts are separate files, because their content security policy allows no inline scripts. */
function ownScriptsOf(basePath: string): ReadonlyMap<string, string> {
  return new Map([
    ["try.js", startScript({ basePath, tryItOut: true })],
    ["read.js", startScript({ basePath, tryItOut: false })],
  ]);
}

function startScript({ basePath, tryItOut }: { readonly basePath: string; readonly tryItOut: boolean }): string {
  const options = {
    url: `${basePath}/openapi.json`,
    dom_id: "#reference",
    deepLinking: true,
    validatorUrl: null,
    ...(tryItOut ? {} : { supportedSubmitMethods: [] }),
  };
  return `const options = ${JSON.stringify(options)};
options.oauth2RedirectUrl = new URL("${basePath}/docs/oauth2-redirect", location.href).href;
SwaggerUIBundle(options);
`;
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const page = (basePath: string, script: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="${basePath}/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="${basePath}/docs/assets/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="${basePath}/docs/assets/swagger-ui-bundle.js"></script>
<script src="${basePath}/docs/assets/${script}"></script>
</body>
</html>
`;

const redirectPage = (basePath: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Signed in</title>
</head>
<body>
<script src="${basePath}/docs/assets/oauth2-redirect.js"></script>
</body>
</html>
`;

/** `document` builds the OpenAPI document; it is called on the first request. @param basePath see `Services` */
export function docsRoutes(document: () => unknown, basePath = ""): readonly Route[] {
  const ownScripts = ownScriptsOf(basePath);
  let text: string | undefined;
  return [
    route({
      method: "GET",
      path: "/openapi.json",
      access: "public",
      handle: ({ reply }) => {
        text ??= JSON.stringify(document());
        return reply.type("application/json; charset=utf-8").send(text);
      },
    }),
    pageRoute("/docs", page(basePath, "try.js")),
    pageRoute("/redoc", page(basePath, "read.js")),
    pageRoute("/docs/oauth2-redirect", redirectPage(basePath)),
    route({
      method: "GET",
      path: "/docs/assets/{file}",
      access: "public",
      pathParams: reader(z.object({ file: z.string() }), ({ file }) => file),
      handle: ({ path, reply }) => sendAsset(path, reply, ownScripts),
    }),
  ];
}

function pageRoute(path: string, html: string): Route {
  return route({
    method: "GET",
    path,
    access: "public",
    handle: ({ reply }) => reply.type("text/html; charset=utf-8").header("content-security-policy", policy).send(html),
  });
}

function sendAsset(file: string, reply: FastifyReply, ownScripts: ReadonlyMap<string, string>): FastifyReply {
  const own = ownScripts.get(file);
  if (own === undefined && !packageAssets.has(file)) throw new TroupeError("notFound", "Not Found");
  reply.type(contentTypes[extname(file)] ?? "application/octet-stream").header("cache-control", "public, max-age=3600");
  return reply.send(own ?? createReadStream(join(assetFolder, file)));
}
