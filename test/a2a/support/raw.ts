/** Requests to the standard endpoints without a client library: exact bytes in both directions. */
import { randomUUID } from "node:crypto";

// biome-ignore lint/suspicious/noExplicitAny: tests read the answers without types
type Any = any;

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Any;
}

/** A frame of a stream. */
export interface RawFrame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Any;
  readonly text: string;
}

/** A client of one server. */
export class Raw {
  readonly #origin: () => string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(origin: () => string, headers: Readonly<Record<string, string>> = {}) {
    this.#origin = origin;
    this.#headers = headers;
  }

  /** Returns the same client with more headers. */
  with(headers: Readonly<Record<string, string>>): Raw {
    return new Raw(this.#origin, { ...this.#headers, ...headers });
  }

  async send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const type: Record<string, string> = text === undefined ? {} : { "content-type": "application/json" };
    const init = { method, headers: { ...type, ...this.#headers }, ...(signal && { signal }) };
    return await fetch(`${this.#origin()}${path}`, text === undefined ? init : { ...init, body: text });
  }

  async ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const { status, headers, ...response } = await answered(this.send(method, path, body));
    return { status, headers, ...response };
  }

  /** Calls a JSON-RPC method. */
  call(method: string, params: unknown, path = "/a2a/agents/clerk", id: unknown = "r1"): Promise<Answer> {
    return this.ask("POST", path, { jsonrpc: "2.0", id, method, params });
  }

  /** Reads at most `max` frames of a stream, then closes the connection. `onFrame` is called after each frame. */
  async frames(
    method: string,
    path: string,
    body?: unknown,
    max = Number.POSITIVE_INFINITY,
    onFrame?: () => void,
  ): Promise<RawFrame[]> {
    const cut = new AbortController();
    const response = await this.send(method, path, body, cut.signal);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      throw new Error(`no stream: ${response.status} ${await response.text()}`);
    }
    const frames: RawFrame[] = [];
    let text = "";
    const decoder = new TextDecoder();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const frame = toFrame(text.slice(0, end));
        text = text.slice(end + 2);
        if (frame) {
          frames.push(frame);
          onFrame?.();
        }
        if (frames.length >= max) {
          cut.abort();
          return frames;
        }
      }
    }
    return frames;
  }

  /** Reads the frames of a streaming JSON-RPC call. */
  callFrames(
    method: string,
    params: unknown,
    path = "/a2a/agents/clerk",
    max?: number,
    onFrame?: () => void,
  ): Promise<RawFrame[]> {
    return this.frames("POST", path, { jsonrpc: "2.0", id: "s1", method, params }, max, onFrame);
  }
}

async function answered(asking: Promise<Response>): Promise<Answer> {
  const response = await asking;
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  // An error of a streaming method is the only frame of its stream.
  const [, frame] = isJson ? [] : (/^data: (.*)\n\n$/.exec(text) ?? []);
  const json = isJson ? text : frame;
  return { status: response.status, headers: response.headers, text, json: json && JSON.parse(json) };
}

function toFrame(text: string): RawFrame | undefined {
  const fields = new Map(
    text.split("\n").flatMap((line): [string, string][] => {
      const colon = line.indexOf(": ");
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 2)]] : [];
    }),
  );
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { id: fields.get("id"), event: fields.get("event"), data: JSON.parse(data), text };
}

/** Returns a message in the form of 0.3. */
export function said03(text: string, more: object = {}, configuration?: object): object {
  const message = { kind: "message", messageId: randomUUID(), role: "user", parts: [{ kind: "text", text }], ...more };
  return { message, ...(configuration && { configuration }) };
}

/** Returns a message in the form of 1.0. */
export function said10(text: string, more: object = {}, configuration?: object): object {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more };
  return { message, ...(configuration && { configuration }) };
}
