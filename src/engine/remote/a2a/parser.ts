/** Parses another server's A2A messages, in either version, as far as a run here needs them. Their format is not trusted. */
import { fileName, specifiedMediaType } from "../../../model/run/message.ts";
import type { UpstreamAnswer, UpstreamQuestion, UpstreamRun, UpstreamStart } from "../upstream.ts";
import { UpstreamRefusal } from "../upstream-errors.ts";
import { type Fields, fieldsOf } from "./fields.ts";
import { type FilePiece, filesIn } from "./files.ts";

/** Where calls go. */
export interface Endpoint {
  readonly url: string;
  readonly version: "0.3" | "1.0";
  readonly streams: boolean;
}

/** A piece of a task's output. */
export interface TaskPiece {
  readonly id: string;
  readonly text: string;
  readonly files: readonly FilePiece[];
  /** Whether it is appended to the pieces before it. */
  readonly isMore: boolean;
}

/** A task, or an update of it. */
export interface RemoteTask {
  readonly id: string;
  readonly contextId: string;
  readonly pieces: readonly TaskPiece[];
  /** How the task ended, or `paused` while it waits for input; undefined while it continues. */
  readonly ending: "completed" | "failed" | "rejected" | "canceled" | "paused" | undefined;
  /** The text of the task's status, or of a message that is the whole answer. */
  readonly text: string;
  /** The files of a message that is the whole answer. */
  readonly files: readonly FilePiece[];
  /** The task's question while it waits for input. */
  readonly question: UpstreamQuestion | undefined;
  /** Whether it is the task's whole record at one moment, not an update. */
  readonly isRecord: boolean;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the card's JSON-RPC endpoint, preferably of 1.0. The endpoint must have the same origin as the card, because it receives the caller's credential. */
export function endpointIn(card: Fields, cardUrl: string): Endpoint {
  const { supportedInterfaces, additionalInterfaces, url, preferredTransport = "JSONRPC", capabilities } = card;
  const newer = listOf(supportedInterfaces).filter(({ protocolBinding }) => protocolBinding === "JSONRPC");
  const older = [{ url, transport: preferredTransport }, ...listOf(additionalInterfaces)];
  const streams = fieldsOf(capabilities).streaming !== false;
  const candidates = [
    ...newer
      .filter(({ protocolVersion }) => /^1\./.test(textOf(protocolVersion)))
      .map((one) => [one.url, "1.0"] as const),
    ...newer
      .filter(({ protocolVersion }) => /^0\.3/.test(textOf(protocolVersion)))
      .map((one) => [one.url, "0.3"] as const),
    ...older.filter(({ transport }) => transport === "JSONRPC").map((one) => [one.url, "0.3"] as const),
  ];
  const { origin } = new URL(cardUrl);
  const found = candidates.find(([address]) => URL.parse(textOf(address))?.origin === origin);
  if (found) return { url: textOf(found[0]), version: found[1], streams };
  const why =
    candidates.length === 0 ? "names no JSON-RPC endpoint" : "names endpoints of other addresses than its own";
  throw new UpstreamRefusal(502, `The agent's card ${why}.`);
}

/** The parameters of a message that begins a task. */
export function toMessageParams(
  { message, media, sessionId, options, key }: UpstreamStart,
  version: Endpoint["version"],
): object {
  const named = { messageId: key, contextId: sessionId };
  const { metadata } = options;
  if (version === "1.0") {
    const files = media.map((one) => {
      const { data, url } = one;
      return {
        ...(data === undefined ? { url } : { raw: data }),
        mediaType: specifiedMediaType(one),
        filename: fileName(one),
      };
    });
    return { message: { ...named, role: "ROLE_USER", parts: [{ text: message }, ...files] }, metadata };
  }
  const files = media.map((one) => {
    const { data, url } = one;
    const where = data === undefined ? { uri: url } : { bytes: data };
    return { kind: "file", file: { ...where, mimeType: specifiedMediaType(one), name: fileName(one) } };
  });
  const parts = [{ kind: "text", text: message }, ...files];
  return { message: { kind: "message", ...named, role: "user", parts }, metadata };
}

/** The parameters of a message that answers a task's question: a text as text, any other value as data. */
export function toAnswerParams(
  { value, key }: UpstreamAnswer,
  { runId, sessionId }: UpstreamRun,
  version: Endpoint["version"],
): object {
  const named = { messageId: key, taskId: runId, ...(sessionId === "" ? {} : { contextId: sessionId }) };
  const content = typeof value === "string" ? { text: value } : { data: value };
  if (version === "1.0") return { message: { ...named, role: "ROLE_USER", parts: [content] } };
  const kind = typeof value === "string" ? "text" : "data";
  return { message: { kind: "message", ...named, role: "user", parts: [{ kind, ...content }] } };
}

const endings: Readonly<Record<string, RemoteTask["ending"]>> = {
  completed: "completed",
  failed: "failed",
  rejected: "rejected",
  canceled: "canceled",
  cancelled: "canceled",
  "input-required": "paused",
  "auth-required": "paused",
};

/** Returns the task data of an answer or of a stream's item; undefined if it contains none. */
export function taskIn(item: unknown): RemoteTask | undefined {
  const fields = fieldsOf(item);
  const wrapped = fields.task ?? fields.statusUpdate ?? fields.artifactUpdate ?? fields.message ?? fields.msg;
  const content = fieldsOf(wrapped ?? item);
  const { taskId, id, contextId, status, artifacts, artifact, append, messageId, parts } = content;
  const own = textOf(taskId) || textOf(id) || textOf(messageId);
  if (own === "") return undefined;
  const isMessage = status === undefined && artifact === undefined && parts !== undefined;
  const { state, message } = fieldsOf(status);
  const name = textOf(state)
    .replace(/^TASK_STATE_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
  const pieces =
    artifact === undefined
      ? listOf(artifacts).map((one) => pieceOf(one, false))
      : [pieceOf(fieldsOf(artifact), append === true)];
  return {
    id: own,
    contextId: textOf(contextId),
    pieces,
    ending: isMessage ? "completed" : endings[name],
    question: endings[name] === "paused" ? questionIn(fieldsOf(message)) : undefined,
    files: isMessage ? filesIn(listOf(parts)) : [],
    text: textIn(isMessage ? parts : fieldsOf(message).parts),
    isRecord: !isMessage && textOf(id) !== "" && textOf(taskId) === "",
  };
}

function questionIn({ messageId, parts }: Fields): UpstreamQuestion {
  const all = listOf(parts);
  return {
    id: textOf(messageId) || null,
    text: textIn(all.filter(({ text }) => typeof text === "string")),
    data: all.flatMap(({ data }) => (data === undefined ? [] : [data])),
  };
}

function pieceOf({ artifactId, parts }: Fields, isMore: boolean): TaskPiece {
  return { id: textOf(artifactId), text: textIn(parts), files: filesIn(listOf(parts)), isMore };
}

/** Joins texts and data (as JSON): a run's answer is a text, and files are separate. */
function textIn(parts: unknown): string {
  return listOf(parts)
    .map(({ text, data }) => (typeof text === "string" ? text : data === undefined ? "" : JSON.stringify(data)))
    .join("");
}
