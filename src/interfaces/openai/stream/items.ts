/** The output items of a response as JSON texts. Texts of answers stay JSON literals, as the log has them. */
import { toJsonLine } from "../../../model/frame.ts";
import { type Part, questionName } from "../names.ts";
import type { Question } from "../questions.ts";

export type ItemStatus = "in_progress" | "completed" | "incomplete" | "failed";

interface Placed {
  readonly id: string;
  /** Its place among the announced items. */
  readonly place: number;
  /** Index of the event that began it. */
  readonly begun: number;
  status: ItemStatus;
}

/** A part of the answer, or of the reasoning. */
export interface TextItem extends Placed {
  readonly kind: "message" | "reasoning";
  /** JSON literal without its quotes. */
  text: string;
  /** The sources of an answer, as JSON texts. */
  readonly annotations: string[];
}

/** A tool call that the server makes. The protocol has a type for such calls of MCP servers, and clients do not try to make them. */
export interface CallItem extends Placed {
  readonly kind: "call";
  readonly callId: string;
  readonly name: string;
  /** The component, as the server that has the tool. */
  readonly label: string;
  readonly arguments: string;
  output: string | null;
  error: string | null;
}

/** A question: a call that the client makes, or that it approves. */
export interface QuestionItem extends Placed, Pick<Question, "name" | "arguments"> {
  readonly kind: "function" | "approval";
  readonly callId: string;
  readonly label: string;
}

export type Item = TextItem | CallItem | QuestionItem;

/** The content of a text item. */
export function partJson({ kind, text, annotations }: TextItem): string {
  if (kind === "reasoning") return `{"type":"reasoning_text","text":"${text}"}`;
  return `{"type":"output_text","annotations":[${annotations.join(",")}],"logprobs":[],"text":"${text}"}`;
}

/** The item as JSON. An item that begins has no content yet. */
export function itemJson(item: Item, isNew = false): string {
  switch (item.kind) {
    case "message": {
      const content = isNew ? "" : partJson(item);
      return `{"id":${toJsonLine(item.id)},"type":"message","status":"${item.status}","role":"assistant","content":[${content}]}`;
    }
    case "reasoning": {
      const content = isNew ? "" : partJson(item);
      return `{"id":${toJsonLine(item.id)},"type":"reasoning","status":"${item.status}","summary":[],"content":[${content}]}`;
    }
    case "call":
      return toJsonLine({
        id: item.id,
        type: "mcp_call",
        status: item.status,
        approval_request_id: null,
        server_label: item.label,
        name: item.name,
        arguments: isNew ? "" : item.arguments,
        output: item.output,
        error: item.error,
      });
    case "function": {
      const { id, status, callId, name } = item;
      const args = isNew ? "" : item.arguments;
      return toJsonLine({ id, type: "function_call", status, call_id: callId, name, arguments: args });
    }
    case "approval": {
      const { id, name, label, arguments: args } = item;
      return toJsonLine({ id, type: "mcp_approval_request", server_label: label, name, arguments: args });
    }
  }
}

/** The item of a question. */
export function questionItem(
  { id: questionId, name, arguments: args, isApproval }: Question,
  { runId }: Part,
  placed: { readonly place: number; readonly begun: number; readonly label: string },
): QuestionItem {
  const callId = questionName("call", { runId, questionId });
  const id = questionName(isApproval ? "mcpr" : "fc", { runId, questionId });
  const kind = isApproval ? "approval" : "function";
  return { kind, id, callId, name, arguments: args, status: "completed", ...placed };
}
