/** OAuth protected resource metadata (RFC 9728): MCP clients read there which identity provider gives tokens for this server. */
import { type Call, type Route, route } from "../../http/transport/route.ts";
import type { McpPlatform } from "./served-platform.ts";

type Request = Call<unknown, unknown, unknown>["request"];

const path = "/.well-known/oauth-protected-resource";

/** The issuers of accepted tokens; empty if the platform names none. */
export function issuersOf({ authorization }: Pick<McpPlatform, "authorization">): readonly string[] {
  const { issuers = [] } = typeof authorization === "object" ? authorization : {};
  return issuers.map(({ issuer }) => issuer);
}

/** The address of the metadata, for the challenge of a rejected request; undefined without metadata. */
export function metadataUrlOf(platform: McpPlatform): ((request: Request) => string) | undefined {
  if (issuersOf(platform).length === 0) return undefined;
  return (request) => `${baseOf(platform, request)}${path}/mcp`;
}

/** The metadata of the MCP server; none unless the platform names issuers. */
export function metadataRoutes(platform: McpPlatform): readonly Route[] {
  const issuers = issuersOf(platform);
  if (issuers.length === 0) return [];
  const handle = ({ request }: Pick<Call<undefined, undefined, undefined>, "request">): object => ({
    resource: `${baseOf(platform, request)}/mcp`,
    authorization_servers: issuers,
    bearer_methods_supported: ["header"],
    resource_name: platform.name,
  });
  return [path, `${path}/mcp`].map((place) => route({ method: "GET", path: place, access: "open", handle }));
}

/** The public URL of the server. */
function baseOf({ mcp }: McpPlatform, { protocol, headers, hostname, server }: Request): string {
  const url = mcp === false ? undefined : mcp.url;
  return url?.replace(/\/+$/, "") ?? `${protocol}://${headers.host ?? hostname}${server.basePath}`;
}
