/** The contract of tools: definition, permission and call. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { parseBounded } from "../../../http/input/bounded-lists.ts";
import type { RouteServices } from "../../../http/transport/services.ts";
import type { Principal } from "../../../model/principal.ts";
import type { McpCall } from "../../../model/run/record.ts";
import type { TraceContext } from "../../../model/trace/propagation.ts";
import type { RunName, RunRef } from "../../../runs/find.ts";
import type { ServedPlatform } from "../served-platform.ts";

/** The request that lists or calls tools. */
export interface ToolContext {
  readonly services: Pick<RouteServices, "runs">;
  readonly platform: ServedPlatform;
  readonly caller: Principal;
  /** The caller's token, for remote components. */
  readonly token: string | undefined;
  readonly trace: TraceContext | undefined;
  readonly idempotencyKey: string | undefined;
  /** Whether the client follows the run's events. */
  readonly hasProgress: boolean;
  /** Whether the caller polls the run instead of waiting for it. */
  readonly isTask: boolean;
  /** The session and the request of the client, by which it can cancel the run. */
  readonly calledBy: McpCall | undefined;
}

/** A run that the call waits for. */
export interface BegunRun {
  readonly name: RunName;
  readonly run: RunRef & { readonly sessionId: string };
  /** Index of the last event before the ones that the call causes. */
  readonly cursor: number;
  readonly isRepeated: boolean;
}

/** The outcome of a call: a result, or a run that determines the result. */
export type Outcome = { readonly result: CallToolResult } | { readonly begun: BegunRun };

/** A tool. */
export interface McpTool {
  readonly definition: Tool;
  /** Whether a call is an expensive read, which waits for its caller's turn. */
  readonly isHeavy: boolean;
  /** Whether the caller may call it at all. Each call is authorized again, for its component. */
  isPermitted(context: ToolContext): boolean;
  /** @throws TroupeError, whose message is the result of the call */
  call(context: ToolContext, input: unknown): Promise<Outcome>;
}

/** The parts of a tool. */
export interface ToolParts<Input extends z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: NonNullable<Tool["annotations"]>;
  readonly input: Input;
  readonly outputSchema?: Tool["outputSchema"];
  /** Whether a call starts or continues a run, so that clients may call it as a task. */
  readonly isLong?: boolean;
  readonly isHeavy?: boolean;
  isPermitted(context: ToolContext): boolean;
  call(context: ToolContext, input: z.output<Input>): Promise<Outcome>;
}

/** Creates a tool whose input is validated with its schema. */
export function tool<Input extends z.ZodType>(parts: ToolParts<Input>): McpTool {
  const {
    name,
    title,
    description,
    annotations,
    input,
    outputSchema,
    isLong = false,
    isHeavy = false,
    isPermitted,
    call,
  } = parts;
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  const definition: Tool = {
    ...{ name, title, description, inputSchema: inputSchema as Tool["inputSchema"], annotations },
    ...(outputSchema && { outputSchema }),
    ...(isLong && { execution: { taskSupport: "optional" } }),
  };
  return {
    definition,
    isHeavy,
    isPermitted,
    async call(context, given) {
      const { data, error } = parseBounded(input, given);
      if (error) throw error;
      return await call(context, data as z.output<Input>);
    },
  };
}
