/** Serves a web `Request` with a `Response`, for applications that have no Node request. Both bodies are streams, and a slow reader makes the writer wait. */
import {
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server,
  ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { InvariantError } from "../../errors.ts";
import { markMounted } from "./mounted.ts";

/** Bytes of a response that wait for the reader before the writer waits. */
const highWaterMark = 64 * 1024;

/** Headers that describe a connection, which a `Response` does not have. */
const ofConnection: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** Statuses of responses without a body (Fetch standard, "null body status"). */
const withoutBody: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/**
 * Passes a request to the listeners of a server that need not listen. Resolves when the head of the response is known. The request's signal, and a cancel of the
 * response's body, disconnect the client.
 *
 * @param address of the client, if the application knows it
 */
export function exchange(server: Server, request: Request, address: string | undefined): Promise<Response> {
  return new Promise((resolve, reject) => {
    const incoming = new WebRequest(request, address);
    const outgoing = new WebResponse(incoming, resolve, reject);
    markMounted(outgoing);
    const leave = (): void => void outgoing.destroy();
    request.signal.addEventListener("abort", leave);
    outgoing.once("close", () => {
      request.signal.removeEventListener("abort", leave);
      if (!incoming.complete) incoming.destroy();
    });
    if (request.signal.aborted) leave();
    else server.emit("request", incoming, outgoing);
  });
}

/** The place of a connection. */
class NoConnection extends Duplex {
  readonly remoteAddress: string | undefined;
  readonly encrypted: boolean;

  constructor(remoteAddress: string | undefined, encrypted: boolean) {
    super({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    this.remoteAddress = remoteAddress;
    this.encrypted = encrypted;
  }
}

class WebRequest extends IncomingMessage {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor({ method, url, headers, body }: Request, address: string | undefined) {
    const { protocol, host, pathname, search } = new URL(url);
    super(new NoConnection(address, protocol === "https:") as unknown as Socket);
    this.#reader = body?.getReader();
    this.method = method;
    this.url = pathname + search;
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    this.httpVersion = "1.1";
    this.headers = Object.fromEntries(headers);
    this.headers.host ??= host;
    // A body of unknown length is what Node calls a chunked one.
    if (body && this.headers["content-length"] === undefined) this.headers["transfer-encoding"] = "chunked";
    this.rawHeaders = Object.entries(this.headers).flatMap(([name, value]) => [name, String(value)]);
  }

  override _read(size: number): void {
    // Node's own method lets the stream read ahead.
    super._read(size);
    if (!this.#reader) {
      this.complete = true;
      this.push(null);
      return;
    }
    this.#reader.read().then(
      ({ done, value }) => {
        if (done) this.complete = true;
        this.push(done ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      },
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.complete) void this.#reader?.cancel().catch(() => undefined);
    done(error);
  }
}

/** A response whose head and body go to a `Response` instead of a socket. */
class WebResponse extends ServerResponse {
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: Error) => void;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isResolved = false;
  #mustDrain = false;

  constructor(request: IncomingMessage, resolve: (response: Response) => void, reject: (error: Error) => void) {
    super(request);
    this.#resolve = resolve;
    this.#reject = reject;
    // Node's own getter knows the socket only.
    Object.defineProperty(this, "writableNeedDrain", {
      get: () => this.#mustDrain && !this.destroyed && !this.writableEnded,
    });
  }

  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const given = typeof reason === "object" ? reason : headers;
    if (Array.isArray(given)) throw new InvariantError("Headers are not given as a list.");
    for (const [name, value] of Object.entries(given ?? {})) if (value !== undefined) this.setHeader(name, value);
    super.writeHead(status);
    return this;
  }

  override flushHeaders(): void {
    if (this.#isResolved || this.destroyed) return;
    this.#isResolved = true;
    if (!this.headersSent) super.writeHead(this.statusCode);
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders())) {
      if (value === undefined || ofConnection.has(name)) continue;
      for (const one of [value].flat()) headers.append(name, String(one));
    }
    const { statusCode: status, statusMessage: statusText } = this;
    const hasBody = !withoutBody.has(status) && this.req.method !== "HEAD";
    this.#resolve(new Response(hasBody ? this.#openBody() : null, { status, statusText, headers }));
  }

  #openBody(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#body = controller;
        },
        pull: () => {
          if (!this.#mustDrain) return;
          this.#mustDrain = false;
          this.emit("drain");
        },
        cancel: () => {
          this.#body = undefined;
          this.destroy();
        },
      },
      { highWaterMark, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    this.flushHeaders();
    const done = [encoding, callback].find((one) => typeof one === "function") as (() => void) | undefined;
    if (done) process.nextTick(done);
    const body = this.#body;
    if (!body || this.destroyed) return true;
    const bytes =
      typeof chunk === "string"
        ? Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8")
        : (chunk as Uint8Array);
    if (bytes.byteLength > 0) body.enqueue(bytes);
    this.#mustDrain = (body.desiredSize ?? 0) <= 0;
    return !this.#mustDrain;
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    if (this.writableEnded || this.destroyed) return this;
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function") this.write(chunk, encoding);
    this.flushHeaders();
    this.finished = true;
    this.#body?.close();
    this.#body = undefined;
    const done = [chunk, encoding, callback].find((one) => typeof one === "function") as (() => void) | undefined;
    process.nextTick(() => {
      this.emit("finish");
      done?.();
      this.#close();
    });
    return this;
  }

  override destroy(error?: Error): this {
    if (this.destroyed || this.writableEnded) return this;
    const gone = error ?? new Error("The response was broken off.");
    this.#body?.error(gone);
    this.#body = undefined;
    if (!this.#isResolved) this.#reject(gone);
    process.nextTick(() => this.#close());
    this.destroyed = true;
    return this;
  }

  #close(): void {
    this.destroyed = true;
    this.emit("close");
  }
}
