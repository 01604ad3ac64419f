import type { ToolOrigin } from "../../model/run/message.ts";

/** A tool of an MCP server, as the model sees it. */
export interface ServerTool {
  /** With the server's prefix. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly origin: ToolOrigin;
}
