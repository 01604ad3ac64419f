/** The routes of the MCP server. */
import { type Route, route } from "../../http/transport/route.ts";
import { metadataRoutes, metadataUrlOf } from "./oauth.ts";
import { postMessage } from "./post.ts";
import { openProtocol, type Protocol } from "./protocol.ts";
import { resumeCall } from "./resume.ts";
import type { McpPlatform } from "./served-platform.ts";

/** The routes of a platform; empty if the MCP server is off. */
export function mcpRoutes(platform: McpPlatform): readonly Route[] {
  const { mcp } = platform;
  if (mcp === false) return [];
  let loading: Promise<Protocol> | undefined;
  const protocol = (): Promise<Protocol> => (loading ??= openProtocol(platform));
  const challengeUrl = metadataUrlOf(platform);
  return [
    route({
      method: "POST",
      path: "/mcp",
      // A call needs the scopes of what its tool does.
      access: "caller",
      challengeUrl,
      waits: true,
      handle: async (call) => postMessage(call, platform, mcp, await protocol()),
    }),
    route({
      method: "GET",
      path: "/mcp",
      access: "caller",
      challengeUrl,
      waits: true,
      handle: resumeCall,
    }),
    ...metadataRoutes(platform),
  ];
}
