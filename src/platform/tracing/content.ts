/** The texts of a run for its spans: messages, and the arguments and results of tools, in the form of the GenAI semantic conventions. */
import type { AssistantMessage, Media, Message } from "../../model/run/message.ts";
import type { Span } from "../../model/trace/span.ts";
import type { Store } from "../../store/contract/store.ts";
import type { StoredTrace } from "../../store/contract/traces.ts";

/** Attributes with texts, by span id. */
export type Content = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Maximum number of characters of all texts of a trace. Each turn repeats the messages before it. */
const maxCharacters = 4 * 1024 * 1024;

/** Reads the texts of a trace. Texts beyond the bound are left out. Media are references; their bytes are never exported. */
export async function contentOf(
  store: Pick<Store, "memberRuns" | "messages">,
  { key, run }: StoredTrace,
  spans: readonly Span[],
): Promise<Content> {
  const members = await store.memberRuns([key]);
  const ids = new Map([[key, run.runId], ...members.map((row) => [row.key, row.runId] as const)]);
  const messages = new Map<string, Message[]>();
  for (const { runKey, body } of await store.messages([...ids.keys()], true)) {
    const runId = ids.get(runKey) ?? "";
    const list = messages.get(runId) ?? [];
    list.push(JSON.parse(body) as Message);
    messages.set(runId, list);
  }
  const content = new Map<string, Record<string, string>>();
  let left = maxCharacters;
  const add = (span: Span, name: string, value: unknown): void => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (text === undefined || text.length > left) return;
    left -= text.length;
    content.set(span.spanId, { ...content.get(span.spanId), [name]: text });
  };
  for (const span of spans) {
    const own = span.kind === "run" ? messages.get(String(span.attributes["troupe.run.id"])) : undefined;
    if (own) addRun(span, spans, own, add);
  }
  return content;
}

type Add = (span: Span, name: string, value: unknown) => void;

function addRun(run: Span, spans: readonly Span[], messages: readonly Message[], add: Add): void {
  const below = spans.filter(({ parentSpanId }) => parentSpanId === run.spanId);
  const question = messages.findLast((message) => message.role === "user" && !message.isCorrection);
  if (question) add(run, "gen_ai.input.messages", [toInput(question)]);
  const answer = messages.at(-1);
  if (run.status === "OK" && answer?.role === "assistant") add(run, "gen_ai.output.messages", [toOutput(answer)]);
  // A turn that failed has no message. A run that continues from another one begins with copies of its messages.
  const turns = below.filter(({ kind, status }) => kind === "model" && status === "OK");
  const answers = messages.flatMap((message, place) =>
    message.role === "assistant" && message.metrics ? [{ message, place }] : [],
  );
  for (const [number, { message, place }] of answers.slice(-turns.length || answers.length).entries()) {
    const turn = turns[number];
    if (!turn) continue;
    add(turn, "gen_ai.output.messages", [toOutput(message)]);
    add(turn, "gen_ai.input.messages", messages.slice(0, place).map(toInput));
  }
  for (const tool of below.filter(({ kind }) => kind === "tool")) addTool(tool, messages, add);
}

function addTool(tool: Span, messages: readonly Message[], add: Add): void {
  const id = tool.attributes["gen_ai.tool.call.id"];
  const call = messages
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .findLast((one) => one.id === id);
  const result = messages.findLast((message) => message.role === "tool" && message.toolCallId === id);
  if (call) add(tool, "gen_ai.tool.call.arguments", call.input);
  if (result && tool.attributes["error.type"] !== "takeover") add(tool, "gen_ai.tool.call.result", result.content);
}

function toOutput(message: AssistantMessage): object {
  return { ...toInput(message), finish_reason: message.toolCalls?.length ? "tool_call" : "stop" };
}

function toInput(message: Message): object {
  if (message.role === "tool") {
    const { toolCallId: id, content: response } = message;
    return { role: "tool", parts: [{ type: "tool_call_response", id, response }] };
  }
  const { role, content } = message;
  const text = content === "" ? [] : [{ type: "text", content }];
  if (role === "user") return { role, parts: [...text, ...(message.media ?? []).flatMap(toPart)] };
  const { reasoning, toolCalls = [] } = message;
  const thought = reasoning ? [{ type: "reasoning", content: reasoning }] : [];
  const calls = toolCalls.map(({ id, name, input }) => ({ type: "tool_call", id, name, arguments: input }));
  return { role, parts: [...thought, ...text, ...calls] };
}

function toPart({ kind, mediaType, url }: Media): readonly object[] {
  return url === undefined ? [] : [{ type: "uri", modality: kind, mime_type: mediaType, uri: url }];
}
