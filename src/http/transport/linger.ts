/**
 * Closing connections whose client still sends. To close one at once makes the client's system throw away the answer (RFC 9112 section 9.6), so what
 * comes is read and thrown away first, within bounds.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Clock } from "../../model/runtime.ts";
import { hasNoBody } from "../input/body.ts";

/** Most bytes of a refused body that are thrown away. */
export const maxDrainedBytes: number = 64 * 1024 * 1024;

/** Milliseconds for which they are. */
const longestDrain = 5_000;

/** Bounds what is read after an answer, on every connection of the server. */
export function lingerAfterAnswers(server: Server, clock: Clock): void {
  server.prependListener("request", (message: IncomingMessage, response: ServerResponse) => {
    if (hasNoBody(message) || !(message.socket instanceof Socket)) return;
    // Node's own listener, which closes the connection, comes later.
    response.prependOnceListener("finish", () => {
      if (!message.complete) linger(message, clock);
    });
  });
}

function linger(message: IncomingMessage, clock: Clock): void {
  const { socket } = message;
  const close = socket.destroySoon;
  let isClosing = false;
  socket.destroySoon = () => {
    isClosing = true;
    socket.end();
  };
  const before = socket.bytesRead;
  const cut = (): void => void socket.destroy();
  const stop = clock.after(longestDrain, cut);
  const count = (): void => {
    if (socket.bytesRead - before > maxDrainedBytes) cut();
  };
  socket.once("close", stop);
  message.once("end", () => {
    stop();
    socket.off("close", stop);
    socket.destroySoon = close;
    if (isClosing) socket.destroySoon();
  });
  // Node takes away listeners of `data` when it throws a body away, which it begins after this.
  clock.defer(() => message.on("data", count).resume());
}

/** How each connection that ends goes on when something comes. */
const ending = new WeakMap<Socket, () => void>();

/** Sends a last text and closes the connection, with the same bounds: for connections that HTTP is not spoken on any more. */
export function endSlowly(socket: Socket, text: string, clock: Clock): void {
  const before = socket.bytesRead;
  const cut = (): void => void socket.destroy();
  const count = (): void => {
    if (socket.bytesRead - before > maxDrainedBytes) cut();
  };
  ending.set(socket, count);
  socket.once("close", clock.after(longestDrain, cut));
  socket.once("end", cut);
  socket.on("data", count);
  socket.end(text);
  socket.resume();
}

/** Whether the connection ends. Node's parser goes on and reports each further chunk as an error, so what came is counted here, too. */
export function isEnding(socket: Socket): boolean {
  const count = ending.get(socket);
  count?.();
  return count !== undefined;
}
