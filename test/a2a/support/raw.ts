/** The standard endpoints without a client in between: what is sent and what comes back, to the byte. */
import { randomUUID } from "node:crypto";

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as they are
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

  /** The same with more headers. */
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

  /** A call of JSON-RPC. */
  call(method: string, params: unknown, path = "/a2a/agents/clerk", id: unknown = "r1"): Promise<Answer> {
    return this.ask("POST", path, { jsonrpc: "2.0", id, method, params });
  }

  /** The frames of a stream, `most` of them at most; the connection is cut then. */
  async frames(method: string, path: string, body?: unknown, most = Number.POSITIVE_INFINITY): Promise<RawFrame[]> {
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
        if (frame) frames.push(frame);
        if (frames.length >= most) {
          cut.abort();
          return frames;
        }
      }
    }
    return frames;
  }

  /** The frames of a stream of JSON-RPC. */
  callFrames(method: string, params: unknown, path = "/a2a/agents/clerk", most?: number): Promise<RawFrame[]> {
    return this.frames("POST", path, { jsonrpc: "2.0", id: "s1", method, params }, most);
  }
}

async function answered(asking: Promise<Response>): Promise<Answer> {
  const response = await asking;
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  // An error of a method that streams is the one frame of a stream.
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

/** A message as 0.3 has it. */
export function said03(text: string, more: object = {}, configuration?: object): object {
  const message = { kind: "message", messageId: randomUUID(), role: "user", parts: [{ kind: "text", text }], ...more };
  return { message, ...(configuration && { configuration }) };
}

/** A message as 1.0 has it. */
export function said10(text: string, more: object = {}, configuration?: object): object {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more };
  return { message, ...(configuration && { configuration }) };
}
