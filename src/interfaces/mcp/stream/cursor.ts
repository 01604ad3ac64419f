/**
 * Ids of the events of an MCP stream: `<event_index>.<k>~<call>`. `k` is the frame's number within the event. `call` names the run and the request that the
 * stream answers, so any replica can continue the stream from an id alone. It is not secret and not signed: the reader of a run is authorized like any other caller.
 */
import type { ComponentKind } from "../../../model/run/run.ts";

/** A request id or a progress token of a client. */
export type ClientId = string | number;

/** The call that a stream answers. */
export interface StreamedCall {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly runId: string;
  /** The JSON-RPC id of the call. */
  readonly requestId: ClientId;
  /** The client's progress token; undefined if it requested no progress. */
  readonly progressToken: ClientId | undefined;
  /** Whether the client uses revision 2026-07-28 or later, whose results have a type. */
  readonly isModern: boolean;
  /** Whether the call asks for the result of a task. */
  readonly isTask: boolean;
  /** Whether the client asks its user the questions of a paused run. */
  readonly elicits: boolean;
}

/** A position in a stream. */
export interface Position {
  readonly index: number;
  readonly frame: number;
}

/** The number of the frame that holds the result. It is the last frame of a stream. */
export const resultFrame = 1;

const kinds: readonly ComponentKind[] = ["agent", "team", "workflow"];

/** Maximum length of an event id. Ids of requests and tokens are limited, so a longer one is not an id of this server. */
const maxLength = 8_192;

/** Maximum length of a request id and of a progress token: every event id contains them. */
export const maxClientIdLength = 256;

/** Encodes a call, for `eventId`. */
export function encodeCall(call: StreamedCall): string {
  const { kind, componentId, runId, requestId, progressToken = null, isModern, isTask, elicits } = call;
  const parts = [
    kinds.indexOf(kind),
    componentId,
    runId,
    requestId,
    progressToken,
    (isModern ? 1 : 0) + (isTask ? 2 : 0) + (elicits ? 4 : 0),
  ];
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** The id of a frame. */
export function eventId(index: number, frame: number, encodedCall: string): string {
  return `${index}.${frame}~${encodedCall}`;
}

/** Parses an event id; undefined for a text that this server never sends. */
export function parseEventId(text: string): { readonly call: StreamedCall; readonly after: Position } | undefined {
  if (text.length > maxLength) return undefined;
  const [, index, frame, encoded] = /^(-1|\d{1,10})\.([01])~([\w-]+)$/.exec(text) ?? [];
  if (index === undefined || encoded === undefined) return undefined;
  const call = parseCall(encoded);
  return call && { call, after: { index: Number(index), frame: Number(frame) } };
}

function parseCall(encoded: string): StreamedCall | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 6) return undefined;
  const [place, componentId, runId, requestId, progressToken, flags] = parts as readonly unknown[];
  const kind = typeof place === "number" ? kinds[place] : undefined;
  if (kind === undefined || typeof componentId !== "string" || typeof runId !== "string") return undefined;
  if (typeof flags !== "number") return undefined;
  if (!isClientId(requestId) || !(progressToken === null || isClientId(progressToken))) return undefined;
  return {
    ...{ kind, componentId, runId, requestId },
    progressToken: progressToken ?? undefined,
    isModern: (flags & 1) !== 0,
    isTask: (flags & 2) !== 0,
    elicits: (flags & 4) !== 0,
  };
}

/** Whether a value can be a request id or a progress token. */
export function isClientId(value: unknown): value is ClientId {
  return typeof value === "string" ? value.length <= maxClientIdLength : Number.isSafeInteger(value);
}
