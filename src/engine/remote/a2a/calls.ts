/** Calls to another server by A2A, of either version, over JSON-RPC. */
import type { Remote } from "../../../define/remote.ts";
import { readText, sendUpstream, type UpstreamResponse } from "../request.ts";
import { readFrames } from "../sse.ts";
import type { UpstreamCall, UpstreamParts } from "../upstream.ts";
import { UpstreamRefusal } from "../upstream-errors.ts";
import type { Endpoint } from "./parser.ts";

const cardName = "/.well-known/agent-card.json";

/** An operation, independent of its name in a version. */
export type A2aOperation = "stream" | "send" | "get" | "cancel" | "subscribe";

const methods: Readonly<Record<Endpoint["version"], Readonly<Record<A2aOperation, string>>>> = {
  "0.3": {
    stream: "message/stream",
    send: "message/send",
    get: "tasks/get",
    cancel: "tasks/cancel",
    subscribe: "tasks/resubscribe",
  },
  "1.0": {
    stream: "SendStreamingMessage",
    send: "SendMessage",
    get: "GetTask",
    cancel: "CancelTask",
    subscribe: "SubscribeToTask",
  },
};

/** HTTP statuses for JSON-RPC errors: errors that the caller can correct stay client errors. */
const statuses: ReadonlyMap<unknown, number> = new Map([
  [-32601, 405],
  [-32602, 422],
  [-32001, 404],
  [-32004, 409],
  [-32005, 422],
]);

/** An item of a stream, with its frame's id, if any. */
export interface Item {
  readonly id: string | undefined;
  readonly result: unknown;
}

/** Makes calls to one server. */
export class A2aCalls {
  readonly #remote: Remote;
  readonly #parts: UpstreamParts;

  constructor(remote: Remote, parts: UpstreamParts) {
    this.#remote = remote;
    this.#parts = parts;
  }

  async card(call: UpstreamCall): Promise<Readonly<Record<string, unknown>>> {
    const path = this.#remote.target.url.endsWith(".json") ? "" : cardName;
    const request = { method: "GET", path, headers: { accept: "application/json", "a2a-version": "1.0" } } as const;
    const shown: unknown = JSON.parse(await readText(await sendUpstream(this.#remote, this.#parts, request, call)));
    if (typeof shown === "object" && shown !== null) return shown as Record<string, unknown>;
    throw new UpstreamRefusal(422, "its card is no object");
  }

  /**
   * @param lastId id of the last received frame, after which a stream is to resume
   * @param key idempotency key of a message, for servers that support it
   */
  async ask(
    { url, version }: Endpoint,
    operation: A2aOperation,
    params: object,
    call: UpstreamCall,
    { lastId, key }: { readonly lastId?: string | undefined; readonly key?: string } = {},
  ): Promise<UpstreamResponse> {
    const headers = {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "a2a-version": version,
      ...(lastId === undefined ? {} : { "last-event-id": lastId }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    };
    const json = JSON.stringify({ jsonrpc: "2.0", id: "1", method: methods[version][operation], params });
    return await sendUpstream(this.#remote, this.#parts, { method: "POST", path: "", url, json, headers }, call);
  }

  async result(endpoint: Endpoint, operation: A2aOperation, params: object, call: UpstreamCall): Promise<unknown> {
    return await wholeResult(await this.ask(endpoint, operation, params, call));
  }
}

/** Whether the response is a stream; otherwise it is an error or a whole answer. */
export function isStream({ response }: UpstreamResponse): boolean {
  return response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
}

/** @throws UpstreamRefusal for an error, and for a response that is not JSON-RPC */
export async function wholeResult(answer: UpstreamResponse): Promise<unknown> {
  return resultIn(await readText(answer));
}

/** The items of a stream. @throws UpstreamRefusal as `wholeResult` */
export async function* itemsIn({ response, touch, stop }: UpstreamResponse): AsyncGenerator<Item, void> {
  try {
    for await (const { id, data } of readFrames((response.body ?? []) as AsyncIterable<Uint8Array>, touch))
      yield { id, result: resultIn(data) };
  } finally {
    stop();
  }
}

function resultIn(text: string): unknown {
  let answer: { readonly result?: unknown; readonly error?: { readonly code?: unknown; readonly message?: unknown } };
  try {
    answer = Object(JSON.parse(text));
  } catch {
    throw new UpstreamRefusal(422, "it sent an answer that is no JSON");
  }
  const { error, result } = answer;
  if (!error) return result;
  const detail =
    typeof error.message === "string" ? error.message.slice(0, 1_000).toWellFormed() : "it refused the call";
  throw new UpstreamRefusal(statuses.get(error.code) ?? 502, detail);
}
