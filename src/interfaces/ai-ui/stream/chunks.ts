/** Chunks of UI message streams: `UIMessageChunk` of the package `ai` 7, as far as this interface sends them. */

/** Data about the call that is not part of it. */
export type ToolMetadata = Readonly<Record<string, string>>;

/** Where in a document a source is: the members of a citation. */
export type SourceMetadata = Readonly<Record<string, object>>;

interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The server executes the call: clients do not. */
  readonly providerExecuted?: true;
  /** The name is not the name of a tool. */
  readonly dynamic?: true;
  readonly title?: string;
  readonly toolMetadata?: ToolMetadata;
}

export type Chunk =
  | { readonly type: "start"; readonly messageId: string; readonly messageMetadata?: unknown }
  | { readonly type: "finish"; readonly finishReason: FinishReason; readonly messageMetadata?: unknown }
  | { readonly type: "message-metadata"; readonly messageMetadata: unknown }
  | { readonly type: "start-step" | "finish-step" | "reset-step" }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort"; readonly reason?: string }
  | { readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end"; readonly id: string }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly id: string; readonly delta: string }
  | (Call & { readonly type: "tool-input-available"; readonly input: unknown })
  | { readonly type: "tool-output-available"; readonly toolCallId: string; readonly output: unknown }
  | { readonly type: "tool-output-error"; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: "tool-output-denied"; readonly toolCallId: string }
  | {
      readonly type: "tool-approval-request";
      readonly approvalId: string;
      readonly toolCallId: string;
      readonly approvalDescriptor?: unknown;
      readonly reason?: string;
    }
  | { readonly type: "tool-approval-response"; readonly approvalId: string; readonly approved: boolean }
  | {
      readonly type: "steering-message";
      readonly id: string;
      readonly parts: readonly { readonly type: "text"; readonly text: string }[];
    }
  | {
      readonly type: "source-url";
      readonly sourceId: string;
      readonly url: string;
      readonly title?: string;
      readonly providerMetadata?: SourceMetadata;
    }
  | {
      readonly type: "source-document";
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
      readonly providerMetadata?: SourceMetadata;
    }
  | { readonly type: "file"; readonly url: string; readonly mediaType: string }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: unknown; readonly transient?: true };

export type FinishReason = "stop" | "tool-calls" | "error" | "interrupted";
