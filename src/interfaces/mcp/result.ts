/** Converts a run to the result of a tool call. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Media } from "../../model/run/message.ts";
import { pausedContent } from "../../model/run/pause.ts";
import type { RunOutput } from "../../model/run/record.ts";
import { outputOf } from "../../model/run/stored-run.ts";
import type { RunRow } from "../../runs/find.ts";

type Block = CallToolResult["content"][number];

/**
 * The result of a call that started or continued a run: the answer, and the names by which the run is found again. A paused run is no error: its result holds
 * the requirements, in the form that `continue_run` accepts.
 */
export function toToolResult(run: RunRow): CallToolResult {
  const output = outputOf(run);
  const { content } = output;
  const isObject = typeof content === "object" && content !== null;
  return {
    content: [{ type: "text", text: textOf(run, output) }, ...(output.media ?? []).map(toBlock)],
    structuredContent: {
      run_id: run.runId,
      session_id: run.sessionId,
      status: run.status,
      ...(isObject && run.status === "COMPLETED" && { output: content }),
      ...(run.status === "PAUSED" && { requirements: requirementsOf(output) }),
    },
    isError: run.status === "ERROR" || run.status === "CANCELLED",
  };
}

function textOf(run: RunRow, output: Partial<RunOutput>): string {
  const { content, error, pause } = output;
  if (run.status === "ERROR") return error?.message ?? "The run failed.";
  if (run.status === "CANCELLED") return "The run was cancelled.";
  if (run.status === "PAUSED") {
    const reason =
      pausedContent(run.kind, run.status, output) ?? `The step ${pause?.stepName ?? ""} waits for an answer.`;
    return `${reason}\nTo continue, call continue_run with the run_id and the answered requirements.`;
  }
  return typeof content === "string" ? content : JSON.stringify(content ?? null);
}

/** The open requirements of a paused run. */
export function requirementsOf({ pause }: Partial<RunOutput>): readonly object[] {
  return pause?.stepRequirements ?? pause?.requirements ?? [];
}

function toBlock({ kind, mediaType, data, url, filename }: Media): Block {
  const name = filename ?? kind;
  if (data === undefined) return { type: "resource_link", uri: url ?? "", name, mimeType: mediaType };
  if (kind === "image" || kind === "audio") return { type: kind, data, mimeType: mediaType };
  return {
    type: "resource",
    resource: { uri: `attachment:///${encodeURIComponent(name)}`, mimeType: mediaType, blob: data },
  };
}

/** The result of a call that failed before there was a run, or that needs none. */
export function failedResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** The result of a call that reads data. */
export function dataResult(data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data, isError: false };
}
