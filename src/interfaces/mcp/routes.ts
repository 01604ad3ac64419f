/** The routes of the MCP server. */
import { type Call, type Route, route } from "../../http/transport/route.ts";
import type { McpOptions } from "../../model/mcp.ts";
import { metadataRoutes, metadataUrlOf } from "./oauth.ts";
import { resumeCall } from "./resume.ts";
import type { McpPlatform } from "./served-platform.ts";

/** The routes of a platform; empty if the MCP server is off. */
export function mcpRoutes(platform: McpPlatform): readonly Route[] {
  const { mcp } = platform;
  if (mcp === false) return [];
  let loading: Promise<PostMessage> | undefined;
  const loaded = (): Promise<PostMessage> => (loading ??= loadPost(platform, mcp));
  const challengeUrl = metadataUrlOf(platform);
  return [
    route({
      method: "POST",
      path: "/mcp",
      // A call needs the scopes of what its tool does.
      access: "caller",
      challengeUrl,
      waits: true,
      handle: async (call) => (await loaded())(call),
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

type PostMessage = (call: Call<undefined, undefined, undefined>) => Promise<unknown>;

/** Loads tools and library when the first message arrives: a server that no MCP client uses does not pay for them. */
async function loadPost(platform: McpPlatform, options: McpOptions): Promise<PostMessage> {
  const [{ postMessage }, { openProtocol }] = await Promise.all([import("./post.ts"), import("./protocol.ts")]);
  const protocol = await openProtocol(platform);
  return (call) => postMessage(call, platform, options, protocol);
}
