/** The tools of the MCP servers in these tests. */
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** A picture of one pixel. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** What tools do in addition to their answers. */
export interface ToolHooks {
  /** Called at the start of each call, with the name of the tool and the caller's `authorization` header. */
  readonly onCall?: (tool: string, authorization: string | undefined) => void | Promise<void>;
  /** More tools, which the server adds at run time. */
  readonly more?: readonly string[];
}

/** Creates a server with tools of several kinds. */
export function createTools({ onCall, more = [] }: ToolHooks = {}, authorization?: string): McpServer {
  const server = new McpServer({ name: "tools", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
  const called = async (name: string): Promise<void> => await onCall?.(name, authorization);
  const text = (value: string): { content: { type: "text"; text: string }[] } => ({
    content: [{ type: "text", text: value }],
  });
  server.registerTool(
    "add",
    { description: "Adds two numbers.", inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => {
      await called("add");
      return text(String(a + b));
    },
  );
  server.registerTool("picture", { description: "Returns a picture." }, async () => {
    await called("picture");
    return {
      content: [
        { type: "text", text: "one pixel" },
        { type: "image", data: pixel, mimeType: "image/png" },
      ],
    };
  });
  server.registerTool(
    "weather.today",
    { description: "Returns data.", outputSchema: z.object({ degrees: z.number() }) },
    async () => {
      await called("weather.today");
      return { content: [], structuredContent: { degrees: 21 } };
    },
  );
  server.registerTool("fail", { description: "Fails." }, async () => {
    await called("fail");
    return { ...text("the disk is full"), isError: true };
  });
  server.registerTool("long", { description: "Returns much text." }, async () => text("x".repeat(5_000)));
  server.registerTool("whoami", { description: "Returns the caller." }, async () => {
    await called("whoami");
    return text(authorization ?? "nobody");
  });
  server.registerTool("wait", { description: "Never answers." }, async ({ mcpReq: { signal } }) => {
    await called("wait");
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return text("never");
  });
  for (const name of more)
    server.registerTool(name, { description: "Added later." }, async () => text(`${name} was called`));
  return server;
}
