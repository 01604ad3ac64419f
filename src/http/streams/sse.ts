/**
 * The only writer of streams (WHATWG HTML, server-sent events). It writes what a log yields to a response and does not depend on runs: a `Stream`
 * translates items to output. It holds at most one item: while the socket is full, it reads nothing more from the log.
 */
import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { LogItem } from "../../events/run-logs.ts";
import type { Log } from "../../model/runtime.ts";
import type { Follow } from "../../runs/follow.ts";
import { heartbeatsEvery } from "./heartbeats.ts";
import { heartbeatComment, interruptedComment } from "./meta-frames.ts";
import { StreamOutput } from "./stream-output.ts";

/** The source of a stream and its translation to output. */
export interface Stream {
  /** Sent together with the headers. */
  readonly opening: string;
  readonly follow: Follow;
  /** The output for an item; empty for an item that is not shown. */
  readonly translate: (item: LogItem) => readonly (Buffer | string)[];
  /** Index of the last event that the client received before the stream. */
  readonly cursor: number;
  /** The last output when the stream ends before its run does; by default it names the index to resume from. */
  readonly farewell?: (cursor: number) => string;
  /** Whether a stream that ends before its run does breaks the connection: for protocols whose clients take a regular end for the run's end. Default false. */
  readonly breaksOff?: boolean;
}

/** Settings of the writer. */
export interface StreamSettings {
  /** Milliseconds without output after which a comment is sent. */
  readonly heartbeatInterval: number;
  readonly log: Log;
}

/** Abort reasons of a reading. They are shared: without a given reason, Node creates an exception with a stack for each abort. */
const left = new Error("The client has disconnected.");
const lapsed = new Error("The client's credential is no longer valid.");

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
};

/**
 * Sends a stream as the answer to a request; resolves when either side has ended it. A route must not await it: the request's data is then freed, and
 * an open stream costs little more than its connection.
 */
export function sendStream(reply: FastifyReply, stream: Stream, settings: StreamSettings): Promise<void> {
  reply.hijack();
  const response = reply.raw;
  // A broken pipe means that the client disconnected; `close` follows.
  response.on("error", ignore);
  if (response.destroyed) return Promise.resolve();
  response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...streamHeaders });
  const { opening, ...reading } = stream;
  const output = new StreamOutput(response, opening);
  const gone = new AbortController();
  response.once("close", () => gone.abort(left));
  const { id: requestId, caller } = reply.request;
  // The server does not wait for a client that does not read.
  const lapse = (): void => void (output.isFull ? output.destroy() : gone.abort(lapsed));
  const unwatch = caller ? reply.server.credentials.watch(caller, lapse) : ignore;
  return pump(output, { requestId, gone: gone.signal, ...reading, ...settings }).finally(unwatch);
}

type Pump = Omit<Stream, "opening"> & StreamSettings & { readonly requestId: string; readonly gone: AbortSignal };

async function pump(output: StreamOutput, settings: Pump): Promise<void> {
  const { follow, translate, log, requestId, gone, farewell = interruptedComment, breaksOff = false } = settings;
  let { cursor } = settings;
  let isEarly = false;
  const leave = (): void => {
    output.write(farewell(cursor));
    isEarly = true;
  };
  const heartbeats = heartbeatsEvery(settings.heartbeatInterval);
  const beating = {
    quietTicks: 0,
    beat(): void {
      if (output.isFull) return;
      output.shrink();
      output.write(heartbeatComment);
    },
  };
  heartbeats.add(beating);
  try {
    for await (const item of follow(gone)) {
      for (const piece of translate(item)) {
        output.write(piece);
        if (output.isFull) await output.drained();
      }
      if (item.kind === "frames") cursor = item.last;
      if (item.kind === "interrupted") leave();
      beating.quietTicks = 0;
    }
    if (gone.reason === lapsed) leave();
  } catch (error) {
    if (!gone.aborted) {
      log.error({ error, requestId }, "A stream broke off; its last comment names the cursor to resume from.");
      leave();
    }
  } finally {
    heartbeats.remove(beating);
    if (isEarly && breaksOff) output.destroy();
    else output.end();
  }
}

function ignore(): void {}

/** A signal that aborts when the client of a response disconnects. */
export function untilGone(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort(left));
  if (response.destroyed) gone.abort(left);
  return gone.signal;
}
