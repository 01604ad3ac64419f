/**
 * The one writer of streams (WHATWG HTML, server-sent events). It takes what a log yields and a response, and knows nothing of runs:
 * what is written for an item is a translation's business.
 *
 * The buffers of a log go to the socket as they are. Writes of one turn of the event loop leave together, because node's response
 * corks its socket until the next tick. At most one item is in hand: while the socket is full, nothing more is read from the log.
 */
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { Followed } from "../events/followed.ts";
import type { Log } from "../model/runtime.ts";
import { heartbeatComment, interruptedComment } from "./frames.ts";

/** What is written, and where from. */
export interface Stream {
  /** Goes out with the headers. */
  readonly opening: string;
  /** Reads until its signal aborts, or to the end. */
  readonly follow: (signal: AbortSignal) => AsyncIterable<Followed>;
  /** What an item is on this stream; nothing for an item that is not shown. */
  readonly translate: (item: Followed) => readonly (Buffer | string)[];
  /** Index of the last event that the reader has when the stream starts. */
  readonly cursor: number;
}

/** What the writer takes from its surroundings. */
export interface StreamSettings {
  /** Milliseconds without anything written after which a comment is. */
  readonly heartbeat: number;
  readonly log: Log;
}

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/** Sends a stream in answer to a request; resolves when it has ended, whichever side ended it. */
export async function sendStream(reply: FastifyReply, stream: Stream, settings: StreamSettings): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  // A broken pipe is a client that left; `close` follows.
  response.on("error", () => {});
  if (response.destroyed) return;
  response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...streamHeaders });
  if (stream.opening) response.write(stream.opening);
  else response.flushHeaders();

  const heartbeat = setTimeout(() => {
    if (!response.writableNeedDrain) response.write(heartbeatComment);
    heartbeat.refresh();
  }, settings.heartbeat);
  let cursor = stream.cursor;
  try {
    for await (const item of stream.follow(gone.signal)) {
      for (const piece of stream.translate(item)) {
        if (piece.length > 0 && !response.write(piece)) await drainOrClose(response);
      }
      if (item.kind === "frames") cursor = item.last;
      if (item.kind === "interrupted") response.write(interruptedComment(cursor));
      heartbeat.refresh();
    }
  } catch (error) {
    if (!gone.signal.aborted) {
      settings.log.error(
        { error, requestId: reply.request.id },
        "A stream broke off; its reader is told where to go on.",
      );
      response.write(interruptedComment(cursor));
    }
  } finally {
    clearTimeout(heartbeat);
    response.end();
  }
}

/** Resolves when the socket takes more, or when there is nobody left to take it: a parked write of a client that left emits only `close`. */
function drainOrClose(response: ServerResponse): Promise<void> {
  if (response.closed || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

/** Waits for the end of a run without reading its events; undefined when the reader leaves first. */
export async function waitForEnd(
  response: ServerResponse,
  follow: (signal: AbortSignal, cursor: number) => AsyncIterable<Followed>,
): Promise<Followed | undefined> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  if (response.destroyed) return undefined;
  for await (const item of follow(gone.signal, beyondAnyEnd)) {
    if (item.kind !== "frames" && item.kind !== "gap") return item;
  }
  return undefined;
}

/** A cursor that no log reaches, and that every database can hold. */
export const beyondAnyEnd: number = 2 ** 31 - 2;
