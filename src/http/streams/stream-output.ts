/**
 * The writing end of a stream. Every piece becomes one chunk of HTTP's chunked coding (RFC 9112 section 7.1), put together here and given
 * to the socket whole. A response would give it four parts, which costs a third of all that a live event costs.
 */
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";

/** Pieces up to this size are copied into their chunk; larger ones go to the socket as they are, with the marks around them. */
const copied = 16 * 1024;

const lineEnd = "\r\n";

export class StreamOutput {
  readonly #response: ServerResponse;
  /** Undefined where chunks are not ours to make: an old client, a pipelined request, an injected one. */
  readonly #socket: Socket | undefined;

  /** Sends the headers, which were set before, with the opening. */
  constructor(response: ServerResponse, opening: string) {
    this.#response = response;
    response.socket?.cork();
    response.flushHeaders();
    const { socket, chunkedEncoding } = response;
    this.#socket = chunkedEncoding && socket instanceof Socket ? socket : undefined;
    this.write(opening);
    response.socket?.uncork();
  }

  /** Whether it is better to wait for `drained`. */
  get isFull(): boolean {
    return (this.#socket ?? this.#response).writableNeedDrain;
  }

  /** Writes a piece whole; one of no bytes is none. */
  write(piece: Buffer | string): void {
    if (piece.length === 0) return;
    const socket = this.#socket;
    if (!socket) this.#response.write(piece);
    else if (socket.writable) writeChunk(socket, typeof piece === "string" ? Buffer.from(piece) : piece);
  }

  /** Resolves when the socket takes more, or when nobody is left to take it: a parked write of a client that left emits only `close`. */
  drained(): Promise<void> {
    const response = this.#response;
    if (response.closed || response.destroyed) return Promise.resolve();
    const output = this.#socket ?? response;
    return new Promise((resolve) => {
      const done = (): void => {
        output.off("drain", done);
        response.off("close", done);
        resolve();
      };
      output.on("drain", done);
      response.on("close", done);
    });
  }

  end(): void {
    this.#response.end();
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
