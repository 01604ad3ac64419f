/**
 * Frees what Node's HTTP server holds for the connection of an idle stream: the parser of the next request (10 KiB outside of V8's heap), the
 * request, the response and their listeners. After the stream, the connection returns to the server with the next request.
 *
 * Node does the same for an upgraded connection, but has no function for it. The parser's methods are not documented (Node 24); without them, a
 * connection does not leave. An HTTP server accepts a connection from its event `connection`, as documented.
 */
import type { Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { forgetAnswer, isOnlyAnswer } from "../transport/begun-answers.ts";

/** Node's parser of requests. */
interface Parser {
  /** Removes it from the list of connections that Node checks for timeouts and closes with the server. */
  remove(): void;
  /** Frees its memory. */
  close(): void;
  /** Returns an error, and changes nothing, if the input ends within a request. */
  finish(): unknown;
}

type Connection = Socket & { parser?: unknown; server?: Server };

const lastChunk = "0\r\n\r\n";

/** The connections that have left each server. */
const left = new WeakMap<Server, Set<Connection>>();

/** The connections among them whose stream has ended. */
const idle = new WeakSet<Connection>();

/** The connections among them whose response announced `Connection: close`. */
const last = new WeakSet<Connection>();

/**
 * Takes the connection of a chunked response from the HTTP server; the caller writes to it, and ends it with `endAnswer`. Returns undefined, and changes
 * nothing, if the connection cannot leave: bytes are in transit, another request waits for its answer, or a part of one has arrived. It must not be called
 * while Node parses.
 */
export function leaveHttp(response: ServerResponse): Socket | undefined {
  const { req } = response;
  const socket: Connection | null = response.socket;
  if (!(socket instanceof Socket) || socket.destroyed || socket.writableLength > 0) return undefined;
  const { parser, server } = socket;
  if (!req.complete || !isOnlyAnswer(response) || !isParser(parser) || !server) return undefined;
  // The parser contains the part: without it, the rest would be read as a request of its own.
  if (parser.finish() instanceof Error) return undefined;
  forgetAnswer(response);
  const closed = response.listeners("close") as (() => void)[];
  response.detachSocket(socket);
  socket.removeAllListeners("data");
  // With this listener, Node detaches the parser.
  socket.on("data", keep);
  parser.remove();
  parser.close();
  socket.parser = null;
  socket.removeAllListeners();
  socket.on("data", keep).on("end", endBack).on("error", ignore).on("close", forget);
  for (const listener of closed) socket.on("close", listener);
  left.set(server, (left.get(server) ?? new Set()).add(socket));
  if (isLast(response)) last.add(socket);
  return socket;
}

/**
 * Ends the answer of a connection that has left. The connection then waits for the next request, as long as other connections do; a response with
 * `Connection: close` closes it (RFC 9112 section 9.6).
 */
export function endAnswer(socket: Connection): void {
  const { server } = socket;
  if (!server || !socket.writable) return;
  socket.write(lastChunk);
  for (const listener of socket.listeners("close")) {
    if (listener === forget) continue;
    socket.off("close", listener as () => void);
    listener.call(socket);
  }
  if (last.has(socket)) {
    socket.destroySoon();
    return;
  }
  idle.add(socket);
  socket.setTimeout(server.keepAliveTimeout + keepAliveTolerance, destroy);
  socket.resume();
}

/** Milliseconds by which Node's server exceeds the announced time. */
const keepAliveTolerance = 1_000;

/** Closes connections that have left the server: its own methods do not reach them. */
export function closeLeft(server: Server, which: "idle" | "all"): void {
  for (const socket of left.get(server) ?? []) if (which === "all" || idle.has(socket)) socket.destroy();
}

/** Keeps the bytes of the next request until the answer has ended, and then returns the connection to its server. */
function keep(this: Connection, bytes: Buffer): void {
  this.pause();
  this.unshift(bytes);
  const { server } = this;
  if (!idle.delete(this) || !server) return;
  forget.call(this);
  this.removeAllListeners();
  this.setTimeout(0);
  server.emit("connection", this);
  this.resume();
}

function forget(this: Connection): void {
  if (this.server) left.get(this.server)?.delete(this);
}

/** A client that ends its side has disconnected, as for Node's server. */
function endBack(this: Socket): void {
  this.end();
}

function destroy(this: Socket): void {
  this.destroy();
}

function ignore(): void {}

function isParser(parser: unknown): parser is Parser {
  const { remove, close, finish } = (parser ?? {}) as Partial<Parser>;
  return [remove, close, finish].every((method) => typeof method === "function");
}

/** Whether the response announced `Connection: close`, by Node's own mark. */
function isLast(response: ServerResponse & { readonly _last?: boolean }): boolean {
  return response._last === true;
}
