/** One tool for each component. */
import { createHash } from "node:crypto";
import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { identifier } from "../../../http/input/identifiers.ts";
import { kinds } from "../../../http/transport/kinds.ts";
import type { ListedComponent } from "../../../runs/describe.ts";
import { startRun } from "./run-tools.ts";
import { type McpTool, type ToolContext, tool } from "./tool.ts";

const sessionId = identifier.nullable().default(null).describe("Session of the conversation. Default: a new session.");

const messageInput = z.strictObject({ message: z.string(), session_id: sessionId });
const structuredInput = z.strictObject({ input: z.unknown(), session_id: sessionId });

/** The tools of the components that the caller may run. */
export function componentTools({
  services: { runs },
  caller,
}: Pick<ToolContext, "services" | "caller">): readonly McpTool[] {
  return Object.values(kinds).flatMap(({ name }) => runs.components(caller, "start", name).map(toTool));
}

/** Maximum length of a tool's name: some clients accept no more. */
const maxNameLength = 64;

/** The name of a component's tool. Characters that tool names must not have are replaced; a hash then keeps names distinct. */
export function toolNameOf({ kind, id }: Pick<ListedComponent, "kind" | "id">): string {
  const name = `${kind}_${id}`;
  if (/^[\w-]+$/.test(name) && name.length <= maxNameLength) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.replaceAll(/[^\w-]/g, "_").slice(0, maxNameLength - 9)}_${hash}`;
}

function toTool(component: ListedComponent): McpTool {
  const { kind, id: componentId, name: title, inputSchema } = component;
  const description = component.description || `Runs the ${kind} ${title}.`;
  const common = {
    name: toolNameOf(component),
    ...{ title, description },
    annotations: { openWorldHint: true, readOnlyHint: false },
    isLong: true,
    isPermitted: () => true,
  };
  if (!inputSchema) {
    return tool({
      ...common,
      input: messageInput,
      call: async (context, { message, session_id }) => {
        return { begun: await startRun(context, { kind, componentId, message, sessionId: session_id }) };
      },
    });
  }
  // The workflow itself validates its input, so that all interfaces have the same errors.
  const made = tool({
    ...common,
    input: structuredInput,
    call: async (context, { input, session_id }) => {
      const message = typeof input === "string" ? input : JSON.stringify(input ?? null);
      return { begun: await startRun(context, { kind, componentId, message, sessionId: session_id }) };
    },
  });
  const shown = made.definition.inputSchema;
  const properties = { ...(shown.properties as object), input: inputSchema };
  const required = ["input"];
  return {
    ...made,
    definition: { ...made.definition, inputSchema: { ...shown, properties, required } as Tool["inputSchema"] },
  };
}
