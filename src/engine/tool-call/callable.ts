/** The tools that a model can call, and the results of its calls. */
import type { z } from "zod";
import type { ToolContext } from "../../define/context.ts";
import type { Tool } from "../../define/tool.ts";
import type { OAuthNeed } from "../../model/connections.ts";
import type { Media, ToolOrigin } from "../../model/run/message.ts";
import type { RunOutput } from "../../model/run/record.ts";

/** The result of a call. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** Pictures, sounds and files. */
  readonly media?: readonly Media[] | undefined;
  /** The member's run that executed the call. */
  readonly childRunId?: string | undefined;
  /** The output of that run. */
  readonly output?: RunOutput | undefined;
}

/** A callable for the model: a tool of a definition, or delegation to a member. */
export interface Callable {
  readonly name: string;
  readonly description: string;
  /** Set for a tool of an MCP server. */
  readonly origin?: ToolOrigin | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly input: z.ZodType;
  /** Maximum milliseconds of a call; undefined if the tool sets no limit. */
  readonly timeout: number | undefined;
  /** Whether the run ends with the call's result as its answer. */
  readonly stopAfterCall: boolean;
  /** How to handle a call that an earlier attempt of the run had started. `again` is for callables that resume their own run. */
  readonly ifInterrupted: "again" | "tell-model" | "fail" | "ask";
  /** The requirements that must be met before a call is executed. */
  readonly demands?: Pick<Tool, "confirm" | "userInput" | "external" | "wholeSchema" | "approval"> | undefined;
  /** The account that its calls need. */
  readonly oauth?: OAuthNeed | undefined;
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

/** Returns an error result for the model. */
export function errorAnswer(text: string): ToolResult {
  return { text, isError: true };
}

/** Returns the text, cut with a note if it is longer than the limit. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}\n[cut: these are the first ${limit} of ${text.length} characters]`;
}
