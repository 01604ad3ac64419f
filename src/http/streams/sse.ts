/**
 * The one writer of streams (WHATWG HTML, server-sent events). It takes what a log yields and a response, and knows nothing of runs:
 * what is written for an item is a translation's business.
 *
 * At most one item is in hand: while the socket is full, nothing more is read from the log.
 */
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { Followed, FollowOptions, RunLogs } from "../../events/followed.ts";
import type { Log } from "../../model/runtime.ts";
import { heartbeatComment, interruptedComment } from "./meta-frames.ts";
import { StreamOutput } from "./stream-output.ts";

/** What is written, and where from. */
export interface Stream {
  /** Goes out with the headers. */
  readonly opening: string;
  readonly follow: Follow;
  /** What an item is on this stream; nothing for an item that is not shown. */
  readonly translate: (item: Followed) => readonly (Buffer | string)[];
  /** Index of the last event that the reader has when the stream starts. */
  readonly cursor: number;
  /** The last thing that is written when the stream ends before its run does; by default it names the index to resume from. */
  readonly farewell?: (cursor: number) => string;
}

/** What the writer takes from its surroundings. */
export interface StreamSettings {
  /** Milliseconds without anything written after which a comment is. */
  readonly heartbeat: number;
  readonly log: Log;
}

/** Why a reading is given up. One reason for all: without one, node makes an exception with a stack for each. */
const left = new Error("The client has left.");
const lapsed = new Error("The client's credential is good no more.");

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/**
 * Sends a stream in answer to a request; resolves when it has ended, whichever side ended it. A route does not wait for that: what it
 * knows of the request is then freed, and an open stream costs little more than its connection.
 */
export function sendStream(reply: FastifyReply, stream: Stream, settings: StreamSettings): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  // A broken pipe is a client that left; `close` follows.
  response.on("error", ignore);
  if (response.destroyed) return Promise.resolve();
  response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...streamHeaders });
  const output = new StreamOutput(response, stream.opening);
  const gone = new AbortController();
  response.once("close", () => gone.abort(left));
  const { id: requestId, caller } = reply.request;
  // A client that does not read what it was sent is not waited for.
  const lapse = (): void => void (output.isFull ? response.destroy() : gone.abort(lapsed));
  const unwatch = caller ? reply.server.credentials.watch(caller, lapse) : ignore;
  return pump(output, { requestId, gone: gone.signal, ...stream, ...settings }).finally(unwatch);
}

type Pump = Omit<Stream, "opening"> & StreamSettings & { readonly requestId: string; readonly gone: AbortSignal };

async function pump(output: StreamOutput, settings: Pump): Promise<void> {
  const { follow, translate, log, requestId, gone, farewell = interruptedComment } = settings;
  let { cursor } = settings;
  const heartbeat = setTimeout(() => {
    if (!output.isFull) output.write(heartbeatComment);
    heartbeat.refresh();
  }, settings.heartbeat);
  try {
    for await (const item of follow(gone)) {
      for (const piece of translate(item)) {
        output.write(piece);
        if (output.isFull) await output.drained();
      }
      if (item.kind === "frames") cursor = item.last;
      if (item.kind === "interrupted") output.write(farewell(cursor));
      heartbeat.refresh();
    }
    if (gone.reason === lapsed) output.write(farewell(cursor));
  } catch (error) {
    if (!gone.aborted) {
      log.error({ error, requestId }, "A stream broke off; its reader is told where to go on.");
      output.write(farewell(cursor));
    }
  } finally {
    clearTimeout(heartbeat);
    output.end();
  }
}

function ignore(): void {}

/** Waits for the end of a run; undefined when the client leaves first. Follow from `beyondAnyEnd`, and no event is read. */
export async function waitForEnd(response: ServerResponse, follow: Follow): Promise<Followed | undefined> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(left));
  if (response.destroyed) return undefined;
  for await (const item of follow(gone.signal)) {
    if (item.kind !== "frames" && item.kind !== "gap") return item;
  }
  return undefined;
}

/** A cursor that no log reaches, and that every database can hold. */
export const beyondAnyEnd: number = 2 ** 31 - 2;

/** Reads a log until its signal aborts, or to the end. */
export type Follow = (signal: AbortSignal) => AsyncIterable<Followed>;

/** The reading of one log. It holds on to nothing else of what its caller knows. */
export function followFrom(logs: RunLogs, key: number, options: Omit<FollowOptions, "signal">): Follow {
  return (signal) => logs.follow(key, { ...options, signal });
}
