/** The platform, as the MCP server sees it. */
import type { AuthorizationOptions } from "../../model/authorization.ts";
import type { McpOptions } from "../../model/mcp.ts";

/** The platform, as the tools describe it. */
export interface ServedPlatform {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly version: string;
  readonly databaseId: string;
}

/** The platform whose tools are served. */
export interface McpPlatform extends ServedPlatform {
  readonly mcp: McpOptions | false;
  readonly authorization: boolean | AuthorizationOptions | undefined;
}
