/** Requests to the MCP server without a client library: exact bytes in both directions. */
import type { OpenServer } from "../../support/open-server.ts";
import { type Any, addressOf } from "./client.ts";

/** An answer that is no stream, or a stream of one message. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Any;
}

/** An event of a stream. `data` is undefined for the empty event at the beginning. */
export interface Event {
  readonly id: string;
  readonly data: Any;
  readonly text: string;
}

const version = "2025-11-25";

/** A client of one server. */
export class RawMcp {
  readonly #server: OpenServer;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(server: OpenServer, headers: Readonly<Record<string, string>> = {}) {
    this.#server = server;
    this.#headers = headers;
  }

  with(headers: Readonly<Record<string, string>>): RawMcp {
    return new RawMcp(this.#server, { ...this.#headers, ...headers });
  }

  async send(
    method: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return await fetch(addressOf(this.#server), {
      method,
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": version,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...this.#headers,
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  /** Sends a message and reads the whole answer: the last message of a stream. */
  async ask(body: unknown): Promise<Answer> {
    const response = await this.send("POST", body);
    const text = await response.text();
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
    const json = isStream ? eventsIn(text).at(-1)?.data : text && JSON.parse(text);
    return { status: response.status, headers: response.headers, json };
  }

  call(method: string, params: object = {}, id: unknown = 1): Promise<Answer> {
    return this.ask({ jsonrpc: "2.0", id, method, params });
  }

  /** Calls a tool; returns its result, or its JSON-RPC error. */
  async tool(name: string, input: object): Promise<Any> {
    const { json } = await this.call("tools/call", { name, arguments: input });
    return json.result ?? json.error;
  }

  /** Begins a tool call and reads at most `max` events of its stream, then closes the connection. */
  stream(name: string, input: object, max?: number, id: unknown = 7): Promise<readonly Event[]> {
    const params = { name, arguments: input, _meta: { progressToken: "token" } };
    return this.#events("POST", { jsonrpc: "2.0", id, method: "tools/call", params }, {}, max);
  }

  /** Resumes a stream after the event with this id. */
  resume(lastEventId: string, max?: number): Promise<readonly Event[]> {
    return this.#events("GET", undefined, { "last-event-id": lastEventId }, max);
  }

  async #events(
    method: string,
    body: unknown,
    headers: Record<string, string>,
    max = Number.POSITIVE_INFINITY,
  ): Promise<readonly Event[]> {
    const cut = new AbortController();
    const response = await this.send(method, body, headers, cut.signal);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      throw new Error(`no stream: ${response.status} ${await response.text()}`);
    }
    const decoder = new TextDecoder();
    let text = "";
    for await (const part of response.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(part, { stream: true });
      if (eventsIn(text).length >= max) break;
    }
    cut.abort();
    return eventsIn(text).slice(0, max);
  }
}

/** The complete events in a text. Comments are left out. */
function eventsIn(text: string): readonly Event[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((frame) => {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined) return [];
      const id = /^id: (.*)$/m.exec(frame)?.[1] ?? "";
      return [{ id, data: data === "" ? undefined : JSON.parse(data), text: frame }];
    });
}
