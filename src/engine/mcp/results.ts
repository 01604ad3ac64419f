/** Results of MCP tools as results for the model: text, and media. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { type Media, mediaKind } from "../../model/run/message.ts";
import type { Settings } from "../../model/settings.ts";
import { cut, type ToolResult } from "../tool-call/callable.ts";

/** Limits of a result. */
type Limits = Pick<Settings, "maxToolResultCharacters" | "maxOutputBytes" | "maxFiles">;

/** Converts the result of a call. Media take at most a quarter of the run's output: a note replaces each medium beyond it. */
export function toToolResult(result: CallToolResult, limits: Limits): ToolResult {
  const texts: string[] = [];
  const media: Media[] = [];
  let left = limits.maxOutputBytes / 4;
  const take = (mediaType: string, data: string): void => {
    const type = mediaType.toLowerCase();
    if (data.length > left || media.length >= limits.maxFiles) {
      texts.push(`[omitted: ${type}, ${Math.floor((data.length * 3) / 4)} bytes]`);
      return;
    }
    left -= data.length;
    media.push({ kind: mediaKind(type), mediaType: type, data });
  };
  for (const block of result.content ?? []) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "image" || block.type === "audio") take(block.mimeType, block.data);
    else if (block.type === "resource_link") texts.push(linkText(block));
    else if ("text" in block.resource) texts.push(block.resource.text);
    else take(block.resource.mimeType ?? "application/octet-stream", block.resource.blob);
  }
  const { structuredContent } = result;
  // A server that sends structured content should send it as text, too.
  if (structuredContent !== undefined && texts.length === 0) texts.push(JSON.stringify(structuredContent));
  const text = texts.join("\n");
  return {
    text: cut(text === "" && media.length > 0 ? shownMedia(media) : text, limits.maxToolResultCharacters),
    isError: result.isError === true,
    ...(media.length > 0 && { media }),
  };
}

function linkText({ uri, name, description }: { uri: string; name: string; description?: string | undefined }): string {
  return `[${name}](${uri})${description ? `: ${description}` : ""}`;
}

function shownMedia(media: readonly Media[]): string {
  return media.map(({ mediaType }) => `[${mediaType}]`).join(" ");
}
