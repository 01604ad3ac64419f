/** A client that keeps every received byte, and can disconnect, stall and read on at any frame. */
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

export interface Frame {
  /** The whole frame with its empty line. */
  readonly raw: string;
  readonly id: number | undefined;
  readonly event: string | undefined;
  /** The comment's text, if the frame is a comment. */
  readonly comment: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped data
  readonly data: any;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped data
  readonly body: any;
}

export type Fields = Readonly<Record<string, string | number | boolean>>;

/** Matches the terminal events of agent and team runs. */
const endings = /^(Team)?Run(Completed|Error|Cancelled)$/;

const newline = 10;

/** An open event stream. */
export class EventStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly frames: Frame[] = [];
  /** How the stream was closed: by the server's last byte, or by a broken connection. */
  readonly closed: Promise<"ended" | "broken">;
  readonly #response: IncomingMessage;
  #rest: Buffer[] = [];
  #isClosed = false;
  #waiting: (() => void)[] = [];

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.on("error", () => undefined);
    response.on("data", (chunk: Buffer) => this.#take(chunk));
    this.closed = new Promise((resolve) => {
      response.on("close", () => {
        this.#isClosed = true;
        this.#tell();
        resolve(response.complete ? "ended" : "broken");
      });
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get runId(): string {
    return String(this.headers["x-run-id"]);
  }

  /** Frames of the log. */
  get events(): Frame[] {
    return this.frames.filter(({ id }) => id !== undefined);
  }

  /** Meta frames. */
  get metas(): Frame[] {
    return this.frames.filter(({ id, comment }) => id === undefined && comment === undefined);
  }

  get comments(): string[] {
    return this.frames.flatMap(({ comment }) => comment ?? []);
  }

  /** Index of the last received event. */
  get cursor(): number {
    return this.events.at(-1)?.id ?? -1;
  }

  /** The terminal event of the followed run, if received. */
  get ending(): Frame | undefined {
    return this.frames.find(({ event, data }) => endings.test(event ?? "") && data.run_id === this.runId);
  }

  /** Resolves with the first frame that matches; undefined if the stream closes without one. */
  async next(fits: (frame: Frame) => boolean): Promise<Frame | undefined> {
    for (let place = 0; ; place++) {
      while (place >= this.frames.length && !this.#isClosed) await this.moved();
      const frame = this.frames[place];
      if (!frame || fits(frame)) return frame;
    }
  }

  /** Resolves when new frames arrive, or the stream is closed. */
  moved(): Promise<void> {
    return new Promise((tell) => this.#waiting.push(tell));
  }

  /** Waits until the client has received `events` events. @throws if the stream closes before */
  async until(events: number): Promise<void> {
    let seen = 0;
    const last = await this.next(({ id }) => id !== undefined && ++seen === events);
    if (!last) throw new Error(`The stream was closed after ${seen} events, before ${events}.`);
  }

  /** Stops reading until `readOn`. */
  stall(): void {
    this.#response.pause();
  }

  readOn(): void {
    this.#response.resume();
  }

  /** Breaks the connection. */
  cut(): void {
    this.#response.destroy();
  }

  #take(chunk: Buffer): void {
    const tail = this.#rest.at(-1);
    this.#rest.push(chunk);
    // A frame may be large: its chunks are joined only when its end has arrived.
    const mayEnd = chunk.includes("\n\n") || (tail?.at(-1) === newline && chunk[0] === newline);
    if (!mayEnd) return;
    const bytes = Buffer.concat(this.#rest);
    let start = 0;
    for (let end = bytes.indexOf("\n\n"); end >= 0; end = bytes.indexOf("\n\n", start)) {
      this.frames.push(toFrame(bytes.toString("utf8", start, end + 2)));
      start = end + 2;
    }
    this.#rest = start < bytes.length ? [bytes.subarray(start)] : [];
    this.#tell();
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) tell();
  }
}

/** A client of one server. Every request has a connection of its own. */
export class StreamClient {
  readonly address: URL;

  constructor(address: string) {
    this.address = new URL(address);
  }

  /** Starts a run of `agents/…` or `teams/…` and follows it. */
  async start(component: string, order: unknown, fields: Fields = {}): Promise<EventStream> {
    const response = await this.#post(`/${component}/runs`, { message: JSON.stringify(order), ...fields });
    const stream = new EventStream(response);
    if (stream.status !== 200) throw new Error(`The run was not started: ${stream.status}.`);
    return stream;
  }

  /** Follows a run from after `cursor`; without a cursor, the request specifies none. */
  async resume(
    component: string,
    runId: string,
    cursor?: number,
    headers: Record<string, string> = {},
  ): Promise<EventStream> {
    const fields: Fields = cursor === undefined ? {} : { last_event_index: cursor };
    const stream = new EventStream(await this.#post(`/${component}/runs/${runId}/resume`, fields, headers));
    if (stream.status !== 200) throw new Error(`The run was not resumed: ${stream.status}.`);
    return stream;
  }

  /** The whole log of a finished run. */
  async log(component: string, runId: string): Promise<Frame[]> {
    const stream = await this.resume(component, runId);
    await stream.closed;
    return stream.events;
  }

  post(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#post(path, fields, headers).then(toAnswer);
  }

  /** Posts a form whose response is a stream. */
  async stream(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<EventStream> {
    return new EventStream(await this.#post(path, fields, headers));
  }

  get(path: string): Promise<Answer> {
    return this.#open("GET", path, {}, "").then(toAnswer);
  }

  /** The record of a run. */
  async record(component: string, { runId, sessionId }: { runId: string; sessionId: string }): Promise<Answer["body"]> {
    return (await this.get(`/${component}/runs/${runId}?session_id=${sessionId}`)).body;
  }

  cancel(component: string, runId: string): Promise<Answer> {
    return this.post(`/${component}/runs/${runId}/cancel`);
  }

  #post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const entries = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
    const form = new URLSearchParams(entries).toString();
    const type = { "content-type": "application/x-www-form-urlencoded", "content-length": String(form.length) };
    return this.#open("POST", path, { ...(form && type), ...headers }, form);
  }

  #open(method: string, path: string, headers: Record<string, string>, body: string): Promise<IncomingMessage> {
    const { hostname, port } = this.address;
    return new Promise((resolve, reject) => {
      request({ hostname, port, path, method, headers, agent: false }, resolve).on("error", reject).end(body);
    });
  }
}

async function toAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const isJson = response.headers["content-type"]?.startsWith("application/json") && text !== "";
  return { status: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

function toFrame(raw: string): Frame {
  const lines = raw.slice(0, -2).split("\n");
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [id, data] = [field("id"), field("data")];
  return {
    raw,
    id: id === undefined ? undefined : Number(id),
    event: field("event"),
    comment: field(""),
    data: data === undefined ? undefined : JSON.parse(data),
  };
}
