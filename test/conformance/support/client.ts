/** A plain HTTP client on real sockets: it retries nothing and follows no redirect. */
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { type Frame, FrameReader } from "./frames.ts";

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  json: any;
}

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export type Fields = Record<string, string | number | boolean>;

export class Client {
  readonly base: URL;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(base: string) {
    this.base = new URL(base);
  }

  /** Sends a request and reads the whole response. */
  async send(path: string, sent: Sent = {}): Promise<Answer> {
    const response = await this.open(path, sent);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const isJson = response.headers["content-type"]?.startsWith("application/json") && text !== "";
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(path, { headers });
  }

  /** Posts a form; without fields, no body. */
  post(path: string, fields?: Fields, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(path, { method: "POST", ...formOf(fields, headers) });
  }

  /** Posts a form and reads the response as an event stream. */
  async stream(path: string, fields?: Fields, headers: Record<string, string> = {}): Promise<EventStream> {
    return new EventStream(await this.open(path, { method: "POST", ...formOf(fields, headers) }));
  }

  /** Sends a request; resolves with the response's head. */
  open(path: string, { method = "GET", headers = {}, body }: Sent): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const { hostname, port } = this.base;
      const options = { hostname, port, path, method, agent: this.#agent, headers: { ...length, ...headers } };
      request(options, resolve).on("error", reject).end(body);
    });
  }

  /** Writes text to a new connection and returns the response, once the server closes or sends nothing for a while. */
  raw(text: string | Buffer, quiet = 500): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(this.base.port), this.base.hostname);
      const chunks: Buffer[] = [];
      socket.setTimeout(quiet, () => socket.destroy());
      socket.on("data", (chunk) => chunks.push(chunk)).on("error", (error) => chunks.length === 0 && reject(error));
      socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
      socket.write(text);
    });
  }
}

function formOf(fields: Fields | undefined, headers: Record<string, string>): Sent {
  if (!fields) return { headers };
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return { headers: { ...type, ...headers }, body: new URLSearchParams(texts).toString() };
}

/** An event stream, which a test reads as far as it needs. */
export class EventStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #response: IncomingMessage;
  readonly #reader = new FrameReader();
  readonly #chunks: AsyncIterator<Buffer>;
  readonly frames: Frame[] = [];
  text = "";

  constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#response = response;
    this.#chunks = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  get runId(): string {
    return String(this.headers["x-run-id"]);
  }

  /** Events of the log among the frames: those with an id. */
  get events(): Frame[] {
    return this.frames.filter(({ id }) => id !== undefined);
  }

  /** Reads to the end. */
  async all(): Promise<Frame[]> {
    while (await this.#more());
    return this.frames;
  }

  /** Reads until the condition holds, or to the end. */
  async until(done: (frames: Frame[]) => boolean): Promise<Frame[]> {
    while (!done(this.frames) && (await this.#more()));
    return this.frames;
  }

  /** Reads until that many events of the log have arrived. */
  async untilEvents(count: number): Promise<Frame[]> {
    await this.until(() => this.events.length >= count);
    return this.events;
  }

  /** Disconnects. */
  cut(): void {
    this.#response.destroy();
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.text += value.toString("utf8");
    this.frames.push(...this.#reader.read(value));
    return true;
  }
}
