/**
 * Closes connections whose client is still sending. Closing one at once would make the client's system discard the answer (RFC 9112 section 9.6), so
 * the server first reads and discards the rest, within limits.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Clock } from "../../model/runtime.ts";
import { hasNoBody } from "../input/body.ts";

/** Maximum number of bytes of a rejected body that are discarded. */
export const maxDrainedBytes: number = 64 * 1024 * 1024;

/** Maximum time for discarding them, in milliseconds. */
const maxDrainTime = 5_000;

/** Limits the bytes that are read after an answer, on every connection of the server. */
export function lingerAfterAnswers(server: Server, clock: Clock): void {
  server.prependListener("request", (message: IncomingMessage, response: ServerResponse) => {
    if (hasNoBody(message) || !(message.socket instanceof Socket)) return;
    // Runs before Node's own listener, which closes the connection.
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
  const destroy = (): void => void socket.destroy();
  const stop = clock.after(maxDrainTime, destroy);
  const count = (): void => {
    if (socket.bytesRead - before > maxDrainedBytes) destroy();
  };
  socket.once("close", stop);
  message.once("end", () => {
    stop();
    socket.off("close", stop);
    socket.destroySoon = close;
    if (isClosing) socket.destroySoon();
  });
  // Node removes `data` listeners when it begins to discard a body, which happens after this event.
  clock.defer(() => message.on("data", count).resume());
}

/** For each closing connection, a function that counts its received bytes. */
const ending = new WeakMap<Socket, () => void>();

/** Sends a last text and closes the connection within the same limits: for connections that no longer speak HTTP. */
export function endSlowly(socket: Socket, text: string, clock: Clock): void {
  const before = socket.bytesRead;
  const destroy = (): void => void socket.destroy();
  const count = (): void => {
    if (socket.bytesRead - before > maxDrainedBytes) destroy();
  };
  ending.set(socket, count);
  socket.once("close", clock.after(maxDrainTime, destroy));
  socket.once("end", destroy);
  socket.on("data", count);
  socket.end(text);
  socket.resume();
}

/** Whether the connection is closing. Node's parser continues and reports each further chunk as an error, so the bytes are counted here, too. */
export function isEnding(socket: Socket): boolean {
  const count = ending.get(socket);
  count?.();
  return count !== undefined;
}
