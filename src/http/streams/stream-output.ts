/**
 * The output side of a stream. It builds each chunk of HTTP's chunked coding (RFC 9112 section 7.1) itself and writes it to the socket in one call. A
 * Node response would make four writes, which cost a third of all the work for a live event. `chunkedEncoding`, which Node does not document
 * (Node 24), shows that the response has sent the headers of that coding; without it, the response writes the chunks.
 */
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { isMounted } from "../transport/mounted.ts";
import { endAnswer, leaveHttp } from "./leave-http.ts";

/** Maximum size in bytes of pieces that are copied into their chunk; larger pieces are written without a copy, between their chunk's delimiters. */
const copied = 16 * 1024;

const lineEnd = "\r\n";

export class StreamOutput {
  /** Undefined once the connection has left the HTTP server. */
  #response: ServerResponse | undefined;
  /** Undefined if the response must make the chunks itself: for an HTTP/1.0 client, a pipelined, an injected or a mounted request. */
  readonly #socket: Socket | undefined;

  /** Sends the headers, which must be set before, together with the opening. */
  constructor(response: ServerResponse, opening: string) {
    this.#response = response;
    response.socket?.cork();
    response.flushHeaders();
    const { socket, chunkedEncoding } = response;
    this.#socket = chunkedEncoding && socket instanceof Socket && !isMounted(response) ? socket : undefined;
    this.write(opening);
    response.socket?.uncork();
  }

  /** Whether the writer should wait for `drained`. */
  get isFull(): boolean {
    return (this.#socket ?? this.#response)?.writableNeedDrain ?? false;
  }

  /** Writes a whole piece; an empty piece writes nothing. */
  write(piece: Buffer | string): void {
    if (piece.length === 0) return;
    const socket = this.#socket;
    if (!socket) this.#response?.write(piece);
    else if (socket.writable) writeChunk(socket, typeof piece === "string" ? Buffer.from(piece) : piece);
  }

  /** Resolves when the socket accepts more, or when the client has disconnected: a pending write then emits only `close`. */
  drained(): Promise<void> {
    const output = this.#socket ?? this.#response;
    const closing = this.#response ?? this.#socket;
    if (!output || !closing || closing.closed || closing.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        output.off("drain", done);
        closing.off("close", done);
        resolve();
      };
      output.on("drain", done);
      closing.on("close", done);
    });
  }

  /** Frees memory of a stream that is idle, see `leaveHttp`. It must not be called while the output is full. */
  shrink(): void {
    if (this.#response && this.#socket && leaveHttp(this.#response)) this.#response = undefined;
  }

  end(): void {
    if (this.#response) this.#response.end();
    else if (this.#socket) endAnswer(this.#socket);
  }

  /** Disconnects the client. */
  destroy(): void {
    (this.#response ?? this.#socket)?.destroy();
  }
}

function writeChunk(socket: Socket, piece: Buffer): void {
  const head = piece.length.toString(16) + lineEnd;
  if (piece.length > copied) {
    socket.cork();
    socket.write(head, "latin1");
    socket.write(piece);
    socket.write(lineEnd, "latin1");
    socket.uncork();
    return;
  }
  const chunk = Buffer.allocUnsafe(head.length + piece.length + lineEnd.length);
  chunk.write(head, "latin1");
  chunk.set(piece, head.length);
  chunk.write(lineEnd, head.length + piece.length, "latin1");
  socket.write(chunk);
}
